// Go's arithmetic: int64 that wraps round as on amd64, and the natural logarithm with Go's rounding.
// In C++ signed overflow is undefined, and quantities may be as large as an int64.
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
  return b == -1 ? wrap_subtract(0, a) : a / b;  // The processor traps on the smallest int64 divided by -1.
}
/// a / b by way of doubles, which a processor divides several times as fast. @param b  not 0.
/// Numbers up to 2^52 are exact as doubles. A quotient that is not whole lies at least 1/b below the next
/// whole number, which is more than the rounding error. So the result is exact.
constexpr std::int64_t fast_divide(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kExact = std::int64_t{1} << 52;
  if (a < 0 || a > kExact || b < 0 || b > kExact) return wrap_divide(a, b);
  return static_cast<std::int64_t>(static_cast<double>(a) / static_cast<double>(b));
}
/// Go's int64(number). Out of range, and for NaN, it gives the smallest int64.
constexpr std::int64_t wrap_truncate(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<std::int64_t>(number)
                                              : std::numeric_limits<std::int64_t>::min();
}

// The natural logarithm with Go's rounding.

/// Go's math.Log, for numbers of at least 1. The C library's result differs in the last bit for some numbers
/// (3, 14), and a score could differ with it. Upstream: Go 1.26 src/math/log.go, whose method is FreeBSD's
/// e_log.c.
double go_log(double number);

}  // namespace winnow
