// A predicate's verdict on one node.
#pragma once

#include <cstdint>

namespace winnow {

enum class Fit : std::uint8_t {
  kFits,
  kUnschedulable,  ///< Does not fit; evicting pods might help.
  kUnresolvable,   ///< Does not fit, and evicting pods cannot help.
  kError,          ///< The rule fails on the node. The call fails if upstream would have got to this rule.
};

/// A verdict in eight bytes: the fit in the two upper bits, then whether it is listed, and the reasons. These
/// are one bit for each of the bound rule's reasons (Predicate::reasons()). In a listed verdict they are the
/// number of a list of texts (ReasonLists). The texts are looked up when they are read: see reasons_of().
class Verdict {
 public:
  /// Reasons with lower numbers have a bit.
  static constexpr unsigned kMaxReasons = 61;

  constexpr Verdict() = default;  ///< Fits.
  static constexpr Verdict of(Fit fit, std::uint64_t reasons) {
    Verdict verdict;
    verdict.bits_ = static_cast<std::uint64_t>(fit) << kFitShift | reasons;
    return verdict;
  }
  static constexpr Verdict listed(Fit fit, std::uint64_t list) { return of(fit, kListed | list); }
  /// The verdict of a rule with one reason. @param otherwise  the fit if it fails, with reason 0.
  static constexpr Verdict one(bool fits, Fit otherwise) { return fits ? Verdict() : of(otherwise, 1); }

  constexpr bool fits() const { return bits_ == 0; }
  constexpr Fit fit() const { return static_cast<Fit>(bits_ >> kFitShift); }
  constexpr bool is_listed() const { return (bits_ & kListed) != 0; }
  /// The bits of the reasons. Requires a verdict that is not listed.
  constexpr std::uint64_t reasons() const { return bits_ & (kListed - 1); }
  /// The number of the list. Requires a listed verdict.
  constexpr std::uint64_t list() const { return bits_ & (kListed - 1); }
  constexpr bool operator==(const Verdict&) const = default;
  /// All of it as a number; equal for equal verdicts.
  constexpr std::uint64_t bits() const { return bits_; }

 private:
  static constexpr unsigned kFitShift = 62;
  static constexpr std::uint64_t kListed = std::uint64_t{1} << kMaxReasons;

  std::uint64_t bits_ = 0;
};

}  // namespace winnow
