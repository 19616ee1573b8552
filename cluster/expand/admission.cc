#include "cluster/expand/admission.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/expand/runtime_class.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/state.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

/// Upstream: pkg/apis/scheduling/v1/helpers.go systemPriorityClasses v1.37.0.
PriorityClass system_class(const char* name, std::int32_t value) {
  PriorityClass made;
  made.metadata.name = name;
  made.value = value;
  made.preemption_policy = "PreemptLowerPriority";
  return made;
}

bool is_default(const StorageClass& storage_class) {
  constexpr const char* kMarks[] = {"storageclass.kubernetes.io/is-default-class",
                                    "storageclass.beta.kubernetes.io/is-default-class"};
  const StringMap& annotations = storage_class.metadata.annotations;
  return std::ranges::any_of(kMarks, [&](const char* mark) {
    const auto found = annotations.find(mark);
    return found != annotations.end() && found->second == "true";
  });
}

/// Of several default classes the newest counts, then the first by name.
/// Upstream: pkg/volume/util/storageclass.go GetDefaultClass v1.37.0.
std::optional<std::string> default_of(const std::map<std::string, const StorageClass*>& classes) {
  const auto age = [](const StorageClass& one) {
    return one.metadata.creation_timestamp.value_or(std::numeric_limits<std::int64_t>::min());
  };
  const StorageClass* found = nullptr;
  for (const auto& [name, one] : classes)
    if (is_default(*one) && (!found || age(*one) > age(*found))) found = one;
  return found ? std::optional(found->metadata.name) : std::nullopt;
}

/// Upstream: plugin/pkg/admission/defaulttolerationseconds/admission.go Admit v1.37.0, with default flags.
void tolerate_for_a_while(std::vector<Toleration>& tolerations, const char* key) {
  const bool has = std::ranges::any_of(tolerations, [&](const Toleration& one) {
    return (one.key == key || one.key.empty()) && (one.effect == "NoExecute" || one.effect.empty());
  });
  if (!has)
    tolerations.push_back(
        {.key = key, .op = "Exists", .value = "", .effect = "NoExecute", .toleration_seconds = 300});
}

}  // namespace

std::string forbidden(std::string_view resource, std::string_view name, std::string_view why) {
  return std::format("{} {} is forbidden: {}", resource, go_quote(name), why);
}

