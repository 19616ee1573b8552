// What a preemption would do for a pod that fits nowhere. Nothing is evicted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace winnow {

class Engine;
class View;
struct Filtered;
struct Pod;

struct PreemptionPreview {
  std::string node;                  ///< Where pods would be evicted; "": nowhere.
  std::vector<std::string> victims;  ///< There: "namespace/name", the highest priority first.
  std::int64_t violations = 0;       ///< How many of them break a disruption budget.
  std::string message;               ///< Nowhere: why, in upstream's words.
  std::size_t judged = 0;            ///< Of the candidates below.
  std::size_t candidates = 0;  ///< Nodes where an eviction may help and there are pods of lower priority.
  /// It would help by the rules, but kube-scheduler names other victims, or none; see `resources_only`.
  bool in_vain = false;
};

struct PreviewOptions {
  /// No candidate is begun with after it.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// kube-scheduler names the victims, and has no other filters of its own for that than those which it keeps
  /// with --answer=best: NodeResourcesFit and NodePorts.
  bool resources_only = false;
};

/// Asks the rules about nodes that the pod does not fit, each of them without all pods of lower priority. At
/// most kPreviewCandidates are asked about, evenly chosen by name. Upstream:
/// pkg/scheduler/framework/preemption/preemption.go evaluate, pickOneNodeForPreemption v1.37.0. The picture
/// knows no start times: of equal victims the first by name stays, of equal nodes the first by name is taken.
/// Nor does it know why a pod is ending: any that ends on the nominated node is waited for, as in v1.16.
/// @param names  the nodes that were asked about. @param filtered  what was said of them: no node fits, and
/// there is no error; all rules were asked.
PreemptionPreview preview_preemption(const Engine& engine, const View& view, const Pod& pod,
                                     std::span<const std::string> names, const Filtered& filtered,
                                     const PreviewOptions& options);

/// Upstream's minCandidateNodesAbsolute, by default.
inline constexpr std::size_t kPreviewCandidates = 100;

}  // namespace winnow
