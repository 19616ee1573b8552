#include "cluster/validation/quantity_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace winnow {

std::string quantity_text(const Quantity& amount) {
  const std::int64_t units = amount.value();
  if (Quantity::of_units(units) != amount) return std::to_string(amount.milli_value()) + "m";
  // Counts of cores are small. What is large, and round in the binary way, are bytes.
  constexpr std::int64_t kMebi = std::int64_t{1} << 20;
  constexpr std::array kSuffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t suffix = 0;
  std::int64_t left = units;
  if (units >= kMebi || units <= -kMebi)
    for (; left % 1024 == 0; left /= 1024) ++suffix;
  return std::to_string(left) + kSuffixes[suffix];
}

}  // namespace winnow
