#include "extender/compare/cause_book.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace winnow {
namespace {

/// Texts that are equal where kind and rules are. A pod that fails as a whole has no rule: its text counts.
std::string key_of(const ChoiceTurn& turn) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(turn.kind)));
  for (const std::size_t side : {kA, kB}) {
    for (const RuleRefusal& refusal : turn.refuses[side])
      key += '\n' + (refusal.rule.empty() ? '!' + refusal.reason : refusal.rule);
    key += '\0';
  }
  std::vector<std::string> rules;
  for (const ScoreChange& change : turn.changes) rules.push_back(change.rule);
  std::ranges::sort(rules);
  for (const std::string& rule : rules) key += '\n' + rule;
  return key;
}

}  // namespace

std::uint32_t CauseBook::number_of(const ChoiceTurn& turn) {
  const auto [it, is_new] = numbers_.try_emplace(key_of(turn), static_cast<std::uint32_t>(causes_.size()));
  if (is_new) causes_.push_back({.turn = turn});
  return it->second;
}

void CauseBook::finish(Comparison& result) {
  for (ComparedPod& pod : result.pods) {
    if (!pod.differs()) pod.cause = kNone;
    if (pod.cause != kNone) ++causes_[pod.cause].pods;
  }
  std::vector<std::uint32_t> order(causes_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t cause) { return causes_[cause].pods; });
  std::vector<std::uint32_t> number(causes_.size(), kNone);
  for (const std::uint32_t cause : order) {
    if (causes_[cause].pods == 0) break;
    number[cause] = static_cast<std::uint32_t>(result.causes.size());
    result.causes.push_back(std::move(causes_[cause]));
  }
  for (ComparedPod& pod : result.pods)
    if (pod.cause != kNone) pod.cause = number[pod.cause];
}

std::uint32_t TextBook::number_of(const std::string& text) {
  const auto [it, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return it->second;
}

}  // namespace winnow