Admission::Admission(const State& cluster, const ClusterObjects& added) {
  for (auto&& one : {system_class("system-node-critical", 2'000'001'000),
                     system_class("system-cluster-critical", 2'000'000'000)})
    classes_[one.metadata.name] = one;
  for (const auto& [name, one] : cluster.objects.of<PriorityClass>()) classes_[name] = one;
  for (const PriorityClass& one : added.of<PriorityClass>()) classes_[one.metadata.name] = one;
  lacks_priority_classes_ = cluster.objects.of<PriorityClass>().empty() && added.of<PriorityClass>().empty();
  for (const auto& [key, one] : cluster.objects.of<LimitRange>())
    ranges_[one.metadata.namespace_][one.metadata.name] = one;
  for (const LimitRange& one : added.of<LimitRange>())
    ranges_[one.metadata.namespace_][one.metadata.name] = one;
  for (const auto& [name, one] : cluster.objects.of<RuntimeClass>()) runtime_classes_[name] = one;
  for (const RuntimeClass& one : added.of<RuntimeClass>()) runtime_classes_[one.metadata.name] = one;
  std::map<std::string, const StorageClass*> storage;
  for (const auto& [name, one] : cluster.volumes.storage_classes()) storage[name] = &one;
  for (const StorageClass& one : added.of<StorageClass>()) storage[one.metadata.name] = &one;
  default_storage_class_ = default_of(storage);
}

Admission::Admission(const State& cluster) : Admission(cluster, ClusterObjects()) {}

/// Upstream: plugin/pkg/admission/priority/admission.go getDefaultPriorityClass v1.37.0: of several the one
/// with the lowest value.
const PriorityClass* Admission::default_class() const {
  const PriorityClass* found = nullptr;
  for (const auto& [name, one] : classes_)
    if (one.global_default && (!found || one.value < found->value)) found = &one;
  return found;
}

/// Upstream: priority/admission.go admitPod v1.37.0.
std::string Admission::set_priority(Pod& pod, const std::string& class_name) const {
  PodSpec& spec = pod.spec;
  const PriorityClass* found = default_class();
  if (!class_name.empty()) {
    const auto named = classes_.find(class_name);
    const bool was_stored = !pod.metadata.uid.empty();
    if (named == classes_.end() && was_stored && spec.priority) return "";
    if (named == classes_.end())
      return std::format("no PriorityClass with name {} was found; expected it in the cluster or in a file",
                         class_name);
    found = &named->second;
  }
  const std::int32_t priority = found ? found->value : 0;
  const std::string policy = found ? found->preemption_policy : "PreemptLowerPriority";
  if (spec.priority && *spec.priority != priority)
    return std::format(
        "the integer value of priority ({}) must not be provided in pod spec; priority admission controller "
        "computed {} from the given PriorityClass name",
        *spec.priority, priority);
  if (!spec.preemption_policy.empty() && spec.preemption_policy != policy)
    return std::format(
        "the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority admission "
        "controller computed {} from the given PriorityClass name",
        spec.preemption_policy, policy);
  spec.priority = priority;
  spec.preemption_policy = policy;
  return "";
}

/// Upstream: runtimeclass/admission.go prepareObjects, Admit v1.37.0.
std::string Admission::set_runtime_class(Pod& pod, const PodClasses& classes) const {
  if (!classes.runtime || lacks_runtime_classes()) return "";
  const auto named = runtime_classes_.find(*classes.runtime);
  if (named != runtime_classes_.end()) return apply_runtime_class(named->second, pod);
  const bool was_stored = !pod.metadata.uid.empty();
  return was_stored ? "" : std::format("pod rejected: RuntimeClass {} not found", go_quote(*classes.runtime));
}

/// A class that has an overhead has given it to the pod. Upstream: validateOverhead.
std::string Admission::overhead_error(const Pod& pod, const PodClasses& classes) const {
  if (!pod.spec.overhead || pod.spec.overhead->empty()) return "";
  if (classes.runtime) {
    const auto named = runtime_classes_.find(*classes.runtime);
    if (named == runtime_classes_.end() || named->second.overhead) return "";
  }
  return "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
}

std::string Admission::mutate(Pod& pod, const PodClasses& classes) const {
  if (const auto ranges = ranges_.find(pod.metadata.namespace_); ranges != ranges_.end())
    for (const auto& [name, range] : ranges->second) set_default_resources(range, pod);
  if (std::string why = set_priority(pod, classes.priority); !why.empty()) return why;
  tolerate_for_a_while(pod.spec.tolerations, "node.kubernetes.io/not-ready");
  tolerate_for_a_while(pod.spec.tolerations, "node.kubernetes.io/unreachable");
  return set_runtime_class(pod, classes);
}

bool Admission::knows_priority(const std::string& class_name) const {
  return !lacks_priority_classes_ || (!class_name.empty() && classes_.contains(class_name));
}

ClassRemarks Admission::apply_classes(Pod& pod, const PodClasses& classes) const {
  ClassRemarks remarks;
  const auto refuse = [&](const std::string& why) {
    if (!why.empty()) remarks.refused.push_back(forbidden("pods", pod.metadata.name, why));
  };
  Pod made = pod;
  made.metadata.uid.clear();  // A new pod of a file has its name for one.
  if (knows_priority(classes.priority))
    refuse(set_priority(made, classes.priority));
  else if (!classes.priority.empty() && !made.spec.priority)
    remarks.not_judged.push_back(
        std::format("PriorityClass {}: no PriorityClass is known, so it counts as priority 0",
                    go_quote(classes.priority)));
  if (classes.runtime && lacks_runtime_classes()) {
    remarks.not_judged.push_back(std::format(
        "RuntimeClass {}: no RuntimeClass is known, so its overhead, nodeSelector and tolerations "
        "are not applied",
        go_quote(*classes.runtime)));
  } else {
    Pod with_class = made;
    std::string why = set_runtime_class(with_class, classes);
    if (why.empty()) why = overhead_error(with_class, classes);
    if (why.empty()) made = std::move(with_class);
    refuse(why);
  }
  made.metadata.uid = pod.metadata.uid;
  pod = std::move(made);
  return remarks;
}

std::string Admission::refuses(const Pod& pod, const PodClasses& classes) const {
  if (const auto ranges = ranges_.find(pod.metadata.namespace_); ranges != ranges_.end())
    for (const auto& [name, range] : ranges->second)
      if (std::string why = limit_errors(range, pod); !why.empty())
        return forbidden("pods", pod.metadata.name, why);
  const std::string why = overhead_error(pod, classes);
  return why.empty() ? "" : forbidden("pods", pod.metadata.name, why);
}

/// Upstream: plugin/pkg/admission/storage/storageclass/setdefault/admission.go Admit v1.37.0.
void Admission::mutate(PersistentVolumeClaim& claim) const {
  if (!claim.storage_class_name &&
      !claim.metadata.annotations.contains("volume.beta.kubernetes.io/storage-class"))
    claim.storage_class_name = default_storage_class_;
}

std::string Admission::refuses(const PersistentVolumeClaim& claim) const {
  const auto ranges = ranges_.find(claim.metadata.namespace_);
  if (ranges == ranges_.end()) return "";
  for (const auto& [name, range] : ranges->second)
    if (std::string why = limit_errors(range, claim); !why.empty())
      return forbidden("persistentvolumeclaims", claim.metadata.name, why);
  return "";
}

namespace {

/// Upstream: apimachinery pkg/api/resource MaxMilliValue v0.37.0.
constexpr std::int64_t kMaxMilliValue = std::numeric_limits<std::int64_t>::max() / 1000;

/// One limit of one resource, held against what is asked.
struct Question {
  std::string_view type;  ///< "Container"
  const std::string& resource;
  const Quantity& enforced;
  const Quantity* request;  ///< Null: there is none.
  const Quantity* limit;

  std::string asked() const {
    return std::format("{} usage per {} is {}", resource, type, quantity_text(enforced));
  }
};

struct Values {
  std::int64_t request, limit, enforced;
};

/// In thousandths, where these do not overflow. Upstream: requestLimitEnforcedValues.
Values values_of(const Question& q) {
  const Quantity request = q.request ? *q.request : Quantity(), limit = q.limit ? *q.limit : Quantity();
  const Values units{request.value(), limit.value(), q.enforced.value()};
  if (std::max({units.request, units.limit, units.enforced}) > kMaxMilliValue) return units;
  return {request.milli_value(), limit.milli_value(), q.enforced.milli_value()};
}

/// Upstream: minConstraint.
std::string below_minimum(const Question& q) {
  const Values values = values_of(q);
  const std::string says = "minimum " + q.asked();
  if (!q.request) return says + ".  No request is specified";
  if (values.request < values.enforced) return says + ", but request is " + quantity_text(*q.request);
  if (q.limit && values.limit < values.enforced) return says + ", but limit is " + quantity_text(*q.limit);
  return "";
}

/// Upstream: maxConstraint.
std::string above_maximum(const Question& q) {
  const Values values = values_of(q);
  const std::string says = "maximum " + q.asked();
  if (!q.limit) return says + ".  No limit is specified";
  if (values.limit > values.enforced) return says + ", but limit is " + quantity_text(*q.limit);
  if (q.request && values.request > values.enforced)
    return says + ", but request is " + quantity_text(*q.request);
  return "";
}

/// Upstream: maxRequestConstraint.
std::string requests_above_maximum(const Question& q) {
  const std::string says = "maximum " + q.asked();
  if (!q.request) return says + ".  No request is specified";
  const Values values = values_of(q);
  return values.request > values.enforced ? says + ", but request is " + quantity_text(*q.request) : "";
}

/// Upstream: limitRequestRatioConstraint.
std::string above_ratio(const Question& q) {
  const Values values = values_of(q);
  const std::string says = std::format("{} max limit to request ratio per {} is {}", q.resource, q.type,
                                       quantity_text(q.enforced));
  if (!q.request || values.request == 0) return says + ", but no request is specified or request is 0";
  if (!q.limit || values.limit == 0) return says + ", but no limit is specified or limit is 0";
  const double ratio = static_cast<double>(values.limit) / static_cast<double>(values.request);
  const std::int64_t most = q.enforced.value();
  const bool is_too_large = most <= kMaxMilliValue
                                ? ratio * 1000 > static_cast<double>(q.enforced.milli_value())
                                : ratio > static_cast<double>(most);
  return is_too_large ? std::format("{}, but provided ratio is {:f}", says, ratio) : "";
}

/// Collects errors, each once. Upstream: apimachinery pkg/util/errors Aggregate v0.37.0.
class Aggregate {
 public:
  using Check = std::string (*)(const Question&);

  /// Checks each resource of `limits`.
  void check(std::string_view type, const ResourceList& limits, const ResourceRequirements& asked,
             Check error_of) {
    for (const auto& [resource, enforced] : limits) {
      const auto request = asked.requests.find(resource), limit = asked.limits.find(resource);
      add(error_of({.type = type,
                    .resource = resource,
                    .enforced = enforced,
                    .request = request == asked.requests.end() ? nullptr : &request->second,
                    .limit = limit == asked.limits.end() ? nullptr : &limit->second}));
    }
  }
  void check_all(const LimitRangeItem& item, const ResourceRequirements& asked) {
    check(item.type, item.min, asked, below_minimum);
    check(item.type, item.max, asked, above_maximum);
    check(item.type, item.max_ratios, asked, above_ratio);
  }

  std::string text() const {
    if (errors_.size() <= 1) return errors_.empty() ? "" : errors_.front();
    std::string all = "[";
    for (const std::string& error : errors_) all += (all.size() == 1 ? "" : ", ") + error;
    return all + "]";
  }

 private:
  void add(std::string error) {
    if (!error.empty() && !std::ranges::contains(errors_, error)) errors_.push_back(std::move(error));
  }
  std::vector<std::string> errors_;
};

/// What a pod asks for as a whole. Upstream: podRequests and podLimits: without overhead, of pod-level
/// resources only cpu and memory.
ResourceRequirements whole_of(const Pod& pod) {
  ResourceRequirements whole{.requests = container_request_list(pod), .limits = container_limit_list(pod)};
  if (!pod.spec.resources) return whole;
  for (const char* name : {"cpu", "memory"}) {
    const ResourceRequirements& level = *pod.spec.resources;
    if (const auto one = level.requests.find(name); one != level.requests.end())
      whole.requests[name] = one->second;
    if (const auto one = level.limits.find(name); one != level.limits.end()) whole.limits[name] = one->second;
  }
  return whole;
}

}  // namespace

void set_default_resources(const LimitRange& range, Pod& pod) {
  // Of several items the last one counts. Upstream: defaultContainerResourceRequirements.
  ResourceRequirements defaults;
  for (const LimitRangeItem& item : range.limits) {
    if (item.type != "Container") continue;
    for (const auto& [name, amount] : item.default_requests) defaults.requests[name] = amount;
    for (const auto& [name, amount] : item.default_limits) defaults.limits[name] = amount;
  }
  for (auto* list : {&pod.spec.containers, &pod.spec.init_containers}) {
    for (Container& container : *list) {
      container.resources.limits.insert(defaults.limits.begin(), defaults.limits.end());
      container.resources.requests.insert(defaults.requests.begin(), defaults.requests.end());
    }
  }
}

std::string limit_errors(const LimitRange& range, const Pod& pod) {
  Aggregate errors;
  for (const LimitRangeItem& item : range.limits) {
    if (item.type == "Container")
      for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers})
        for (const Container& container : *list) errors.check_all(item, container.resources);
    if (item.type == "Pod") errors.check_all(item, whole_of(pod));
  }
  return errors.text();
}

std::string limit_errors(const LimitRange& range, const PersistentVolumeClaim& claim) {
  Aggregate errors;
  const ResourceRequirements asked{.requests = claim.requests, .limits = {}};
  for (const LimitRangeItem& item : range.limits) {
    if (item.type != "PersistentVolumeClaim") continue;
    errors.check(item.type, item.min, asked, below_minimum);
    errors.check(item.type, item.max, asked, requests_above_maximum);
  }
  return errors.text();
}

}  // namespace winnow
