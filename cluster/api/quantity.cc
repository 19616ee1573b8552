// A written amount is read in three ways, as upstream does. Short numbers become an int64 with a decimal
// scale (read_fast). Longer ones become a big decimal (read_decimal), and those with a binary suffix are
// capped (read_binary). Nanos in 128 bits hold all of them exactly up to 10^37. Beyond that only the wrapped
// results of value() and milli_value() are kept (Form::kHuge), which suffices to answer as upstream does.
#include "cluster/api/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

__extension__ using UInt128 = unsigned __int128;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
/// The number of decimal digits that always fit an int64, by upstream's rule.
constexpr int kFastDigits = 18;
/// The scale of thousandths. A big decimal of another scale has nanos.
constexpr std::int8_t kMilliScale = -3;
/// The largest power of ten in the table. Amounts beyond 10^37 nanos are huge.
constexpr int kLimitPower = 37;

constexpr auto kPowersOfTen = [] {
  std::array<Int128, kLimitPower + 1> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

constexpr Int128 power_of_ten(int exponent) { return kPowersOfTen[static_cast<std::size_t>(exponent)]; }

constexpr std::int64_t low_bits(Int128 number) {
  return static_cast<std::int64_t>(static_cast<UInt128>(number));
}

constexpr bool fits_int64(Int128 number) {
  return number >= std::numeric_limits<std::int64_t>::min() && number <= kMaxInt64;
}

constexpr Int128 divide_away_from_zero(Int128 number, Int128 divisor) {
  const Int128 quotient = number / divisor;
  if (number % divisor == 0) return quotient;
  return number < 0 ? quotient - 1 : quotient + 1;
}

/// Whether upstream multiplies by this power of ten in one step, so that the product wraps. For other powers
/// it multiplies by ten in a loop, and gives 0 on the first overflow.
constexpr bool wraps_on_overflow(int power) {
  return power == 1 || power == 2 || power == 3 || power == 6 || power == 9;
}

/// Go's conversion of an int64 to an int32.
constexpr std::int32_t wrap_int32(std::int64_t number) { return static_cast<std::int32_t>(number); }

struct Suffix {
  int base = 10;
  std::int32_t exponent = 0;
};

std::optional<Suffix> simple_suffix(std::string_view text) {
  static constexpr std::string_view kLarge = "kMGTPE";
  if (text.empty()) return Suffix{10, 0};
  if (text == "n") return Suffix{10, -9};
  if (text == "u") return Suffix{10, -6};
  if (text == "m") return Suffix{10, -3};
  const bool binary = text.size() == 2 && text[1] == 'i';
  if (text.size() != 1 && !binary) return std::nullopt;
  // The suffix for 1024 is "Ki", with a capital; for 1000 it is "k".
  const char letter = binary ? (text[0] == 'K' ? 'k' : text[0] == 'k' ? '?' : text[0]) : text[0];
  const std::size_t index = kLarge.find(letter);
  if (index == std::string_view::npos) return std::nullopt;
  const auto step = static_cast<std::int32_t>(index) + 1;
  return binary ? Suffix{2, 10 * step} : Suffix{10, 3 * step};
}

std::optional<Suffix> interpret_suffix(std::string_view text) {
  if (auto suffix = simple_suffix(text)) return suffix;
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text[0])) return std::nullopt;
  }
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Suffix{10, wrap_int32(exponent)};
}

/// A decimal number of any length, without a sign, for value() and milli_value() of huge amounts.
struct Digits {
  std::string text;

  bool is_zero() const { return text.find_first_not_of('0') == std::string::npos; }

  /// Multiplies by ten to the power, rounded up. At most kZerosThatMatter zeros are appended. A number with
  /// more of them is a multiple of 2^64, in units and in milli-units. So its low 64 bits are 0 anyway.
  void shift(std::int64_t power) {
    constexpr std::int64_t kZerosThatMatter = 128;
    if (power >= 0) {
      text.append(static_cast<std::size_t>(std::min(power, kZerosThatMatter)), '0');
      return;
    }
    const auto dropped = static_cast<std::size_t>(std::min(-power, static_cast<std::int64_t>(text.size())));
    const bool rounds = text.find_first_not_of('0', text.size() - dropped) != std::string::npos;
    text.resize(text.size() - dropped);
    if (rounds) increment();
  }

