// CheckServiceAffinity: the pods of a Service run on nodes that have the same values of the configured
// labels. The pod's nodeSelector gives some of these values. The others are taken from the node of the first
// pod like it: a pod of its namespace that has all of its labels. An unknown node of that pod is an error. If
// no Service matches the pod, or there is no such pod, only the values of the nodeSelector count.
// Upstream: predicates.go checkServiceAffinity, metadata serviceAffinityMetadataProducer v1.16.15. There the
// first pod depends on the order of a Go map; here it is the first by name.
#include "cluster/api/workload.h"
#include "cluster/rule/node_matcher.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/workloads.h"
#include "cluster/text/go_format.h"
#include "predicates/node_causes.h"
#include "predicates/records.h"
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

/// The values of the configured labels that the pod's nodeSelector gives.
StringMap demanded_by(const Pod& pod, const std::vector<std::string>& labels) {
  StringMap demanded;
  for (const std::string& label : labels)
    if (const auto it = pod.spec.node_selector.find(label); it != pod.spec.node_selector.end())
      demanded.insert(*it);
  return demanded;
}

/// The location of the first pod like this one, if a Service matches the pod. Today's framework has a pod
/// only with its node.
std::optional<View::Location> first_location(const Request& request, Generation generation) {
  const ObjectMeta& pod = request.pod.metadata;
  const View& view = request.view;
  if (generation == Generation::kToday) {
    if (view.workloads().services(pod.namespace_, pod.labels).empty()) return std::nullopt;
    return view.first_location(pod.namespace_, pod.labels, /*known=*/true);
  }
  if (!view.workloads().first_service(pod.namespace_, pod.labels)) return std::nullopt;
  return view.first_location(pod.namespace_, pod.labels);
}

void add_labels_of(NodeId node, const View& view, const std::vector<std::string>& labels,
                   StringMap& affinity) {
  for (const std::string& label : labels)
    if (const Symbol value = view.label(label)[node]; value != kNone)
      affinity.emplace(label, view.text(value));
}

/// What the pods of a Service have in common: a selector of nodes, or the error of an unknown node.
std::expected<Selector, std::string> common_labels(const Request& request,
                                                   const std::vector<std::string>& labels,
                                                   Generation generation) {
  StringMap affinity = demanded_by(request.pod, labels);
  if (labels.size() > affinity.size())
    if (const auto location = first_location(request, generation)) {
      if (location->node == kNone)
        return std::unexpected(generation == Generation::kToday
                                   ? "node not found"
                                   : "node " + go_quote(location->node_name) + " not found");
      add_labels_of(location->node, request.view, labels, affinity);
    }
  return generation == Generation::kToday ? selector_from_set(affinity) : selector_from_set_v116(affinity);
}

std::unique_ptr<const CauseFinder> find_others(const Request& request, const std::vector<std::string>& labels,
                                               Generation generation) {
  const auto common = common_labels(request, labels, generation);
  if (!common) return everywhere(Cause{"error"}.with("error", common.error()));
  NodeCauses requirements(request.view);
  requirements.add(*common, "serviceAffinity");
  return make_cause_finder(
      [all = std::move(requirements)](NodeId node, std::vector<Cause>& causes) { all.find(node, causes); });
}

}  // namespace

std::unique_ptr<const Predicate> keeps_service_together(const Request& request,
                                                        const std::vector<std::string>& labels,
                                                        Generation generation) {
  auto common = common_labels(request, labels, generation);
  if (!common) return std::make_unique<ErrorEverywhere>(std::move(common).error());
  // Today's framework takes a null rule that has a PreFilter for one that skips the pod, and asks it no more.
  if (common->is_everything() && generation == Generation::kClassic) return nullptr;
  return std::make_unique<CheckServiceAffinity>(request.view, *common);
}

FindCauses causes_of_service_affinity;

std::unique_ptr<const CauseFinder> causes_of_service_affinity(const Request& request,
                                                              const Arguments& arguments) {
  return find_others(request, arguments.get<ServiceAffinityLabels>().labels, Generation::kClassic);
}

std::unique_ptr<const Predicate> check_service_affinity(const Request& request, const Arguments& arguments) {
  return keeps_service_together(request, arguments.get<ServiceAffinityLabels>().labels, Generation::kClassic);
}

}  // namespace winnow::predicates

namespace winnow::predicates::removed {

// ServiceAffinity as a filter: the classic CheckServiceAffinity for the labels of affinityLabels. A pod on an
// unknown node does not count.
// Upstream: plugins/serviceaffinity/service_affinity.go v1.22.17. There the first pod depends on the order of
// nodes in the scheduler's cache; here it is the first by name.

BindPredicate service_affinity;

FindCauses causes_of_service_affinity;

std::unique_ptr<const CauseFinder> causes_of_service_affinity(const Request& request,
                                                              const Arguments& arguments) {
  return find_others(request, arguments.get_or_default<ServiceAffinityArgs>().affinity_labels,
                     Generation::kToday);
}

/// Whether the filter reads what its PreFilter has prepared; see predicates/records.h.
bool has_affinity_labels(const Arguments& arguments);

bool has_affinity_labels(const Arguments& arguments) {
  const auto* const args = arguments.get_if<ServiceAffinityArgs>();
  return args != nullptr && !args->affinity_labels.empty();
}

std::unique_ptr<const Predicate> service_affinity(const Request& request, const Arguments& arguments) {
  if (!has_affinity_labels(arguments)) return nullptr;
  return keeps_service_together(request, arguments.get<ServiceAffinityArgs>().affinity_labels,
                                Generation::kToday);
}

}  // namespace winnow::predicates::removed

namespace winnow::predicates {

namespace {

constexpr ArgsField<ServiceAffinityLabels> kServiceAffinityFields[] = {
    field<&ServiceAffinityLabels::labels>("labels")};
constexpr PolicyArgument kServiceAffinity = policy_argument<kServiceAffinityFields>("serviceAffinity");

/// ServiceAffinity: always, for the first pod like it may be evicted.
bool may_lose_first_pod(const PodSpec&, std::span<const PodSpec* const>) { return true; }

}  // namespace

// The records.

namespace {

constexpr Record kServicesRecords[] = {
    {.name = "CheckServiceAffinity",
     .origin = RuleOrigin::kClassic,
     .bind = check_service_affinity,
     .needs = needs::kServices,
     .follows_by = kBoundAgain,
     .causes = causes_of_service_affinity,
     .argument = &kServiceAffinity},
    {.name = "ServiceAffinity",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::service_affinity,
     .needs = kind_of<Service>,
     .follows_by = kBoundAgain,
     .causes = removed::causes_of_service_affinity,
     .checks = "node labels that a Service's pods share",
     .turned_by_eviction = may_lose_first_pod,
     .without_pre_filter = "error reading \"PreFilterServiceAffinity\" from cycleState: not found",
     .uses_pre_filter = removed::has_affinity_labels,
     .may_skip = false,
     .releases =
         {{.release = Release::k1_18,
           .points = points::kPreFilterAndFilter,
           .args = &kServiceAffinityArgs118},
          {.release = Release::k1_22, .points = points::kPreFilterAndFilter, .args = &kServiceAffinityArgs},
          {.release = Release::k1_27, .points = points::kNone},
          {.release = Release::k1_37, .points = points::kPreFilterAndFilter, .args = &kServiceAffinityArgs}}},
};

}  // namespace

Records services_records;

std::span<const Record> services_records() { return kServicesRecords; }

}  // namespace winnow::predicates
