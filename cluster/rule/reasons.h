// The texts of the reasons that verdicts give.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/rule/predicate.h"
#include "cluster/rule/verdict.h"

namespace winnow {

/// The lists of reasons of one call's listed verdicts. A rule lists the reasons of a verdict if it has more
/// of them than a verdict has bits, or if their texts depend on the node. All rules that are bound for a call
/// share the lists, also those that are bound again with nominated pods. Safe to use from any thread.
class ReasonLists {
 public:
  /// A listed verdict with these texts, in order. Equal fits and lists give equal verdicts. It takes a lock.
  /// @param fit  not kFits.
  Verdict verdict(Fit fit, std::vector<std::string> texts);
  /// The texts of a listed verdict that this object has made. They are valid as long as the object.
  const std::vector<std::string>& texts(Verdict verdict) const;

 private:
  using Numbers = std::map<std::vector<std::string>, std::uint64_t>;

  mutable Mutex mutex_;
  Numbers numbers_ WINNOW_GUARDED_BY(mutex_);
  std::vector<Numbers::const_iterator> lists_ WINNOW_GUARDED_BY(mutex_);  ///< By number.
};

/// The texts of a verdict, in order. The rule or `lists` owns them.
/// @param rule  the bound rule that gave the verdict, or one with equal reasons; may be null if it is listed.
std::vector<std::string_view> reasons_of(const Predicate* rule, Verdict verdict, const ReasonLists& lists);

}  // namespace winnow