  void increment() {
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
      if (*digit != '9') {
        ++*digit;
        return;
      }
      *digit = '0';
    }
    text.insert(0, 1, '1');
  }

  /// The last 64 bits of the number divided by ten to the power (rounded up), read as a signed integer.
  std::int64_t low_bits_of_quotient(int power) const {
    Digits quotient = *this;
    quotient.shift(-power);
    std::uint64_t bits = 0;
    for (const char digit : quotient.text) bits = bits * 10 + static_cast<std::uint64_t>(digit - '0');
    return static_cast<std::int64_t>(bits);
  }

  /// The number; nothing if it has more than kLimitPower digits.
  std::optional<Int128> exact() const {
    const std::size_t first = text.find_first_not_of('0');
    if (first == std::string::npos) return 0;
    if (text.size() - first > kLimitPower) return std::nullopt;
    Int128 number = 0;
    for (const char digit : std::string_view(text).substr(first)) number = number * 10 + (digit - '0');
    return number;
  }
};

/// The suffix: letters, a sign and digits. @return nothing if there is more.
std::optional<Suffix> split_suffix(std::string_view rest) {
  std::size_t at = std::min(rest.find_first_not_of("eEinumkKMGTP"), rest.size());
  if (at < rest.size() && (rest[at] == '-' || rest[at] == '+')) ++at;
  while (at < rest.size() && is_digit(rest[at])) ++at;
  if (at < rest.size()) return std::nullopt;
  return interpret_suffix(rest);
}

}  // namespace

std::optional<WrittenQuantity> WrittenQuantity::split(std::string_view text) {
  if (text.empty()) return std::nullopt;
  WrittenQuantity parts;
  std::size_t at = 0;
  if (text[0] == '-' || text[0] == '+') {
    parts.negative = text[0] == '-';
    ++at;
  }
  const std::size_t start = at;
  while (at < text.size() && text[at] == '0') ++at;
  const std::size_t whole = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  parts.whole = text.substr(whole, at - whole);
  parts.has_digit = at > start;
  if (at < text.size() && text[at] == '.') {
    const std::size_t dot = at++;
    while (at < text.size() && is_digit(text[at])) ++at;
    parts.fraction = text.substr(dot + 1, at - dot - 1);
    parts.has_digit |= !parts.fraction.empty();
  }
  const auto suffix = split_suffix(text.substr(at));
  if (!suffix) return std::nullopt;
  parts.base = suffix->base;
  parts.exponent = suffix->exponent;
  return parts;
}

/// Upstream's ways to read a written amount.
class QuantityParser {
 public:
  explicit QuantityParser(const WrittenQuantity& parts)
      : negative_(parts.negative),
        has_digit_(parts.has_digit),
        whole_(parts.whole),
        fraction_(parts.fraction),
        suffix_{parts.base, parts.exponent} {}

  std::optional<Quantity> read() const;

 private:
  std::optional<Quantity> read_fast() const;
  std::optional<Quantity> read_decimal() const;
  Quantity read_binary() const;
  Int128 signed_amount(Int128 amount) const { return negative_ ? -amount : amount; }

  bool negative_;
  bool has_digit_;
  std::string_view whole_;  ///< Without leading zeros.
  std::string_view fraction_;
  Suffix suffix_;
};

std::optional<Quantity> QuantityParser::read() const {
  if (auto quantity = read_fast()) return quantity;
  if (!has_digit_) return std::nullopt;
  return suffix_.base == 2 ? read_binary() : read_decimal();
}

