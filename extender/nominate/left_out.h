// Pods that get no nomination: the rules cannot judge them, or kube-scheduler does not try them.
//
// kube-scheduler counts a nominated pod as being there, for all pods of equal or lower priority, whether it
// tries the pod or not. So a nomination of a pod that it does not try keeps a place for nobody. PreEnqueue is
// what keeps a pod out of its queue: gates, claims of devices, groups. Upstream:
// pkg/scheduler/framework/plugins/schedulinggates, dynamicresources, gangscheduling PreEnqueue v1.37.0.
#pragma once

#include <optional>
#include <string_view>

#include "cluster/state/view.h"
#include "extender/engine/ruleset.h"
#include "extender/metrics/nomination_outcome.h"
#include "extender/nominate/pod_facts.h"

namespace winnow {

/// Why the pod gets no nomination, as far as the pod itself tells. Nothing: it tells no reason.
/// @param gate  Winnow's own scheduling gate; "": none.
std::optional<WhyNotNominated> why_not_nominated(const PodFacts& facts, std::string_view gate);

/// The same, as far as the cluster tells: claims and volumes, without which kube-scheduler places it nowhere,
/// and devices, which no rule judges.
/// @param rules  those for the pod. Where they do not read claims, or volumes, the view has none, and nothing
///   is said of them.
std::optional<WhyNotNominated> why_not_nominated(const View& view, const Pod& pod, const RuleSet& rules);

/// Whether kube-scheduler prepares the pod's volumes for the node, which may take minutes: a claim that waits
/// for its first consumer is being provisioned for that node, or is being bound to a volume. Upstream:
/// pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes v1.37.0.
bool is_being_prepared(const View& view, const Pod& pod, std::string_view node);

/// Whether the cluster tells the reason, and not the pod: it may go without an event of the pod.
constexpr bool is_of_picture(WhyNotNominated why) { return why >= WhyNotNominated::kDevices; }

/// The reason for people: "it has resource claims, which are not judged".
std::string_view sentence_of(WhyNotNominated why);

}  // namespace winnow
