// The same pods under two configurations: which nodes both choose and why, and what a comparison has found.
//
// extender/what_if/compare places the same pods under two configurations, and says which rules made the
// difference. It knows no flags and prints nothing.
//
//   comparison.h         one pod: the rules that make the choices differ, and all that both say of
//                        two nodes; and what was found
//   compare.cc           all pods, placed one after another; or those that run, each by
//                        itself
//   state_snapshot.h     a state, as it was before pods were placed
//   causes.h             the causes, each once,
//                        and a cause in words
//   comparison_report.h  the comparison for people (comparison_table.cc),
//                        and for programs
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/expand/pod_set.h"
#include "cluster/state/view.h"
#include "extender/config/rules_difference.h"
#include "extender/what_if/simulate/result.h"
#include "extender/what_if/simulate/simulation.h"

namespace winnow {

class Engines;
class State;

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

struct ChoiceDifference {
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
ChoiceDifference turn_between(const Pod& pod, const Asked& a, const Asked& b, const TieRule& ties);
/// The rules that make a pod leave its node for another.
/// @param now  the name of its node. @param there  the choice, which is another node or none.
ChoiceDifference turn_from(const Pod& pod, const std::string& now, const Asked& there);

/// The rules that refuse a node, all of them. @param engine  null: no profile is for the pod.
std::vector<RuleRefusal> refusals_of(const Engine* engine, const View& view, const Pod& pod,
                                     const std::string& node);
/// The weighted score of a rule for a node; nothing where the node was not scored.
/// @param rule  an index of the engine's priorities.
std::optional<std::int64_t> weighted_score(const Asked& asked, std::size_t rule, const std::string& node);

// All that two configurations say of one pod and of the two nodes that matter.

/// A rule's weighted scores.
struct ScoreRow {
  std::string rule;
  std::optional<std::int64_t> weight[2];                 ///< By side; nothing: it has no such rule.
  std::array<std::optional<std::int64_t>, 2> scores[2];  ///< By side, by node; nothing: not scored.
};

/// What one side says of one node.
struct NodeSaid {
  std::vector<RuleRefusal> refusals;  ///< None: it fits.
  std::optional<std::int64_t> total;  ///< Nothing: not scored.
};

struct PodDetail {
  std::string pod;
  std::string chosen[2];  ///< By side, on the state that A's pods before have left; "": nowhere.
  std::string why[2];     ///< By side: why nowhere.
  /// B's node in its own run, "" for nowhere, where that is not chosen[kB]: pods before it went elsewhere.
  std::optional<std::string> in_own_run;
  /// The nodes that are looked at, each once: A's; then B's. Where B's is the same, its node in its own run;
  /// where that is the same too, the second best under A.
  std::vector<std::string> nodes;
  std::vector<std::array<NodeSaid, 2>> said;  ///< By node, by side.
  std::vector<ScoreRow> scores;               ///< The rules that score; A's first.
  std::optional<ChoiceDifference> turn;       ///< Nothing: both choose the same node, in both runs.
  bool placed = false;                        ///< A pod that runs; A's node is the one that it is on.
};

/// Asks both sides about the two nodes.
/// @param nodes  names, two at most; without the empty ones.
PodDetail detail_of(const Pod& pod, const Asked& a, const Asked& b, std::vector<std::string> nodes);

// What a comparison has found.

/// One pod, by side. Kept small: there may be hundreds of thousands.
struct ComparedPod {
  std::string name;                ///< "namespace/name".
  std::uint32_t workload = kNone;  ///< Of Comparison::workloads.
  PodEnd end[2] = {PodEnd::kUntried, PodEnd::kUntried};
  std::uint32_t node[2] = {kNone, kNone};  ///< Of Comparison::nodes, where it is placed.
  std::uint32_t why[2] = {kNone, kNone};   ///< Of Comparison::whys, where it is not.
  std::uint32_t now = kNone;               ///< Of Comparison::nodes: the node of a pod that runs.
  std::uint32_t cause = kNone;             ///< Of Comparison::causes, where the sides differ.

