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
/// a / b by way of a double, which a processor divides several times as fast; b not 0. What both hold exactly
/// cannot be rounded up to the next whole number: that would take a quotient nearer to it than 1/b.
constexpr std::int64_t fast_divide(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kExact = std::int64_t{1} << 52;
  if (a < 0 || a > kExact || b < 0 || b > kExact) return wrap_divide(a, b);
  return static_cast<std::int64_t>(static_cast<double>(a) / static_cast<double>(b));
}
/// int64(number); out of range (or not a number), the smallest int64.
constexpr std::int64_t wrap_truncate(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<std::int64_t>(number)
                                              : std::numeric_limits<std::int64_t>::min();
}

}  // namespace winnow
