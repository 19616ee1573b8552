#include "cluster/rule/reasons.h"

#include <bit>
#include <format>
#include <span>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

/// The numbers of the reasons whose bits are set.
template <class Visit>
void visit_bits(Verdict verdict, const Visit& visit) {
  for (std::uint64_t left = verdict.reasons(); left != 0; left &= left - 1)
    visit(static_cast<std::size_t>(std::countr_zero(left)));
}

/// How many of the texts are told.
std::size_t told(const std::vector<std::string_view>& texts) {
  std::size_t count = 0, bytes = 0;
  while (count < std::min(texts.size(), kMostReasons)) {
    bytes += texts[count].size();
    if (bytes > kMostReasonBytes) break;
    ++count;
  }
  return count;
}

/// Leaves what is told. @param more  how many reasons there are besides the texts.
void limit(std::vector<std::string_view>& texts, std::size_t more, const ReasonLists& lists) {
  std::size_t count = told(texts);
  if (count == 0 && !texts.empty()) texts[count++] = lists.keep(shortened(texts.front()));
  more += texts.size() - count;
  texts.resize(count);
  if (more > 0) texts.push_back(lists.keep(std::format("and {} more reason{}", more, more == 1 ? "" : "s")));
}

}  // namespace

Verdict ReasonLists::verdict(Fit fit, ReasonList reasons) {
  const MutexLock lock(mutex_);
  const auto [place, is_new] = numbers_.try_emplace(std::move(reasons), lists_.size());
  if (is_new) lists_.push_back(place);
  return Verdict::listed(fit, place->second);
}

const ReasonList& ReasonLists::list(Verdict verdict) const {
  const MutexLock lock(mutex_);
  return lists_[verdict.list()]->first;
}

std::string_view ReasonLists::keep(std::string text) const {
  const MutexLock lock(mutex_);
  return *kept_.insert(std::move(text)).first;
}

ReasonList reason_list_of(const Predicate* rule, Verdict verdict, const ReasonLists& lists) {
  if (verdict.is_listed()) return lists.list(verdict);
  ReasonList list;
  visit_bits(verdict, [&](std::size_t reason) { list.texts.push_back(rule->reasons()[reason]); });
  return list;
}

std::vector<std::string_view> reasons_of(const Predicate* rule, Verdict verdict, const ReasonLists& lists) {
  std::vector<std::string_view> texts;
  std::size_t more = 0;
  if (verdict.is_listed()) {
    const ReasonList& list = lists.list(verdict);
    texts.assign(list.texts.begin(), list.texts.end());
    more = list.more;
  } else {
    const std::span<const std::string> reasons = rule->reasons();
    visit_bits(verdict, [&](std::size_t reason) { texts.emplace_back(reasons[reason]); });
  }
  limit(texts, more, lists);
  return texts;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kMostReasonBytes) return std::string(text);
  constexpr std::string_view kDots = "…";
  return std::string(utf8_prefix(text, kMostReasonBytes - kDots.size())).append(kDots);
}

}  // namespace winnow
