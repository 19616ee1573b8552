#include "cluster/rule/topology_spread.h"

#include <algorithm>
#include <set>

#include "cluster/api/selector_errors.h"
#include "cluster/rule/rule.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/workloads.h"

namespace winnow {

std::vector<SpreadConstraint> spread_constraints(const PodSpec& pod, std::string_view when_unsatisfiable) {
  std::vector<SpreadConstraint> constraints;
  for (const TopologySpreadConstraint& written : pod.topology_spread_constraints)
    if (written.when_unsatisfiable == when_unsatisfiable)
      constraints.push_back(
          {written.topology_key, written.skew_in_force(), parse_label_selector(written.label_selector)});
  return constraints;
}

SpreadNodes::SpreadNodes(const View& view, const PodSpec& pod,
                         const std::vector<SpreadConstraint>& constraints)
    : matcher_(view, pod) {
  std::set<std::string_view> seen;
  for (const SpreadConstraint& constraint : constraints)
    if (seen.insert(constraint.topology_key).second) keys_.push_back(view.label(constraint.topology_key));
}

bool SpreadNodes::has_keys(NodeId node) const {
  return std::ranges::all_of(keys_, [&](const Column<Symbol>& key) { return key[node] != kNone; });
}

namespace {

/// The constraints of a pod without any.
/// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/plugin.go systemDefaultConstraints v1.37.0.
const std::vector<TopologySpreadConstraint>& default_constraints(const PodTopologySpreadArgs& args) {
  static const std::vector<TopologySpreadConstraint> kSystem = {
      {.max_skew = 3, .topology_key = "kubernetes.io/hostname", .when_unsatisfiable = "ScheduleAnyway"},
      {.max_skew = 5, .topology_key = "topology.kubernetes.io/zone", .when_unsatisfiable = "ScheduleAnyway"}};
  return args.system_defaulted ? kSystem : args.default_constraints;
}

/// A constraint's selector, joined with the pod's values for matchLabelKeys. A selector that matches nothing
/// stays so.
Selector with_label_keys(const Selector& selector, const std::vector<std::string>& keys,
                         const StringMap& labels) {
  StringMap wanted;
  for (const std::string& key : keys)
    if (const auto label = labels.find(key); label != labels.end()) wanted.insert(*label);
  if (wanted.empty() || selector.is_nothing()) return selector;
  std::vector<Requirement> requirements = selector_from_set(wanted).requirements();
  requirements.insert(requirements.end(), selector.requirements().begin(), selector.requirements().end());
  return Selector::all_of(std::move(requirements));
}

TopologyConstraint constraint_of(const TopologySpreadConstraint& written, Selector selector) {
  TopologyConstraint constraint{.topology_key = written.topology_key,
                                .max_skew = written.skew_in_force(),
                                .min_domains = written.min_domains.value_or(1),
                                .selector = std::move(selector)};
  if (!written.node_affinity_policy.empty())
    constraint.honours_affinity = written.node_affinity_policy == "Honor";
  constraint.honours_taints = written.node_taints_policy == "Honor";
  return constraint;
}

/// Adds the labels that a selector asks for. @param from_set  made from a map: each key must equal one value.
void merge_into(StringMap& labels, const Selector& from_set) {
  for (const Requirement& requirement : from_set.requirements())
    labels.insert_or_assign(requirement.key, requirement.values.front());
}

struct Controller {
  std::string_view api_version, kind;
  WorkloadKind workload;
};
constexpr Controller kControllers[] = {
    {"v1", "ReplicationController", WorkloadKind::kReplicationController},
    {"apps/v1", "ReplicaSet", WorkloadKind::kReplicaSet},
    {"apps/v1", "StatefulSet", WorkloadKind::kStatefulSet},
};

/// The selector of the pod's controller; null if the controller is unknown or not of these kinds.
/// @param kind  set to the controller's kind.
const Selector* controller_selector(const Workloads& workloads, const Pod& pod, WorkloadKind& kind) {
  const OwnerReference* const owner = controller_of(pod.metadata);
  if (!owner) return nullptr;
  for (const Controller& controller : kControllers)
    if (controller.api_version == owner->api_version && controller.kind == owner->kind) {
      kind = controller.workload;
      return workloads.find(kind, pod.metadata.namespace_, owner->name);
    }
  return nullptr;
}

}  // namespace

// As upstream, Services and a ReplicationController share one map of labels, in which the last value of a key
// counts. The requirements of other controllers are added to it.
Selector default_selector(const Workloads& workloads, const Pod& pod) {
  StringMap labels;
  for (const Selector* service : workloads.services(pod.metadata.namespace_, pod.metadata.labels))
    merge_into(labels, *service);
  WorkloadKind kind{};
  const Selector* const controller = controller_selector(workloads, pod, kind);
  if (controller && kind == WorkloadKind::kReplicationController) merge_into(labels, *controller);
  std::vector<Requirement> requirements = selector_from_set(labels).requirements();
  if (controller && kind != WorkloadKind::kReplicationController)
    requirements.insert(requirements.end(), controller->requirements().begin(),
                        controller->requirements().end());
  return Selector::all_of(std::move(requirements));
}

std::expected<std::vector<TopologyConstraint>, std::string> topology_constraints(
    const Request& request, const PodTopologySpreadArgs& args, std::string_view when_unsatisfiable) {
  const std::vector<TopologySpreadConstraint>& own = request.pod.spec.topology_spread_constraints;
  const std::vector<TopologySpreadConstraint>& written = own.empty() ? default_constraints(args) : own;
  std::vector<TopologyConstraint> constraints;
  for (const TopologySpreadConstraint& one : written) {
    if (one.when_unsatisfiable != when_unsatisfiable) continue;
    const auto selector = parse_label_selector(one.label_selector);
    if (!selector) return std::unexpected(label_selector_error(*one.label_selector));
    constraints.push_back(
        constraint_of(one, with_label_keys(*selector, one.match_label_keys, request.pod.metadata.labels)));
  }
  if (!own.empty() || constraints.empty()) return constraints;
  const Selector selector = default_selector(request.view.workloads(), request.pod);
  if (selector.is_everything()) constraints.clear();
  for (TopologyConstraint& constraint : constraints) constraint.selector = selector;
  return constraints;
}

CountedNodes::CountedNodes(const Request& request, const std::vector<TopologyConstraint>& constraints)
    : affinity_(request.view, request.pod.spec, Generation::kToday),
      taints_(request.view, request.pod.spec.tolerations, {"NoSchedule", "NoExecute"}) {
  std::set<std::string_view> seen;
  for (const TopologyConstraint& constraint : constraints)
    if (seen.insert(constraint.topology_key).second)
      keys_.push_back(request.view.label(constraint.topology_key));
}

bool CountedNodes::has_keys(NodeId node) const {
  return std::ranges::all_of(keys_, [&](const Column<Symbol>& key) { return key[node] != kNone; });
}

}  // namespace winnow
