// Resource amounts with the exact arithmetic of apimachinery's resource.Quantity.
// Upstream: k8s.io/apimachinery v0.37.0, pkg/api/resource/{quantity,amount,math,scale_int,suffix}.go.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow {

__extension__ using Int128 = __int128;

/// The parts of a written amount, each as it stands in the text.
struct WrittenQuantity {
  /// @return the parts; nothing if the text is not a sign, digits, a dot, digits and a known suffix. There
  /// may be no digit at all, which is for the caller to judge.
  static std::optional<WrittenQuantity> split(std::string_view text);

  bool negative = false;
  bool has_digit = false;
  std::string_view whole;  ///< Without leading zeros.
  std::string_view fraction;
  int base = 10;  ///< Of the suffix: 2 or 10.
  std::int32_t exponent = 0;
};

/// An amount in nanos (10^-9 units). Finer digits are rounded away from zero to a nano. With a binary suffix
/// an amount is capped at the largest int64 of whole units. Amounts beyond 10^37 nanos compare as equal to
/// each other.
///
/// Upstream keeps an amount either as an int64 with a decimal scale or as a big decimal. The two differ in
/// how value() overflows, and in how it rounds below zero. So this class records which of them upstream has.
/// Copyable; no allocation.
class Quantity {
 public:
  constexpr Quantity() = default;

  /// Parses "100m", "1.5Gi", "1e3", ".5" or "-2": digits with an optional sign, dot and suffix. Blanks are
  /// errors. The time is linear in the length of the text, whatever the exponent.
  /// @return the amount; nothing if upstream's ParseQuantity gives an error.
  static std::optional<Quantity> parse(std::string_view text);

  static constexpr Quantity of_units(std::int64_t units) {
    return Quantity(static_cast<Int128>(units) * kNano, Form::kScaled, 0);
  }
  static constexpr Quantity of_millis(std::int64_t millis) {
    return Quantity(static_cast<Int128>(millis) * (kNano / 1000), Form::kScaled, -3);
  }

  /// The amount in whole units, rounded like Quantity.Value(): away from zero, but a negative big decimal
  /// rounds up. For an amount that does not fit, upstream's result: 0 or wrapped, depending on how it was
  /// written.
  std::int64_t value() const { return scaled_value(0); }
  /// The amount in thousandths, as by Quantity.MilliValue(). It rounds and overflows like value().
  std::int64_t milli_value() const { return scaled_value(-3); }
  /// The amount as the nearest number, or nearly. Beyond 10^37 nanos: 1e28, with its sign.
  constexpr double as_double() const {
    if (is_huge()) return form_ == Form::kHuge ? 1e28 : -1e28;
    return static_cast<double>(nanos_) / 1e9;
  }
  constexpr bool is_zero() const { return nanos_ == 0 && !is_huge(); }

  /// Rounds away from zero to thousandths, as Quantity.RoundUp(Milli).
  void round_up_to_millis();

  /// Adds exactly, as Quantity.Add.
  Quantity& operator+=(const Quantity& other);
  /// Subtracts exactly, as Quantity.Sub.
  Quantity& operator-=(const Quantity& other);

  constexpr std::weak_ordering operator<=>(const Quantity& other) const {
    if (rank() != other.rank()) return rank() <=> other.rank();
    if (is_huge()) return std::weak_ordering::equivalent;
    return nanos_ <=> other.nanos_;
  }
  constexpr bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  /// Whether it is kept as an int64 with a decimal scale, as amounts with few digits are.
  constexpr bool is_scaled() const { return form_ == Form::kScaled; }
  /// The digits and the power of ten as upstream keeps them: "15e-1". parse() of it gives an equal amount. A
  /// huge one gives "1e30" or "-1e30".
  std::string exact_text() const;

  /// Two numbers that are equal for equal amounts, and differ for others; to be hashed.
  constexpr std::array<std::uint64_t, 2> digits() const {
    if (is_huge()) return {static_cast<std::uint64_t>(rank()), ~std::uint64_t{0} >> 1};
    return {static_cast<std::uint64_t>(nanos_), static_cast<std::uint64_t>(nanos_ >> 64)};
  }

 private:
  friend class QuantityParser;

  enum class Form : std::int8_t {
    kScaled,        ///< An int64 times 10^scale_.
    kDecimal,       ///< A big decimal, kept in nanos.
    kHuge,          ///< Beyond 10^37 nanos. The halves of nanos_ hold value() (high) and milli_value() (low).
    kHugeNegative,  ///< The same below zero.
  };

  static constexpr std::int64_t kNano = 1'000'000'000;

  constexpr Quantity(Int128 nanos, Form form, std::int8_t scale)
      : nanos_(nanos), form_(form), scale_(scale) {}
  static Quantity huge(bool negative, std::int64_t value, std::int64_t milli_value);

  constexpr bool is_huge() const { return form_ == Form::kHuge || form_ == Form::kHugeNegative; }
  constexpr int rank() const { return form_ == Form::kHuge ? 1 : form_ == Form::kHugeNegative ? -1 : 0; }
  friend std::string quantity_text(const Quantity& amount);
  std::int64_t scaled_value(int scale) const;
  std::int64_t decimal_value(std::int64_t unit) const;

  Int128 nanos_ = 0;
  Form form_ = Form::kScaled;
  std::int8_t scale_ = 0;
};

/// The amount as a person writes it: "1500m", "2", "3Gi", "2G". Upstream knows whether it was written in the
/// binary way or the decimal way, and here that is not known any more. The way with the smaller number is
/// taken, so that a sum of both ways may be told otherwise.
std::string quantity_text(const Quantity& amount);

}  // namespace winnow
