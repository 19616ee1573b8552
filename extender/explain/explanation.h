// Every rule's verdict and score for every node: the answer to "why".
//
// extender/explain renders an Explanation, as JSON for programs (json.h; one object, stable from release to
// release) and as a table for people (table.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/engine/preemption_preview.h"

namespace winnow {

/// What one predicate said of one node.
struct FilterEntry {
  std::string rule;  ///< As the configuration names it.
  bool fits = true;
  bool skipped = false;     ///< The rule had nothing to say about this pod.
  bool resolvable = false;  ///< Does not fit, and evicting pods might help.
  std::vector<std::string> reasons;
  std::optional<std::string> error;  ///< The rule could not judge the node.
};

/// What one priority gave one node.
struct ScoreEntry {
  std::string rule;
  std::optional<std::int64_t> raw;  ///< What map gave; absent where upstream has no map.
  std::int64_t score = 0;           ///< What reduce made of it.
  std::int64_t weight = 1;
  bool skipped = false;
};

struct NodeExplanation {
  std::string name;
  bool fits = true;
  bool scored = true;  ///< False where the priorities failed: there is nothing below filters then.
  std::vector<FilterEntry> filters;  ///< Every predicate, in order of evaluation.
  std::vector<ScoreEntry> scores;    ///< Every priority; for nodes that fit.
  std::int64_t total = 0;            ///< The weighted sum; for nodes that fit.
  std::int64_t answer = 0;           ///< What prioritize answers kube-scheduler; for nodes that fit.
};

/// That filter found no node for the pod, and nobody has asked about it since.
struct RefusalEntry {
  std::uint64_t times = 1;                  ///< In a row.
  double seconds = 0;                       ///< Since the last of them.
  std::optional<std::string> would_fit_on;  ///< The node that it would fit on now.
  double would_fit_seconds = 0;             ///< Since when it would, as far as we have looked.
};

/// What is said of a preemption that is in vain.
inline constexpr std::string_view kInVainNote =
    "kube-scheduler does not preempt for this: with --answer=best it knows resources and host ports only";

struct Explanation {
  std::string pod;  ///< "namespace/name".
  std::int64_t feasible = 0;
  std::optional<std::string> selected;   ///< Of a pod that has a node: where it would go if asked anew.
  std::optional<std::string> assumed;    ///< The node that the pod is on its way to; see AssumedPods.
  std::optional<std::string> error;      ///< The pod cannot be placed at all, for this reason.
  std::optional<std::string> node;       ///< The node that the pod is bound to.
  std::optional<std::string> nominated;  ///< Its status.nominatedNodeName.
  std::optional<RefusalEntry> refused;
  std::optional<PreemptionPreview> preemption;  ///< Of a pod that waits and fits nowhere.
  std::vector<NodeExplanation> nodes;           ///< By name.
};

}  // namespace winnow
