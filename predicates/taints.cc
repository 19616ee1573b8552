#include <algorithm>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/rule/node_matcher.h"
#include "cluster/state/dictionaries.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class ToleratesTaints final : public OneReason<ToleratesTaints> {
 public:
  ToleratesTaints(ToleratedTaints taints, std::string reason)
      : OneReason(Fit::kUnresolvable, std::move(reason)), taints_(std::move(taints)) {}

  bool fits(NodeId node) const { return taints_.tolerates(node); }

 private:
  const ToleratedTaints taints_;
};

}  // namespace

std::unique_ptr<const Predicate> tolerates_taints(const Request& request,
                                                  std::initializer_list<std::string_view> effects,
                                                  std::string reason) {
  ToleratedTaints taints(request.view, request.pod.spec.tolerations, effects);
  if (taints.tolerates_all_nodes()) return nullptr;
  return std::make_unique<ToleratesTaints>(std::move(taints), std::move(reason));
}

namespace {

/// The field in which a toleration of the taint's key differs from the taint; "": none, or another key.
std::string difference(const Toleration& toleration, const Taint& taint) {
  // Kubernetes itself sets these, and gives each pod tolerations of some for a while.
  if (toleration.key != taint.key || taint.key.starts_with("node.kubernetes.io/")) return "";
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return "effect";
  const bool is_equal = toleration.op.empty() || toleration.op == "Equal";
  if (is_equal && toleration.value != taint.value) return "value";
  return is_equal || toleration.op == "Exists" ? "" : "operator";
}

/// The cause for a taint, with the toleration that nearly matches it.
Cause cause_of(const Taint& taint, const std::vector<Toleration>& tolerations) {
  Cause cause{"taint"};
  cause.with("taint", taint_text(taint.key, taint.value, taint.effect));
  for (const Toleration& toleration : tolerations)
    if (const std::string field = difference(toleration, taint); !field.empty()) {
      cause.with("toleration", taint_text(toleration.key, toleration.value, toleration.effect));
      cause.with("differs", field);
      break;
    }
  return cause;
}

std::unique_ptr<const CauseFinder> find_taints(const Request& request,
                                               std::vector<std::string_view> effects) {
  return make_cause_finder([&request, effects = std::move(effects)](NodeId node, std::vector<Cause>& causes) {
    const std::vector<Toleration>& tolerations = request.pod.spec.tolerations;
    for (const Taint& taint : request.view.names().taints[request.view.column(&NodeTable::taints)[node]])
      if (std::ranges::contains(effects, taint.effect) && !tolerates(tolerations, taint))
        causes.push_back(cause_of(taint, tolerations));
  });
}

}  // namespace

FindCauses causes_of_taints, causes_of_no_execute_taints;

std::unique_ptr<const CauseFinder> causes_of_taints(const Request& request, const Arguments&) {
  return find_taints(request, {"NoSchedule", "NoExecute"});
}

std::unique_ptr<const CauseFinder> causes_of_no_execute_taints(const Request& request, const Arguments&) {
  return find_taints(request, {"NoExecute"});
}

// PodToleratesNodeTaints: the pod tolerates the node's NoSchedule and NoExecute taints.
// Upstream: predicates.go PodToleratesNodeTaints v1.16.15.

BindPredicate pod_tolerates_node_taints;

std::unique_ptr<const Predicate> pod_tolerates_node_taints(const Request& request, const Arguments&) {
  return tolerates_taints(request, {"NoSchedule", "NoExecute"},
                          "node(s) had taints that the pod didn't tolerate");
}

// PodToleratesNodeNoExecuteTaints: the pod tolerates the node's NoExecute taints.
// Upstream: predicates.go PodToleratesNodeNoExecuteTaints v1.16.15 (defined there, but never registered).

BindPredicate pod_tolerates_node_no_execute_taints;

std::unique_ptr<const Predicate> pod_tolerates_node_no_execute_taints(const Request& request,
                                                                      const Arguments&) {
  return tolerates_taints(request, {"NoExecute"}, "node(s) had taints that the pod didn't tolerate");
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// TaintToleration: the pod tolerates the node's NoSchedule and NoExecute taints. As upstream, the reason does
// not name the taint. Upstream's Skip, and tolerations with Gt and Lt, depend on gates that are off.
// Upstream: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go v1.37.0.

BindPredicate taint_toleration;

std::unique_ptr<const Predicate> taint_toleration(const Request& request, const Arguments&) {
  return tolerates_taints(request, {"NoSchedule", "NoExecute"}, "node(s) had untolerated taint(s)");
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

// The records.

namespace {

constexpr Record kTaintsRecords[] = {
    {.name = "PodToleratesNodeTaints",
     .origin = RuleOrigin::kClassic,
     .bind = pod_tolerates_node_taints,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_taints,
     .by_default = AtGates::kAllGates,
     .mandatory = AtGates::kTaintNodesByCondition},
    {.name = "PodToleratesNodeNoExecuteTaints",
     .origin = RuleOrigin::kClassic,
     .bind = pod_tolerates_node_no_execute_taints,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_no_execute_taints,
     .known = AtGates::kNoGates},
    {.name = "TaintToleration",
     .origin = RuleOrigin::kToday,
     .bind = today::taint_toleration,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = kNever,
     .causes = causes_of_taints,
     .checks = "taints NoSchedule and NoExecute",
     .classic = {.predicate = "PodToleratesNodeTaints"},
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_37, .points = points::kPreFilterAndFilter}}},
};

}  // namespace

Records taints_records;

std::span<const Record> taints_records() { return kTaintsRecords; }

}  // namespace winnow::predicates
