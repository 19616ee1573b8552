// The preview of a preemption for a pod that fits nowhere. Nothing is evicted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/state/row_values.h"

namespace winnow {

class Engine;
class View;
struct Filtered;
struct Pod;

/// The result of a preview.
struct PreemptionPreview {
  std::string node;                  ///< The node where pods would be evicted; "": none.
  std::vector<std::string> victims;  ///< On it: "namespace/name", the highest priority first.
  std::int64_t violations = 0;       ///< Victims whose eviction breaks a disruption budget.
  std::string message;               ///< If there is no node: why, in upstream's words.
  std::size_t judged = 0;            ///< Candidates that were tried.
  std::size_t candidates = 0;        ///< Nodes with pods of lower priority where an eviction may help.
  /// The eviction would help by the rules, but kube-scheduler names other victims, or none; see
  /// `filters`.
  bool in_vain = false;
  bool gave_way = false;  ///< Not all candidates were tried, for others waited.
};

/// The limits of a preview.
struct PreviewOptions {
  /// No candidate is begun after this time.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// kube-scheduler's own preemption is limited to the filter plugins that it keeps with --answer=best, by
  /// their names. Absent: it keeps all.
  std::optional<std::vector<std::string>> filters = std::nullopt;
  std::span<const PodId> spared = {};  ///< Pods that are not evicted, sorted.
  /// Whether others wait for the view, so that no further candidates are begun. Null: nobody does.
  FunctionRef<bool()> others_wait = nullptr;
};

/// Runs the rules on nodes that the pod does not fit, each without all pods of lower priority. At most
/// kPreviewCandidates are tried, chosen evenly by name.
/// Upstream: evaluate and pickOneNodeForPreemption of pkg/scheduler/framework/preemption/preemption.go
/// v1.37.0.
///
/// Of equally important victims the first by name stays, and of equal nodes the first by name is chosen.
/// @param names  the nodes that were filtered.
/// @param filtered  their results: no node fits, there is no error, and all rules were run.
PreemptionPreview preview_preemption(const Engine& engine, const View& view, const Pod& pod,
                                     std::span<const std::string> names, const Filtered& filtered,
                                     const PreviewOptions& options);

/// Upstream's minCandidateNodesAbsolute, by default.
inline constexpr std::size_t kPreviewCandidates = 100;

}  // namespace winnow
