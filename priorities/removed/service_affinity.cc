// ServiceAffinity as a score: spreads the pods of the pod's first Service over the values of each label of
// antiAffinityLabelsPreference, and gives the mean over the labels. It is the classic rule of the argument
// serviceAntiAffinity for several labels, with 100 for 10.
// A Service with an empty selector counts no pods. Upstream takes the first Service in the order of a Go map;
// here it is the first by name.
// Upstream: plugins/serviceaffinity/service_affinity.go v1.22.17.
#include "cluster/rule/arguments.h"
#include "priorities/rules.h"

namespace winnow::priorities::removed {

BindPriority service_affinity;

BoundPriority service_affinity(const Request& request, const Arguments& arguments) {
  const auto* const args = std::get_if<ServiceAffinityArgs>(&arguments);
  if (!args) return nullptr;
  const ObjectMeta& pod = request.pod.metadata;
  const std::vector<const Selector*> services = request.view.workloads().services(pod.namespace_, pod.labels);
  std::vector<std::int32_t> counts;
  if (!services.empty() && !services.front()->is_everything())
    counts = request.view.count_pods(pod.namespace_, *services.front());
  return spreads_service(request.view, args->anti_affinity_labels_preference, std::move(counts),
                         kMaxNodeScore);
}

}  // namespace winnow::priorities::removed
