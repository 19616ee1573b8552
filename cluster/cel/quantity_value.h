// Amounts as Kubernetes' CEL library quantity computes with them.
// Upstream: k8s.io/apiserver v0.37.2, pkg/cel/library/quantity.go, and k8s.io/apimachinery v0.37.2,
// pkg/api/resource/{quantity,amount,math}.go.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace winnow::cel {

/// An amount with as many digits as it was written with; `Quantity` of cluster/api keeps nanos alone.
/// Upstream keeps it as an int64 with a decimal scale, or as a big decimal. Which of them decides isInteger,
/// asInteger and how asApproximateFloat rounds, so it is kept here, too. A big decimal allocates.
class QuantityValue {
 public:
  /// @return the amount, or one line that says what is wrong, as by upstream's ParseQuantity.
  static std::expected<QuantityValue, std::string> parse(std::string_view text);

  static QuantityValue of_units(std::int64_t units) { return QuantityValue(units, 0); }

  /// -1, 0 or 1.
  int sign() const;
  /// The amount in units; nothing unless it is kept as an int64 and is whole as it was written: "1000m" is
  /// not.
  std::optional<std::int64_t> as_integer() const;
  /// As upstream's AsApproximateFloat64, which rounds twice.
  double as_approximate_float() const;

  /// Exact sums. @return nothing where the result would have more than 100,000 digits.
  std::optional<QuantityValue> plus(const QuantityValue& other) const { return add(other, false); }
  std::optional<QuantityValue> minus(const QuantityValue& other) const { return add(other, true); }

  /// Whether it is the result of a sum. Upstream's `a == b` is an error, "no such overload", where b is such
  /// a result; it is no error where a is.
  bool is_sum() const { return is_sum_; }

  std::weak_ordering operator<=>(const QuantityValue& other) const;
  bool operator==(const QuantityValue& other) const { return (*this <=> other) == 0; }

  /// The digits without zeros at the end, and the power of ten: "15e-1". Equal amounts have equal texts.
  std::string canonical_text() const;

 private:
  /// Digits times 10^exponent. Zero has no digits; else the first one is not 0.
  struct Decimal {
    bool is_negative = false;
    std::string digits;
    std::int64_t exponent = 0;

    int sign() const { return digits.empty() ? 0 : is_negative ? -1 : 1; }
    /// Appends zeros until the exponent is this one. @return whether there are not too many.
    bool lower_exponent(std::int64_t to);
    void round_up_to_nanos();
  };

  QuantityValue(std::int64_t value, std::int32_t scale) : value_(value), scale_(scale) {}
  explicit QuantityValue(Decimal decimal) : decimal_(std::move(decimal)) {}

  static std::optional<Decimal> sum(Decimal a, Decimal b);
  Decimal decimal() const;
  std::optional<QuantityValue> add(const QuantityValue& other, bool negated) const;
  bool add_scaled(std::int64_t value, std::int32_t scale);

  std::int64_t value_ = 0;
  std::int32_t scale_ = 0;          ///< The power of ten.
  std::optional<Decimal> decimal_;  ///< The amount, where upstream has a big decimal.
  bool is_sum_ = false;
};

}  // namespace winnow::cel
