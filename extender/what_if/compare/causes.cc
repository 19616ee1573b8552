#include "extender/what_if/compare/causes.h"

#include <algorithm>
#include <array>
#include <format>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

namespace winnow {
namespace {

/// Texts that are equal where kind and rules are. A pod that fails as a whole has no rule: its text counts.
std::string key_of(const ChoiceDifference& turn) {
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

std::uint32_t CauseBook::number_of(const ChoiceDifference& turn) {
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

namespace {

std::string refusal_text(const std::vector<RuleRefusal>& refusals, std::size_t side, const Comparison& of) {
  const std::string& who = of.label[side];
  if (refusals.front().rule.empty()) return who + " fails the pod as a whole: " + refusals.front().reason;
  std::string text =
      who + " refuses " + (of.one_sided ? "the node it is on" : of.label[1 - side] + "'s node") + ": ";
  bool is_first = true;
  for (const RuleRefusal& refusal : refusals) {
    text += (is_first ? "" : "; ") + refusal.rule;
    if (!refusal.reason.empty()) text += " (" + refusal.reason + ')';
    is_first = false;
  }
  return text;
}

}  // namespace

std::string_view to_string(TurnKind kind) {
  constexpr std::array<std::string_view, 5> kWords = {"refused", "scores", "nominated", "draw", "earlier"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string change_text(const ScoreChange& change, const Comparison& of) {
  const auto& [a, b] = change.weight;
  if (of.one_sided) return std::format("{} (weight {})", change.rule, b.value_or(0));
  if (!a) return std::format("{} (only under {}, weight {})", change.rule, of.label[kB], b.value_or(0));
  if (!b) return std::format("{} (only under {}, weight {})", change.rule, of.label[kA], *a);
  if (*a == *b) return std::format("{} (weight {} under both)", change.rule, *a);
  return std::format("{} (weight {} under {}, {} under {})", change.rule, *a, of.label[kA], *b, of.label[kB]);
}

std::string turn_text(const ChoiceDifference& turn, const Comparison& of) {
  std::string text;
  switch (turn.kind) {
    case TurnKind::kRefused:
      for (const std::size_t side : {kB, kA})
        if (!turn.refuses[side].empty())
          text += (text.empty() ? "" : "; ") + refusal_text(turn.refuses[side], side, of);
      return text;
    case TurnKind::kScores:
      for (const ScoreChange& change : turn.changes)
        text += (text.empty() ? "the scores of " : ", ") + change_text(change, of);
      return text;
    case TurnKind::kNominated:
      return "the nominated node, which one of them tries first and alone";
    case TurnKind::kDraw:
      return "equal totals under both: the draw among equal nodes is another";
    case TurnKind::kEarlier:
      return "both choose alike, but pods before it went to other nodes";
  }
  return text;
}

}  // namespace winnow
