// What a predicate says of one node.
#pragma once

#include <cstdint>

namespace winnow {

enum class Fit : std::uint8_t {
  kFits,
  kUnschedulable,  ///< Does not fit; evicting pods might help.
  kUnresolvable,   ///< Does not fit, and evicting pods cannot help.
  kError,          ///< The rule cannot judge the node: the call fails, if upstream would have come here.
};

/// A verdict in eight bytes: the fit, and which of the rule's reasons hold, as a set of bit numbers.
/// The texts belong to the bound rule (Predicate::reasons()); they are looked up when somebody reads them.
class Verdict {
 public:
  static constexpr unsigned kMaxReasons = 62;

  constexpr Verdict() = default;  ///< Fits.
  static constexpr Verdict of(Fit fit, std::uint64_t reasons) {
    Verdict verdict;
    verdict.bits_ = static_cast<std::uint64_t>(fit) << kMaxReasons | reasons;
    return verdict;
  }
  /// The verdict of a rule with one reason: fits, or fails with reason 0.
  static constexpr Verdict one(bool fits, Fit otherwise) { return fits ? Verdict() : of(otherwise, 1); }

  constexpr bool fits() const { return bits_ == 0; }
  constexpr Fit fit() const { return static_cast<Fit>(bits_ >> kMaxReasons); }
  constexpr std::uint64_t reasons() const { return bits_ & ((std::uint64_t{1} << kMaxReasons) - 1); }
  constexpr bool operator==(const Verdict&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace winnow
