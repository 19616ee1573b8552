#include "cluster/watch/resource_version.h"

#include <algorithm>

#include "cluster/text/ascii.h"

namespace winnow::live {

bool is_resource_version(std::string_view text) {
  constexpr std::string_view kGreatest = "18446744073709551615";
  if (text.empty() || text.front() == '0' || !std::ranges::all_of(text, is_digit)) return false;
  return text.size() < kGreatest.size() || (text.size() == kGreatest.size() && text <= kGreatest);
}

std::optional<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b) {
  if (!is_resource_version(a) || !is_resource_version(b)) return std::nullopt;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

bool is_older(std::string_view a, std::string_view b) {
  return compare_resource_versions(a, b) == std::strong_ordering::less;
}

}  // namespace winnow::live
