// The making of an Explanation: runs every rule on every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/rule/cause.h"
#include "extender/engine/engine.h"
#include "extender/engine/select.h"
#include "extender/explain/explanation.h"

namespace winnow {

class Engines;
class State;
class View;

struct ExplainOptions {
  ScoreScale scale = ScoreScale::kBest;
  /// Seed of the draw among nodes of equal total, which is NodePicker's. Absent: the first by name.
  std::optional<std::uint64_t> seed;
  /// What the clocks show: how long places are held is told by them. Absent, as for a file: it is not told.
  std::optional<HeldClocks> clocks = {};
  bool suggest = true;  ///< What would help is looked for.
  bool facts = false;   ///< The facts that made each score are told.
};

/// The explanation of one pod, in two steps. Only the first reads the cluster; the second takes most of the
/// time. Used by one thread.
class Explainer {
 public:
  /// @param engine  must outlive this.
  Explainer(const Engine& engine, const ExplainOptions& options) : engine_(engine), options_(options) {}

  /// Runs every rule. To be called once.
  /// @param nodes  the nodes to explain, each once and known to the view.
  /// @param budget  the time for it; null: unlimited. OutOfTime is thrown.
  void ask(const View& view, const Pod& pod, std::vector<NodeId> nodes, PassTimes& times,
           const Budget* budget = nullptr);
  /// Previews a preemption, if the pod fits none of the nodes. After ask(), with the same view. For a pod
  /// without a node.
  /// @return false: not all was tried, for others waited (PreviewOptions::others_wait).
  bool ask_preemption(const View& view, const Pod& pod, const PreviewOptions& options);
  /// Finds the nodes that refuse the pod because of places that are held there. After ask(), with the same
  /// view. None are found where the time is over. @param held  all of the cluster.
  void ask_held(const View& view, const Pod& pod, const std::vector<HeldPlace>& held,
                const Budget* budget = nullptr);
  const std::vector<HeldPlace>& held() const { return held_; }
  /// Finds what would help, if the pod fits none of the nodes. After ask(), with the same view and pod.
  /// @param budget  ends the search; null: unlimited.
  void ask_help(const View& view, const Pod& pod, const Budget* budget = nullptr);
  /// Makes the explanation; after ask(), once. The view may no longer exist.
  Explanation tell();

  // The same for some of many nodes: to make the entries of all rules for 100,000 nodes takes a second.

  /// The explanation, but for the entries of rules that accept a node: a node that fits has none, and no
  /// scores. To be called once, instead of tell().
  Explanation outline();
  /// Adds what the outline leaves out to one of its nodes.
  void complete(NodeExplanation& node) const;
  /// What the rule's score adds to the total of a node that fits. 0: it does not score.
  std::int64_t weighted_score(std::string_view rule, const NodeExplanation& node) const;

 private:
  void find_causes(const Request& request);
  void score(const Request& request, PassTimes& times);
  void find_facts(const Request& request);
  std::vector<std::string> fitting_without(const View& view, Pod pod, const std::vector<std::string>& names,
                                           const Budget* budget) const;
  std::size_t choose(const Pod& pod) const;
  /// The causes of one rule's refusal of a node.
  struct RefusalCauses {
    std::size_t rule;
    std::vector<Cause> causes;
  };
  FilterEntry entry_of(std::size_t rule) const;
  FilterEntry refusal_entry(std::size_t rule, std::size_t node);
  void put_scores(NodeExplanation& node, std::size_t i) const;
  std::size_t place_of(const NodeExplanation& node) const;
  std::size_t feasible_place(std::size_t node) const;

  const Engine& engine_;
  const ExplainOptions options_;
  std::string pod_;
  std::vector<std::string> gates_;
  std::vector<std::string> not_judged_;
  std::vector<std::string> remarks_;
  std::vector<std::string> names_;  ///< Sorted.
  std::vector<NodeId> nodes_;       ///< In the same order. Of the view.
  std::optional<std::string> error_;
  Filtered filtered_;
  std::vector<std::vector<RefusalCauses>> causes_;                        ///< By node.
  std::unordered_map<std::size_t, std::vector<ClaimedDevices>> devices_;  ///< By node.
  std::size_t feasible_ = 0;
  std::vector<std::size_t> feasible_nodes_;  ///< Their places among all nodes.
  std::optional<ScoreError> unscored_;       ///< Where one node fits, and could not be scored.
  std::optional<Scored> scored_;             ///< For the feasible nodes, as are answers_.
  std::vector<std::int64_t> answers_;
  std::unordered_map<std::size_t, std::vector<Cause>> facts_;  ///< By place in the matrix of scores.
  std::optional<std::size_t> selected_;                        ///< Index among the feasible nodes.
  std::optional<std::string> nominated_, nominated_by_;
  std::optional<PreemptionPreview> preemption_;
  std::vector<HeldPlace> held_;
  Help help_;
};

/// Both steps, with the pod's engine. A pod without an engine gets explain_no_profile().
Explanation explain(const Engines& engines, const View& view, const Pod& pod, std::vector<NodeId> nodes,
                    const ExplainOptions& options);

/// Explains a pod of the state. A pod with a node is explained as if it were scheduled again: its own usage
/// is not counted, and its spec.nodeName is ignored. @param node_names  the nodes to explain; absent: all.
Explanation explain_known(const Engines& engines, const State& state, PodId id,
                          const std::optional<std::vector<std::string>>& node_names,
                          const ExplainOptions& options);

/// The explanation of a pod that no engine is for: the error, and no nodes.
Explanation explain_no_profile(const Pod& pod);

/// The nodes with these names in the view, each once. Unknown names are left out.
std::vector<NodeId> find_nodes(const View& view, const std::vector<std::string>& names);

}  // namespace winnow
