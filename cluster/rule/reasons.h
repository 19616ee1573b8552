// The texts of the reasons that verdicts give.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/rule/rule.h"

namespace winnow {

/// The most reasons that are told of a node, and the most bytes of them. A line says how many more there are.
/// A pod may ask for thousands of resources that no node has: to tell each of them of each node would take
/// much more room than the request. Real pods have a few reasons a node.
inline constexpr std::size_t kMostReasons = 32;
inline constexpr std::size_t kMostReasonBytes = 4096;

/// The reasons of one verdict, in order.
struct ReasonList {
  std::vector<std::string> texts;
  std::size_t more = 0;  ///< How many there are besides the texts.

  ReasonList() = default;
  ReasonList(std::vector<std::string> all) : texts(std::move(all)) {}
  ReasonList(std::initializer_list<std::string> all) : texts(all) {}
  /// Adds a reason. It is only counted if there are kMostReasons already.
  void add(std::string_view text) {
    if (texts.size() < kMostReasons)
      texts.emplace_back(text);
    else
      ++more;
  }
  bool empty() const { return texts.empty(); }
  auto operator<=>(const ReasonList&) const = default;
};

/// The lists of reasons of one call's listed verdicts. A rule lists the reasons of a verdict if it has more
/// of them than a verdict has bits, or if their texts depend on the node. All rules that are bound for a call
/// share the lists, also those that are bound again with nominated pods. Safe to use from any thread.
class ReasonLists {
 public:
  /// A listed verdict with these reasons. Equal fits and lists give equal verdicts. It takes a lock.
  /// @param fit  not kFits.
  Verdict verdict(Fit fit, ReasonList reasons);
  /// The reasons of a listed verdict that this object has made. They are valid as long as the object.
  const ReasonList& list(Verdict verdict) const;
  const std::vector<std::string>& texts(Verdict verdict) const { return list(verdict).texts; }
  /// Keeps a text. @return it, valid as long as the object.
  std::string_view keep(std::string text) const;

 private:
  using Numbers = std::map<ReasonList, std::uint64_t>;

  mutable Mutex mutex_;
  Numbers numbers_ WINNOW_GUARDED_BY(mutex_);
  std::vector<Numbers::const_iterator> lists_ WINNOW_GUARDED_BY(mutex_);  ///< By number.
  mutable std::set<std::string, std::less<>> kept_ WINNOW_GUARDED_BY(mutex_);
};

/// The reasons of a verdict, in order. @param rule  as for reasons_of().
ReasonList reason_list_of(const Predicate* rule, Verdict verdict, const ReasonLists& lists);

/// The texts that are told of a verdict, in order: of more than kMostReasons, or kMostReasonBytes, the first
/// ones and a line that counts the others. The rule or `lists` owns them.
/// @param rule  the bound rule that gave the verdict, or one with equal reasons; may be null if it is listed.
std::vector<std::string_view> reasons_of(const Predicate* rule, Verdict verdict, const ReasonLists& lists);

/// A text of at most kMostReasonBytes: a longer one is cut, and ends in "…".
std::string shortened(std::string_view text);

}  // namespace winnow