/// Upstream's fast path: amounts that surely fit an int64 with a decimal scale. Like upstream it accepts a
/// number without any digit ("k", "."), which is 0.
std::optional<Quantity> QuantityParser::read_fast() const {
  const int whole_digits = std::max(1, static_cast<int>(std::min<std::size_t>(whole_.size(), 100)));
  const int digits = whole_digits + static_cast<int>(std::min<std::size_t>(fraction_.size(), 100));
  const bool binary = suffix_.base == 2;
  if (binary && (!fraction_.empty() || 15 - whole_digits - suffix_.exponent * 3 / 10 - 1 < 0))
    return std::nullopt;
  if (!binary && digits > kFastDigits) return std::nullopt;
  const std::int64_t fraction_digits = static_cast<std::int64_t>(fraction_.size());
  const std::int32_t scale = wrap_int32((binary ? 0 : suffix_.exponent) - fraction_digits);
  if (scale < -9) return std::nullopt;

  Int128 amount = 0;
  for (const char digit : whole_) amount = amount * 10 + (digit - '0');
  for (const char digit : fraction_) amount = amount * 10 + (digit - '0');
  if (binary) amount <<= suffix_.exponent;
  if (!fits_int64(amount)) return std::nullopt;
  if (amount == 0) return Quantity();
  // Here the scale is above 10. Upstream gives 0 there for an amount that does not fit.
  if (scale > kLimitPower - 9 || amount > power_of_ten(kLimitPower - 9 - scale)) {
    return Quantity::huge(negative_, 0, 0);
  }
  return Quantity(signed_amount(amount) * power_of_ten(scale + 9), Quantity::Form::kScaled,
                  static_cast<std::int8_t>(scale));
}

/// Upstream's path for other amounts with a decimal suffix: any number of digits, and no cap.
std::optional<Quantity> QuantityParser::read_decimal() const {
  Digits nanos{std::string(whole_).append(fraction_)};
  if (nanos.is_zero()) return Quantity();
  const std::int32_t negated = wrap_int32(-static_cast<std::int64_t>(suffix_.exponent));
  const std::int32_t scale = wrap_int32(static_cast<std::int64_t>(fraction_.size()) + negated);
  nanos.shift(9 - static_cast<std::int64_t>(scale));
  if (const auto exact = nanos.exact()) return Quantity(signed_amount(*exact), Quantity::Form::kDecimal, 0);
  if (!negative_) return Quantity::huge(false, nanos.low_bits_of_quotient(9), nanos.low_bits_of_quotient(6));
  // Below zero upstream divides only the last 64 bits, and rounds up instead of away from zero.
  const std::int64_t bits =
      static_cast<std::int64_t>(-static_cast<std::uint64_t>(nanos.low_bits_of_quotient(0)));
  return Quantity::huge(true, bits / 1'000'000'000 + (bits % 1'000'000'000 != 0),
                        bits / 1'000'000 + (bits % 1'000'000 != 0));
}

/// Upstream's path for a binary suffix with a fraction or many digits. The amount is rounded away from zero
/// to a nano, and capped.
Quantity QuantityParser::read_binary() const {
  constexpr Int128 kCap = static_cast<Int128>(kMaxInt64) * 1'000'000'000;
  const Quantity capped(signed_amount(kCap), Quantity::Form::kScaled, 0);
  if (whole_.size() > 19) return capped;
  Int128 whole = 0;
  for (const char digit : whole_) whole = whole * 10 + (digit - '0');
  if (whole > (static_cast<Int128>(1) << 63) >> suffix_.exponent) return capped;
  // The digits are taken from the right. Rounding up at each step equals rounding up once.
  const Int128 unit = (static_cast<Int128>(1) << suffix_.exponent) * 1'000'000'000;
  Int128 fraction = 0;
  for (auto digit = fraction_.rbegin(); digit != fraction_.rend(); ++digit) {
    fraction = divide_away_from_zero((*digit - '0') * unit + fraction, 10);
  }
  const Int128 nanos = whole * unit + fraction;
  if (nanos > kCap) return capped;
  return Quantity(signed_amount(nanos), Quantity::Form::kDecimal, 0);
}

std::optional<Quantity> Quantity::parse(std::string_view text) {
  const auto parts = WrittenQuantity::split(text);
  if (!parts) return std::nullopt;
  return QuantityParser(*parts).read();
}

Quantity Quantity::huge(bool negative, std::int64_t value, std::int64_t milli_value) {
  const UInt128 bits = static_cast<UInt128>(static_cast<std::uint64_t>(value)) << 64 |
                       static_cast<UInt128>(static_cast<std::uint64_t>(milli_value));
  return Quantity(static_cast<Int128>(bits), negative ? Form::kHugeNegative : Form::kHuge, 0);
}

