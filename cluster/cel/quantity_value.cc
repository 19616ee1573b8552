#include "cluster/cel/quantity_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cluster/api/quantity.h"

namespace winnow::cel {
namespace {

/// The decimal digits that always fit an int64, by upstream's rule.
constexpr std::size_t kFastDigits = 18;
constexpr std::int64_t kNanoExponent = -9;
/// A result with more digits costs more than any honest expression is worth.
constexpr std::int64_t kMostDigits = 100'000;

/// Go's conversion to an int32.
constexpr std::int32_t to_int32(std::int64_t number) { return static_cast<std::int32_t>(number); }

/// The number times 10^power; nothing if it does not fit.
std::optional<std::int64_t> times_power_of_ten(std::int64_t number, std::int64_t power) {
  if (number == 0) return 0;
  for (; power > 0; --power) {
    if (__builtin_mul_overflow(number, std::int64_t{10}, &number)) return std::nullopt;
  }
  return number;
}

/// Go's math.Pow10, which multiplies or divides two entries of its tables.
double go_power_of_ten(std::int64_t power) {
  static constexpr std::array<double, 10> kLargePowers{1e00,  1e32,  1e64,  1e96,  1e128,
                                                       1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr std::array<double, 11> kLargeInverses{1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                                         1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  static constexpr std::array<double, 32> kPowers{
      1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07, 1e08, 1e09, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  if (power > 308) return std::numeric_limits<double>::infinity();
  if (power < -323) return 0;
  const auto size = static_cast<std::size_t>(power < 0 ? -power : power);
  return power < 0 ? kLargeInverses[size / 32] / kPowers[size % 32]
                   : kLargePowers[size / 32] * kPowers[size % 32];
}

void remove_leading_zeros(std::string& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
}

void multiply_digits(std::string& digits, std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += static_cast<std::uint64_t>(*digit - '0') * factor;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry > 0) digits.insert(0, std::to_string(carry));
}

/// a + b, or a - b where a is not the smaller one. Both have the same length.
std::string combine_digits(const std::string& a, const std::string& b, bool subtract) {
  std::string result(a.size() + 1, '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digit = (a[i] - '0') + (subtract ? '0' - b[i] : b[i] - '0') + carry;
    carry = digit > 9 ? 1 : digit < 0 ? -1 : 0;
    result[i + 1] = static_cast<char>('0' + (digit - carry * 10));
  }
  result[0] = static_cast<char>('0' + carry);
  remove_leading_zeros(result);
  return result;
}

void pad_to(std::string& digits, std::size_t size) {
  if (digits.size() < size) digits.insert(0, size - digits.size(), '0');
}

/// Upstream's fast path: amounts that surely fit an int64 with a decimal scale.
std::optional<std::pair<std::int64_t, std::int32_t>> read_scaled(const WrittenQuantity& parts) {
  const std::size_t whole_digits = std::max<std::size_t>(1, parts.whole.size());
  const bool binary = parts.base == 2;
  if (binary) {
    const auto room = static_cast<std::size_t>(14 - parts.exponent * 3 / 10);
    if (!parts.fraction.empty() || parts.exponent < 0 || whole_digits > room) return std::nullopt;
  } else if (whole_digits + parts.fraction.size() > kFastDigits) {
    return std::nullopt;
  }
  const auto fraction_digits = static_cast<std::int64_t>(parts.fraction.size());
  const std::int32_t scale = to_int32((binary ? 0 : parts.exponent) - fraction_digits);
  if (scale < kNanoExponent) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : parts.whole) value = value * 10 + (digit - '0');
  for (const char digit : parts.fraction) value = value * 10 + (digit - '0');
  if (binary && __builtin_mul_overflow(value, std::int64_t{1} << parts.exponent, &value)) return std::nullopt;
  return std::pair{parts.negative ? -value : value, scale};
}

}  // namespace

bool QuantityValue::Decimal::lower_exponent(std::int64_t to) {
  const std::int64_t zeros = exponent - to;
  if (!digits.empty()) {
    if (zeros + static_cast<std::int64_t>(digits.size()) > kMostDigits) return false;
    digits.append(static_cast<std::size_t>(zeros), '0');
  }
  exponent = to;
  return true;
}

/// Finer digits are rounded away from zero; to a coarser amount zeros are appended, unless they are too many.
void QuantityValue::Decimal::round_up_to_nanos() {
  if (digits.empty()) return;
  if (exponent >= kNanoExponent) {
    lower_exponent(kNanoExponent);
    return;
  }
  const auto cut =
      static_cast<std::size_t>(std::min(kNanoExponent - exponent, static_cast<std::int64_t>(digits.size())));
  const bool rounds = digits.find_first_not_of('0', digits.size() - cut) != std::string::npos;
  digits.resize(digits.size() - cut);
  exponent = kNanoExponent;
  if (rounds) {
    pad_to(digits, digits.size() + 1);
    std::string one(digits.size(), '0');
    one.back() = '1';
    digits = combine_digits(digits, one, false);
  }
}

std::expected<QuantityValue, std::string> QuantityValue::parse(std::string_view text) {
  const auto parts = WrittenQuantity::split(text);
  // Upstream tells a wrong form and a wrong suffix apart. Both are the same kind of error.
  if (!parts) return std::unexpected("unable to parse quantity's suffix");
  if (const auto scaled = read_scaled(*parts)) return QuantityValue(scaled->first, scaled->second);
  if (!parts->has_digit) return std::unexpected("unable to parse numeric part of quantity");
  Decimal amount{parts->negative, std::string(parts->whole).append(parts->fraction), 0};
  remove_leading_zeros(amount.digits);
  const auto fraction_digits = static_cast<std::int64_t>(parts->fraction.size());
  if (parts->base == 10) {
    const std::int32_t negated = to_int32(-static_cast<std::int64_t>(parts->exponent));
    amount.exponent = -static_cast<std::int64_t>(to_int32(fraction_digits + negated));
  } else {
    amount.exponent = -fraction_digits;
    multiply_digits(amount.digits, std::uint64_t{1} << parts->exponent);
  }
  amount.round_up_to_nanos();
  if (parts->base == 2) {
    const QuantityValue cap = of_units(std::numeric_limits<std::int64_t>::max());
    Decimal size = amount;
    size.is_negative = false;
    if (QuantityValue(size) > cap) amount = Decimal{parts->negative, cap.decimal().digits, 0};
  }
  return QuantityValue(std::move(amount));
}

QuantityValue::Decimal QuantityValue::decimal() const {
  if (decimal_) return *decimal_;
  std::string digits = std::to_string(value_);
  if (value_ < 0) digits.erase(0, 1);
  if (value_ == 0) digits.clear();
  return {value_ < 0, std::move(digits), scale_};
}

int QuantityValue::sign() const {
  if (decimal_) return decimal_->sign();
  return value_ == 0 ? 0 : value_ < 0 ? -1 : 1;
}

std::optional<std::int64_t> QuantityValue::as_integer() const {
  if (decimal_ || scale_ < 0) return std::nullopt;
  return times_power_of_ten(value_, scale_);
}

double QuantityValue::as_approximate_float() const {
  double base = static_cast<double>(value_);
  std::int64_t exponent = scale_;
  if (decimal_) {
    base = 0;
    exponent = decimal_->exponent;
    const std::string& digits = decimal_->digits;
    if (!digits.empty() &&
        std::from_chars(digits.data(), digits.data() + digits.size(), base).ec != std::errc()) {
      base = std::numeric_limits<double>::infinity();
    }
    if (decimal_->is_negative) base = -base;
  }
  return exponent == 0 ? base : base * go_power_of_ten(exponent);
}

/// Upstream's int64Amount.Add. @return false, with nothing changed, if the sum does not fit.
bool QuantityValue::add_scaled(std::int64_t value, std::int32_t scale) {
  if (value == 0) return true;
  if (value_ == 0) {
    value_ = value;
    scale_ = scale;
    return true;
  }
  const std::int32_t lowest = std::min(scale, scale_);
  const auto mine = times_power_of_ten(value_, std::int64_t{scale_} - lowest);
  const auto others = times_power_of_ten(value, std::int64_t{scale} - lowest);
  std::int64_t sum = 0;
  if (!mine || !others || __builtin_add_overflow(*mine, *others, &sum)) return false;
  value_ = sum;
  scale_ = lowest;
  return true;
}

std::optional<QuantityValue::Decimal> QuantityValue::sum(Decimal a, Decimal b) {
  const std::int64_t lowest = std::min(a.exponent, b.exponent);
  if (!a.lower_exponent(lowest) || !b.lower_exponent(lowest)) return std::nullopt;
  const std::size_t size = std::max(a.digits.size(), b.digits.size());
  pad_to(a.digits, size);
  pad_to(b.digits, size);
  const bool subtract = a.is_negative != b.is_negative;
  if (subtract && a.digits < b.digits) std::swap(a, b);
  return Decimal{a.is_negative, combine_digits(a.digits, b.digits, subtract), lowest};
}

std::optional<QuantityValue> QuantityValue::add(const QuantityValue& other, bool negated) const {
  QuantityValue result = *this;
  result.is_sum_ = true;
  if (!decimal_ && !other.decimal_) {
    const auto bits = static_cast<std::uint64_t>(other.value_);
    if (result.add_scaled(static_cast<std::int64_t>(negated ? 0 - bits : bits), other.scale_)) return result;
  }
  Decimal added = other.decimal();
  added.is_negative ^= negated;
  result.decimal_ = sum(decimal(), std::move(added));
  if (!result.decimal_) return std::nullopt;
  return result;
}

std::weak_ordering QuantityValue::operator<=>(const QuantityValue& other) const {
  if (!decimal_ && !other.decimal_ && scale_ == other.scale_) return value_ <=> other.value_;
  const Decimal a = decimal();
  const Decimal b = other.decimal();
  if (a.sign() != b.sign() || a.sign() == 0) return a.sign() <=> b.sign();
  const Decimal& larger = a.is_negative ? b : a;
  const Decimal& smaller = a.is_negative ? a : b;
  // The place of the first digit decides, then the digits.
  const auto place = [](const Decimal& one) {
    return one.exponent + static_cast<std::int64_t>(one.digits.size());
  };
  if (place(larger) != place(smaller)) return place(larger) <=> place(smaller);
  const std::size_t common = std::min(larger.digits.size(), smaller.digits.size());
  if (const int order = larger.digits.compare(0, common, smaller.digits, 0, common); order != 0)
    return order <=> 0;
  const auto has_more = [common](const Decimal& one) {
    return one.digits.find_first_not_of('0', common) != std::string::npos;
  };
  return has_more(larger) <=> has_more(smaller);
}

std::string QuantityValue::canonical_text() const {
  const Decimal amount = decimal();
  if (amount.digits.empty()) return "0e0";
  const std::size_t last = amount.digits.find_last_not_of('0');
  const auto zeros = static_cast<std::int64_t>(amount.digits.size() - last - 1);
  return (amount.is_negative ? "-" : "") + amount.digits.substr(0, last + 1) + 'e' +
         std::to_string(amount.exponent + zeros);
}

}  // namespace winnow::cel
