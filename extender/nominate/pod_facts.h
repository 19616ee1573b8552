// What one event of the watch tells of a waiting pod, and why a pod gets no nomination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "extender/service/metrics/figures.h"

namespace winnow {

class View;
struct RuleSet;

/// The facts of one event about a pod.
struct PodFacts {
  std::string ns, name, uid;
  std::string resource_version;
  std::uint64_t version = 0;  ///< The same as a number; 0: unknown.
  std::int32_t priority = 0;
  std::string scheduler;  ///< Its schedulerName; "": the default one.
  std::vector<std::string> gates;
  bool in_pod_group = false;
  std::string node;                     ///< Where it is bound; "": nowhere.
  std::string nominated;                ///< Its status.nominatedNodeName.
  bool nominated_by_winnow = false;     ///< By its managedFields.
  std::optional<PodCondition> refused;  ///< Its PodScheduled=False: kube-scheduler has given it up. Not the
                                        ///< condition that scheduling gates make.
  bool over = false;                    ///< It is being deleted, or has ended.
  std::size_t rules_hash = 0;           ///< Of what rules read of it; gates are left out.

  /// The pod as the log names it: NAMESPACE/NAME.
  std::string pod() const { return ns + '/' + name; }
  /// Whether the pod has this scheduling gate, and no other. @param gate  "": false.
  bool has_only_gate(std::string_view gate) const;
};

/// What this event tells of the pod.
PodFacts facts_of(const Pod& pod);

/// Whether the pod waits for a node: it has none, is not being deleted, and has not begun.
bool waits_for_node(const Pod& pod);

// Pods that get no nomination.
//
// kube-scheduler counts a nominated pod as being there, for all pods of equal or lower priority, whether it
// tries the pod or not. So a nomination of a pod that it does not try keeps a place for nobody. PreEnqueue is
// what keeps a pod out of its queue: gates, claims of devices, groups. Upstream:
// pkg/scheduler/framework/plugins/schedulinggates, dynamicresources, gangscheduling PreEnqueue v1.37.0.

/// Why the pod gets no nomination, as far as the pod itself tells. Nothing: it tells no reason.
/// @param gate  Winnow's own scheduling gate; "": none.
std::optional<WhyNotNominated> why_not_nominated(const PodFacts& facts, std::string_view gate);

/// The same, as far as the cluster tells: claims and volumes, without which kube-scheduler places it nowhere,
/// and devices, where no rule judges them.
/// @param rules  those for the pod. Where they do not read claims, or volumes, the view has none, and nothing
///   is said of them.
std::optional<WhyNotNominated> why_not_nominated(const View& view, const Pod& pod, const RuleSet& rules);

/// Whether the cluster tells the reason, and not the pod: it may go without an event of the pod.
constexpr bool is_of_cache(WhyNotNominated why) { return why >= WhyNotNominated::kResourceClaims; }

/// The reason for people: "it has resource claims, which are not judged".
std::string_view sentence_of(WhyNotNominated why);

/// Whether claims of devices are to be made from templates for the pod, which takes a moment.
bool awaits_resource_claims(const View& view, const Pod& pod);

/// Whether kube-scheduler prepares the pod for the node, which may take minutes: it has made a claim for the
/// pod's extended resources, or a claim that waits for its first consumer is being provisioned for that node,
/// or is being bound to a volume. Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go
/// BindPodVolumes v1.37.0, dynamicresources PreBind v1.37.2.
bool is_being_prepared(const View& view, const Pod& pod, std::string_view node);

}  // namespace winnow
