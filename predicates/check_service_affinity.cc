// CheckServiceAffinity: the pods of a service run where the configured labels have the same values: those
// that the pod's nodeSelector gives, and for the others those of the node on which the first pod like it runs
// (same namespace, all of its labels). Without a service that matches the pod, or without such a pod, only
// the nodeSelector's count.
// If that pod's node is not known, the rule errs.
// Upstream: predicates.go checkServiceAffinity, metadata serviceAffinityMetadataProducer v1.16.15. Which pod
// is the first hangs there on the order of a Go map; here it is the first by name.
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

/// The node on which the first pod of the same service runs, if the pod has a service.
std::optional<View::Site> first_site(const Request& request) {
  const ObjectMeta& pod = request.pod.metadata;
  if (!request.view.workloads().first_service(pod.namespace_, pod.labels)) return std::nullopt;
  return request.view.first_site(pod.namespace_, pod.labels);
}

void add_labels_of(NodeId node, const View& view, const std::vector<std::string>& labels,
                   StringMap& affinity) {
  for (const std::string& label : labels)
    if (const Symbol value = view.label(label)[node]; value != kNone)
      affinity.emplace(label, view.text(value));
}

}  // namespace

std::unique_ptr<const Predicate> check_service_affinity(const Request& request, const Arguments& arguments) {
  const std::vector<std::string>& labels = std::get<ServiceAffinityLabels>(arguments).labels;
  StringMap affinity = demanded_by(request.pod, labels);
  if (labels.size() > affinity.size())
    if (const auto site = first_site(request)) {
      if (site->node == kNone)
        return std::make_unique<ErrorEverywhere>("node \"" + site->node_name + "\" not found");
      add_labels_of(site->node, request.view, labels, affinity);
    }
  if (affinity.empty()) return nullptr;
  return std::make_unique<CheckServiceAffinity>(request.view, selector_from_set_v116(affinity));
}

}  // namespace winnow::predicates
