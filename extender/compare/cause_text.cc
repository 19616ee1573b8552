#include "extender/compare/cause_text.h"

#include <array>
#include <format>
#include <string_view>

namespace winnow {
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

std::string turn_text(const ChoiceTurn& turn, const Comparison& of) {
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
