#include "cluster/rule/reasons.h"

#include <bit>
#include <cstddef>
#include <span>
#include <utility>

namespace winnow {

Verdict ReasonLists::verdict(Fit fit, std::vector<std::string> texts) {
  const MutexLock lock(mutex_);
  const auto [place, is_new] = numbers_.try_emplace(std::move(texts), lists_.size());
  if (is_new) lists_.push_back(place);
  return Verdict::listed(fit, place->second);
}

const std::vector<std::string>& ReasonLists::texts(Verdict verdict) const {
  const MutexLock lock(mutex_);
  return lists_[verdict.list()]->first;
}

std::vector<std::string_view> reasons_of(const Predicate* rule, Verdict verdict, const ReasonLists& lists) {
  if (verdict.is_listed()) {
    const std::vector<std::string>& texts = lists.texts(verdict);
    return {texts.begin(), texts.end()};
  }
  std::vector<std::string_view> texts;
  const std::span<const std::string> reasons = rule->reasons();
  for (std::uint64_t left = verdict.reasons(); left != 0; left &= left - 1)
    texts.emplace_back(reasons[static_cast<std::size_t>(std::countr_zero(left))]);
  return texts;
}

}  // namespace winnow
