#include "cluster/validation/quantity_text.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace winnow {
namespace {

/// A number with a suffix.
struct Written {
  std::int64_t number;
  std::string_view suffix;
};

/// The amount with the largest suffix that leaves a whole number.
Written with_suffix(std::int64_t units, std::int64_t step, std::span<const std::string_view> suffixes) {
  Written written{units, ""};
  for (const std::string_view suffix : suffixes) {
    if (units == 0 || written.number % step != 0) break;
    written = {written.number / step, suffix};
  }
  return written;
}

std::uint64_t size_of(std::int64_t number) {
  return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

}  // namespace

std::string quantity_text(const Quantity& amount) {
  const std::int64_t units = amount.value();
  if (Quantity::of_units(units) != amount) return std::to_string(amount.milli_value()) + "m";
  constexpr std::string_view kDecimal[] = {"k", "M", "G", "T", "P", "E"};
  constexpr std::string_view kBinary[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  // Counts of cores are small. What is large, and round in the binary way, are bytes.
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
  const Written decimal = with_suffix(units, 1000, kDecimal);
  const Written binary = with_suffix(units, 1024, kBinary);
  const bool is_binary = size_of(units) >= kMebi && size_of(binary.number) <= size_of(decimal.number);
  const Written& shown = is_binary ? binary : decimal;
  return std::to_string(shown.number).append(shown.suffix);
}

}  // namespace winnow