std::int64_t Quantity::scaled_value(int scale) const {
  if (is_huge()) return scale == 0 ? low_bits(nanos_ >> 64) : low_bits(nanos_);
  const std::int64_t unit = scale == 0 ? kNano : kNano / 1000;
  if (form_ == Form::kDecimal) return decimal_value(unit);
  const Int128 scaled = divide_away_from_zero(nanos_, unit);
  if (fits_int64(scaled) || wraps_on_overflow(scale_ - scale)) return low_bits(scaled);
  return 0;
}

/// Upstream's scaledValue. Below zero it divides the last 64 bits of the nanos, or of the thousandths, and
/// rounds up instead of away from zero.
std::int64_t Quantity::decimal_value(std::int64_t unit) const {
  if (nanos_ >= 0) return low_bits(divide_away_from_zero(nanos_, unit));
  const std::int64_t digit = scale_ == kMilliScale ? kNano / 1000 : 1;
  const std::int64_t bits = low_bits(nanos_ / digit);
  const std::int64_t divisor = unit / digit;
  return bits / divisor + (bits % divisor != 0);
}

// Upstream keeps a big decimal with as many digits as it was rounded to, and a capped amount is one. A huge
// amount keeps its results. Rounding first does not change them, but for those of a written fraction below
// zero.
void Quantity::round_up_to_millis() {
  constexpr Int128 kCap = static_cast<Int128>(kMaxInt64) * kNano;
  const bool capped = nanos_ == kCap || nanos_ == -kCap;
  if (is_huge() || (form_ == Form::kScaled && scale_ >= kMilliScale && !capped)) return;
  if (capped) form_ = Form::kDecimal;
  constexpr std::int64_t kMilli = kNano / 1000;
  nanos_ = divide_away_from_zero(nanos_, kMilli) * kMilli;
  scale_ = kMilliScale;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (other.is_zero()) return *this;
  if (is_zero()) return *this = other;
  if (is_huge() || other.is_huge()) {
    const auto sum = [](std::int64_t a, std::int64_t b) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    };
    const bool negative = (is_huge() ? *this : other).form_ == Form::kHugeNegative;
    return *this = huge(negative, sum(value(), other.value()), sum(milli_value(), other.milli_value()));
  }
  const auto has_nanos = [](const Quantity& one) {
    return one.form_ == Form::kDecimal && one.scale_ != kMilliScale;
  };
  const bool nanos = has_nanos(*this) || has_nanos(other);
  nanos_ += other.nanos_;
  scale_ = std::min(scale_, other.scale_);
  const bool scaled =
      form_ == Form::kScaled && other.form_ == Form::kScaled && fits_int64(nanos_ / power_of_ten(scale_ + 9));
  form_ = scaled ? Form::kScaled : Form::kDecimal;
  if (nanos) scale_ = 0;
  const Int128 limit = power_of_ten(kLimitPower);
  if (nanos_ > limit || nanos_ < -limit) {
    *this = huge(nanos_ < 0, decimal_value(kNano), decimal_value(kNano / 1000));
  }
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  if (!other.is_huge()) return *this += Quantity(-other.nanos_, other.form_, other.scale_);
  const auto negated = [](std::int64_t number) {
    return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(number));
  };
  return *this += huge(other.form_ == Form::kHuge, negated(other.value()), negated(other.milli_value()));
}

std::string Quantity::exact_text() const {
  if (is_huge()) return form_ == Form::kHuge ? "1e30" : "-1e30";
  const int exponent = form_ == Form::kScaled ? scale_ : -9;
  Int128 number = nanos_ / power_of_ten(exponent + 9);
  std::string text;
  const bool negative = number < 0;
  do {
    const auto digit = static_cast<int>(number % 10);
    text += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    number /= 10;
  } while (number != 0);
  if (negative) text += '-';
  std::ranges::reverse(text);
  return text.append("e").append(std::to_string(exponent));
}

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
  if (Quantity::of_units(units) != amount) {
    const bool has_more_digits = Quantity::of_millis(amount.milli_value()) != amount && !amount.is_huge();
    const Int128 most = std::numeric_limits<std::int64_t>::max();
    if (!has_more_digits || amount.nanos_ > most || amount.nanos_ < -most)
      return std::to_string(amount.milli_value()) + "m";
    const auto nanos = static_cast<std::int64_t>(amount.nanos_);
    return nanos % 1000 == 0 ? std::to_string(nanos / 1000) + "u" : std::to_string(nanos) + "n";
  }
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
