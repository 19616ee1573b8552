// Why two configurations choose two nodes for one pod, on the same state of the cluster.
//
// extender/compare places the same pods under two configurations, and says which rules made the difference.
// It knows no flags and prints nothing.
//
//   turn.h          one pod: the rules that turn one choice into the other
//   pod_detail.h    one pod: all that both say of two nodes
//   compare.h       all pods, placed one after another (compare_placing.cc); or those that run, each by
//   itself
//                   (compare_placed.cc)
//   take_back.h     a state, as it was before pods were placed
//   comparison.h    what was found
//   cause_text.h    a cause in words
//   report_table.h  the comparison for people, report_json.h for programs
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extender/simulate/choose.h"

namespace winnow {

/// The two sides of a comparison. Arrays by side have two elements.
inline constexpr std::size_t kA = 0, kB = 1;

/// What makes the difference.
enum class TurnKind : std::uint8_t {
  kRefused,    ///< A side refuses the other's node, or the pod as a whole.
  kScores,     ///< Both take both nodes, and score them otherwise.
  kNominated,  ///< One side tries the pod's nominated node first, and takes it.
  kDraw,       ///< Both have equal totals for both nodes: the draw is another.
  kEarlier,    ///< None on this state: pods before this one went elsewhere.
};

/// A rule that refuses a node.
struct RuleRefusal {
  std::string rule;    ///< As configured; "": no rule, the pod fails as a whole.
  std::string reason;  ///< In upstream's words; several with ", " between them.
  bool operator==(const RuleRefusal&) const = default;
};

/// What one rule gives B's node more than A's, under B compared with A.
struct ScoreChange {
  std::string rule;
  std::int64_t by = 0;                    ///< The difference of the differences, weighted.
  std::optional<std::int64_t> weight[2];  ///< By side; nothing: it has no such rule.
  bool operator==(const ScoreChange& other) const = default;
};

struct ChoiceTurn {
  TurnKind kind = TurnKind::kEarlier;
  std::vector<RuleRefusal> refuses[2];  ///< By side: the rules that refuse the other side's node.
  std::vector<ScoreChange> changes;  ///< kScores: the smallest set that turns the choice, the largest first.
};

/// A choice, and the view that it was made in.
struct Asked {
  const View& view;
  const Choice& choice;
  std::string node() const {
    return choice.node == kNone ? std::string() : std::string(view.node_name(choice.node));
  }
};

/// How both sides have chosen among nodes of equal total.
struct TieRule {
  bool drawn = false;   ///< By a draw; else the first by name was taken.
  std::string stays{};  ///< Taken before all others; "": none.
};

/// The rules that turn A's choice into B's. The choices differ.
/// @param a, b  on views of the same cluster; their ids may differ.
ChoiceTurn turn_between(const Pod& pod, const Asked& a, const Asked& b, const TieRule& ties);
/// The rules that make a pod leave its node for another.
/// @param now  the name of its node. @param there  the choice, which is another node or none.
ChoiceTurn turn_from(const Pod& pod, const std::string& now, const Asked& there);

/// The rules that refuse a node, all of them. @param engine  null: no profile is for the pod.
std::vector<RuleRefusal> refusals_of(const Engine* engine, const View& view, const Pod& pod,
                                     const std::string& node);
/// The weighted score of a rule for a node; nothing where the node was not scored.
/// @param rule  an index of the engine's priorities.
std::optional<std::int64_t> weighted_score(const Asked& asked, std::size_t rule, const std::string& node);

}  // namespace winnow
