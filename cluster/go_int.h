// int64 arithmetic as Go does it (on amd64): what does not fit wraps round. In C++ that is undefined for
// signed numbers, and quantities may be as large as an int64.
#pragma once

#include <cstdint>
#include <limits>

namespace winnow {

constexpr std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrap_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// @param b  not 0.
constexpr std::int64_t wrap_divide(std::int64_t a, std::int64_t b) {
  return b == -1 ? wrap_subtract(0, a) : a / b;  // The processor traps on the smallest number by -1.
}
/// int64(number); out of range (or not a number), the smallest int64.
constexpr std::int64_t wrap_truncate(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<std::int64_t>(number)
                                              : std::numeric_limits<std::int64_t>::min();
}

}  // namespace winnow
