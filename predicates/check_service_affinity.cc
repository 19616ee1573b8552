// CheckServiceAffinity: the pods of a service run where the configured labels have the same values: those
// that the pod's nodeSelector gives, and for the others those of the node on which the first pod like it runs
// (same namespace, all of its labels). Without a service that matches the pod, or without such a pod, only
// the nodeSelector's count.
// Upstream: predicates.go checkServiceAffinity, metadata serviceAffinityMetadataProducer v1.16.15. Which pod
// is the first hangs there on the order of a Go map; here it is the first by name. Of a pod on a node that is
// not known upstream dies; here such a pod is passed over.
#include "cluster/rule/node_matcher.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_service_affinity;

namespace {

class CheckServiceAffinity final : public OneReason<CheckServiceAffinity> {
 public:
  CheckServiceAffinity(const View& view, const Selector& affinity)
      : OneReason(Fit::kUnschedulable, "node(s) didn't match service affinity"), affinity_(view, affinity) {}
  bool fits(NodeId node) const { return affinity_.matches(node); }

 private:
  const NodeMatcher affinity_;
};

StringMap demanded_by(const Pod& pod, const std::vector<std::string>& labels) {
  StringMap demanded;
  for (const std::string& label : labels)
    if (const auto it = pod.spec.node_selector.find(label); it != pod.spec.node_selector.end())
      demanded.insert(*it);
  return demanded;
}

/// Adds, for labels that have no value yet, those of the node where the first pod like this one runs.
void add_from_others(StringMap& affinity, const Request& request, const std::vector<std::string>& labels) {
  const ObjectMeta& pod = request.pod.metadata;
  const View& view = request.view;
  if (!view.workloads().first_service(pod.namespace_, pod.labels)) return;
  const std::optional<NodeId> node = view.node_of_first(pod.namespace_, pod.labels);
  if (!node) return;
  for (const std::string& label : labels)
    if (const Symbol value = view.label(label)[*node]; value != kNone)
      affinity.emplace(label, view.text(value));
}

}  // namespace

std::unique_ptr<const Predicate> check_service_affinity(const Request& request, const Arguments& arguments) {
  const std::vector<std::string>& labels = std::get<ServiceAffinityLabels>(arguments).labels;
  StringMap affinity = demanded_by(request.pod, labels);
  if (labels.size() > affinity.size()) add_from_others(affinity, request, labels);
  if (affinity.empty()) return nullptr;
  return std::make_unique<CheckServiceAffinity>(request.view, selector_from_set_v116(affinity));
}

}  // namespace winnow::predicates