  bool is_known() const { return end[kA] != PodEnd::kUntried && end[kB] != PodEnd::kUntried; }
  bool differs() const { return is_known() && (end[kA] != end[kB] || node[kA] != node[kB]); }
};

/// Pods that differ for the same rules.
struct MoveCause {
  ChoiceDifference turn;  ///< Of the first of these pods.
  std::size_t pods = 0;
};

struct Comparison {
  std::string label[2] = {"A", "B"};  ///< By side. "now" and "A" where pods that run are asked of one alone.
  std::string config[2];              ///< By side: its rules in words.
  std::vector<RulesDifference> differences;  ///< Of the two configurations.
  bool placed = false;                       ///< Pods that run were asked about, each by itself.
  bool one_sided = false;                    ///< Side A is the node that the pod has.
  std::vector<std::string> workloads;
  std::vector<ComparedPod> pods;  ///< In the order in which they were met, or by name.
  std::vector<MoveCause> causes;  ///< Those with the most pods first.
  std::vector<std::string> whys;
  /// In order of name. Not `placed`: `before` is what they hold under A, `after` under B.
  std::vector<NodeFill> nodes;
  std::size_t daemon_pods = 0;      ///< Pods of DaemonSets and static pods, left out.
  std::size_t leaving = 0;          ///< Pods that are being deleted, left out.
  Unjudged unjudged[2];             ///< By side.
  bool cut_short = false;           ///< Somebody asked to stop. What is here was found until then.
  std::optional<PodDetail> detail;  ///< Of the pod that was wanted, where it was met.

  std::size_t count_differing() const;
  std::size_t count_known() const;
  /// The same where pods of one workload are alike: how many a workload has more under A, node by node. Pods
  /// that have only swapped places do not count. "Nowhere" counts as one more node.
  std::size_t count_differing_by_workload() const;
  std::size_t nowhere_under_both() const;
  /// Pods that fit nowhere under this side and are placed under the other.
  std::size_t nowhere_only(std::size_t side) const;
};

/// What nodes hold, in numbers.
struct Utilization {
  std::size_t nodes_used = 0;  ///< Nodes with a pod.
  /// Shares of what nodes offer, 0 to 1 and above: of all nodes together, and of the fullest.
  double cpu = 0, memory = 0, highest_cpu = 0, highest_memory = 0;
};
/// @param amounts  &NodeFill::before or &NodeFill::after.
Utilization utilization(const std::vector<NodeFill>& nodes, std::optional<Amounts> NodeFill::* amounts);

// The same pods under two configurations, A and B.

/// One configuration and the cluster as it reads it. Both sides may have one state, if their rules read it
/// with the same options; else two states of the same objects.
struct Side {
  State& state;
  const Engines& engines;
};

struct CompareOptions {
  std::optional<std::uint64_t> seed;  ///< See ChooseOptions.
  std::string pod;                    ///< "namespace/name" whose PodDetail is wanted; "": none.
};

/// The pods to place.
struct ToPlace {
  bool pending = true;                 ///< Those that wait in the cluster.
  std::vector<PodSet> sets;            ///< Of files.
  std::vector<LeftOut> left_out = {};  ///< The same; they are told.
};

/// Places the pods under B, then under A, one after another as a Simulation does, both times from the same
/// state. Where the choices differ, B is asked for the same pod on A's state: a ChoiceDifference, or kEarlier
/// where it chooses as A there. After a stop in B's part, A places as many pods as B has.
///
/// The states end as A's run has left them; nobody else uses them meanwhile.
/// @param progress  may be empty.
Comparison compare_placing(const Side& a, const Side& b, const ToPlace& pods, const CompareOptions& options,
                           const Progress& progress);

/// Asks for each pod that runs, by name, where it would go now: without it on its node, and all others where
/// they are. It stays where no node has a higher total. Pods of DaemonSets, static pods and pods that are
/// being deleted are left out. No state changes.
/// @param b  null: A's choice is compared with the node that the pod has.
Comparison compare_placed(const Side& a, const Side* b, const CompareOptions& options,
                          const Progress& progress);

}  // namespace winnow
