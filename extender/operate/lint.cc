#include "extender/operate/lint.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <format>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "cluster/api/selector.h"
#include "cluster/api/workload.h"
#include "cluster/rule/known_labels.h"
#include "cluster/state/state.h"
#include "extender/operate/lint_pods.h"

namespace winnow {
namespace {

/// Pods by what they have in common: the namespace, the spec, the controller, and whether they have a node.
/// All that is found of one of them is found of the others.
using AlikePods = std::map<std::tuple<Symbol, std::uint32_t, std::uint32_t, bool>, std::vector<PodId>>;

AlikePods alike_pods(const State& state) {
  AlikePods alike;
  for (PodId id = 0; id < state.pod_capacity(); ++id)
    if (const PodRecord& pod = state.pod(id); !pod.name.empty())
      alike[{state.groups[pod.group].ns, pod.spec, pod.owner, pod.assigned}].push_back(id);
  return alike;
}

/// The pods' controller; null without one. A node is none: its pods are files there, each with a name.
const OwnerReference* controller_in(const ObjectMeta& pod) {
  for (const OwnerReference& owner : pod.owner_references)
    if (owner.controller && owner.kind != "Node") return &owner;
  return nullptr;
}

/// The lowest priority of a pod that has a node; nothing if no pod has.
std::optional<std::int32_t> lowest_priority(const State& state) {
  std::optional<std::int32_t> lowest;
  for (PodId id = 0; id < state.pod_capacity(); ++id) {
    const PodRecord& pod = state.pod(id);
    if (pod.name.empty() || !pod.assigned) continue;
    const std::int32_t priority = state.spec(pod).priority.value_or(0);
    lowest = std::min(priority, lowest.value_or(priority));
  }
  return lowest;
}

class Lint {
 public:
  Lint(const State& state, std::span<const Service> services)
      : state_(state), services_(services), pods_(state) {}

  std::vector<LintFinding> run() {
    look_at_pods();
    look_at_services();
    for (const auto& [key, budget] : state_.objects.of<PodDisruptionBudget>()) look_at(budget);
    look_at_classes();
    return take();
  }

 private:
  /// In the order in which findings are listed.
  struct Place {
    LintKind kind{};
    std::string object, field, what;
    auto operator<=>(const Place&) const = default;
  };

  void tell(LintKind kind, std::string object, std::string field, std::string what) {
    found_[{kind, std::move(object), std::move(field), std::move(what)}] = 0;
  }

  void look_at_pods() {
    PodLint looker(state_, pods_);
    for (const auto& [key, pods] : alike_pods(state_))
      for (const PodFinding& one : looker.look_at(state_.to_pod(pods.front())))
        for (const PodId id : pods) tell_of_pod(one, state_.metadata_of(id));
  }

  void tell_of_pod(const PodFinding& one, const ObjectMeta& pod) {
    if (const OwnerReference* const owner = controller_in(pod))
      ++found_[{one.kind, owner->kind + " " + key_of(pod.namespace_, owner->name), one.field, one.what}];
    else
      tell(one.kind, "Pod " + key_of(pod), one.field, one.what);
  }

  void look_at_services() {
    for (const Service& service : services_) {
      // Somebody else writes the endpoints of a Service without a selector.
      if (!service.selector || service.selector->empty()) continue;
      const PodQuery query{{service.metadata.namespace_}, selector_from_set(*service.selector), true};
      if (const std::string& why = pods_.why_none(query); !why.empty())
        tell(LintKind::kService, "Service " + key_of(service.metadata), "spec.selector", why);
    }
  }

  void look_at(const PodDisruptionBudget& budget) {
    const auto selector = parse_label_selector(budget.selector);
    if (!selector) return;
    const std::string object = "PodDisruptionBudget " + key_of(budget.metadata);
    const std::vector<std::string> here{budget.metadata.namespace_};
    if (const std::string& why = pods_.why_none({here, *selector, true}); !why.empty())
      return tell(LintKind::kBudget, object, "spec.selector", why);
    const std::size_t pods = pods_.count({here, *selector, false});
    const bool asks_for_all = pods > 0 && std::cmp_equal(budget.desired_healthy, pods);
    const bool all_are_healthy = budget.current_healthy >= budget.desired_healthy;
    if (budget.disruptions_allowed == 0 && asks_for_all && all_are_healthy)
      tell(LintKind::kBudget, object, "status.disruptionsAllowed",
           std::format("0 although {} healthy, for desiredHealthy is {}: no drain gets past it",
                       pods == 1 ? "its only pod is" : std::format("all {} pods are", pods),
                       budget.desired_healthy));
  }

  void look_at_classes() {
    const std::optional<std::int32_t> lowest = lowest_priority(state_);
    if (!lowest) return;
    for (const auto& [name, one] : state_.objects.of<PriorityClass>()) {
      if (name.starts_with("system-") || one.preemption_policy == "Never" || one.value > *lowest) continue;
      tell(LintKind::kPriorityClass, "PriorityClass " + name, "value",
           std::format("{} preempts nobody: the lowest priority of a pod that has a node is {}", one.value,
                       *lowest));
    }
  }

  std::vector<LintFinding> take() {
    std::vector<LintFinding> all;
    for (const auto& [place, pods] : found_) {
      all.push_back({place.kind, place.object, place.field, place.what});
      if (pods > 0) all.back().object += std::format(" ({} pod{})", pods, pods == 1 ? "" : "s");
    }
    return all;
  }

  const State& state_;
  std::span<const Service> services_;
  MatchedPods pods_;
  std::map<Place, std::size_t> found_;  ///< With the number of a controller's pods; 0 for any other object.
};

}  // namespace

std::vector<LintFinding> lint(const State& state, std::span<const Service> services) {
  return Lint(state, services).run();
}

}  // namespace winnow
