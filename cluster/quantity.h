// Resource amounts, exact as apimachinery's resource.Quantity.
// Upstream: k8s.io/apimachinery v0.37.0, pkg/api/resource/{quantity,amount,math,scale_int,suffix}.go.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace winnow {

__extension__ using Int128 = __int128;

/// An amount with nano precision: finer digits round away from zero to a nano, and a binary suffix caps at
/// an int64 of whole units. Upstream keeps an amount either as an int64 with a decimal scale or as a big
/// decimal, and the two differ in how value() rounds below zero and overflows; so this class remembers
/// which one it is. Amounts beyond 10^37 nanos compare as equal to each other. Copyable, no allocation.
class Quantity {
 public:
  constexpr Quantity() = default;

  /// Reads "100m", "1.5Gi", "1e3", ".5", "-2": digits with an optional sign, dot and suffix, and nothing
  /// around them. Time is linear in the text, whatever the exponent.
  /// @return the amount, or nothing where upstream's ParseQuantity gives an error.
  static std::optional<Quantity> parse(std::string_view text);

  static constexpr Quantity of_units(std::int64_t units) {
    return Quantity(static_cast<Int128>(units) * kNano, Form::kScaled, 0);
  }
  static constexpr Quantity of_millis(std::int64_t millis) {
    return Quantity(static_cast<Int128>(millis) * (kNano / 1000), Form::kScaled, -3);
  }

  /// Whole units, rounded up (away from zero), as Quantity.Value(). What does not fit comes out as
  /// upstream's does: 0 or wrapped, depending on how the amount was written.
  std::int64_t value() const { return scaled_value(0); }
  /// Thousandths, rounded up (away from zero), as Quantity.MilliValue(); overflows like value().
  std::int64_t milli_value() const { return scaled_value(-3); }
  constexpr bool is_zero() const { return nanos_ == 0 && !is_huge(); }

  /// Exact, as Quantity.Add.
  Quantity& operator+=(const Quantity& other);

  constexpr std::weak_ordering operator<=>(const Quantity& other) const {
    if (rank() != other.rank()) return rank() <=> other.rank();
    if (is_huge()) return std::weak_ordering::equivalent;
    return nanos_ <=> other.nanos_;
  }
  constexpr bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

 private:
  friend class QuantityParser;

  enum class Form : std::int8_t {
    kScaled,        ///< An int64 times ten to the scale_.
    kDecimal,       ///< A big decimal, kept in nanos.
    kHuge,          ///< Beyond the limit; nanos_ holds the two answers instead, value() in the high half.
    kHugeNegative,  ///< The same below zero.
  };

  static constexpr std::int64_t kNano = 1'000'000'000;

  constexpr Quantity(Int128 nanos, Form form, std::int8_t scale)
      : nanos_(nanos), form_(form), scale_(scale) {}
  static Quantity huge(bool negative, std::int64_t value, std::int64_t milli_value);

  constexpr bool is_huge() const { return form_ == Form::kHuge || form_ == Form::kHugeNegative; }
  constexpr int rank() const { return form_ == Form::kHuge ? 1 : form_ == Form::kHugeNegative ? -1 : 0; }
  std::int64_t scaled_value(int scale) const;
  std::int64_t decimal_value(std::int64_t unit) const;

  Int128 nanos_ = 0;
  Form form_ = Form::kScaled;
  std::int8_t scale_ = 0;
};

}  // namespace winnow
