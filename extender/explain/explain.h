// Makes an Explanation: asks every rule about every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extender/engine/engines.h"
#include "extender/engine/select.h"
#include "extender/explain/explanation.h"

namespace winnow {

struct ExplainOptions {
  ScoreScale scale = ScoreScale::kBest;
  /// Which of the nodes that tie is selected: drawn with this seed; without one the first by name.
  std::optional<std::uint64_t> seed;
};

/// Explains where one pod may and should run, in two steps: the cluster is needed for the first only, and
/// most of the time goes into the second.
class Explainer {
 public:
  /// @param engine  outlives this.
  Explainer(const Engine& engine, const ExplainOptions& options) : engine_(engine), options_(options) {}

  /// Asks every rule. Once. @param nodes  the nodes asked about, each once and known to the view.
  void ask(const View& view, const Pod& pod, std::vector<NodeId> nodes, PassTimes& times);
  /// Asks what a preemption would do, if the pod fits none of the nodes; after ask(), with the same view.
  /// For a pod that waits.
  void ask_preemption(const View& view, const Pod& pod, const PreviewOptions& options);
  /// Makes the texts; after ask(). The view may be gone.
  Explanation tell() const;

 private:
  void score(const View& view, const Pod& pod, std::span<const NodeId> feasible, PassTimes& times);
  std::size_t choose(const Pod& pod) const;
  FilterEntry filter_entry(std::size_t rule, Verdict verdict) const;
  void put_scores(NodeExplanation& node, std::size_t i) const;

  const Engine& engine_;
  const ExplainOptions options_;
  std::string pod_;
  std::vector<std::string> names_;  ///< Sorted.
  std::optional<std::string> error_;
  Filtered filtered_;
  std::size_t feasible_ = 0;
  std::optional<Scored> scored_;  ///< Of the feasible nodes, as are answers_.
  std::vector<std::int64_t> answers_;
  std::optional<std::size_t> selected_;  ///< Among the feasible nodes.
  std::optional<std::string> nominated_;
  std::optional<PreemptionPreview> preemption_;
};

/// Both steps at once, with the pod's engine. Where it has none: that, and nothing of nodes.
Explanation explain(const Engines& engines, const View& view, const Pod& pod, std::vector<NodeId> nodes,
                    const ExplainOptions& options);

/// Explains a pod of the state. One that has a node already is looked at as if it were to be placed again:
/// without its own footprint, and free to go anywhere.
Explanation explain_known(const Engines& engines, const State& state, PodId id,
                          const std::optional<std::vector<std::string>>& node_names,
                          const ExplainOptions& options);

/// For a pod that no engine is for.
Explanation explain_no_profile(const Pod& pod);

/// The nodes of the names in this view; those that it does not know are left out.
std::vector<NodeId> find_nodes(const View& view, const std::vector<std::string>& names);

}  // namespace winnow
