#include "predicates/zone_labels.h"

#include <algorithm>
#include <ranges>

namespace winnow::predicates {

std::optional<std::vector<Symbol>> zones_in(const View& view, std::string_view value) {
  if (value.empty()) return std::nullopt;
  std::vector<Symbol> zones;
  for (const auto part : std::views::split(value, std::string_view("__"))) {
    std::string_view zone(part.begin(), part.end());
    // Upstream trims the spaces around each zone, and rejects the whole value if a zone is empty.
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    zone.remove_prefix(std::min(zone.find_first_not_of(kSpaces), zone.size()));
    zone = zone.substr(0, zone.find_last_not_of(kSpaces) + 1);
    if (zone.empty()) return std::nullopt;
    if (const Symbol symbol = view.symbol(zone); symbol != kNone) zones.push_back(symbol);
  }
  return zones;
}

}  // namespace winnow::predicates
