#include "cluster/expand/admission.h"

#include <algorithm>
#include <format>
#include <functional>
#include <limits>

#include "cluster/expand/limit_ranger.h"
#include "cluster/text/go_quote.h"

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
  for (const auto& [key, one] : cluster.objects.of<LimitRange>())
    ranges_[one.metadata.namespace_][one.metadata.name] = one;
  for (const LimitRange& one : added.of<LimitRange>())
    ranges_[one.metadata.namespace_][one.metadata.name] = one;
  std::map<std::string, const StorageClass*> storage;
  for (const auto& [name, one] : cluster.volumes.storage_classes()) storage[name] = &one;
  for (const StorageClass& one : added.of<StorageClass>()) storage[one.metadata.name] = &one;
  default_storage_class_ = default_of(storage);
}

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

std::string Admission::mutate(Pod& pod, const std::string& class_name) const {
  if (const auto ranges = ranges_.find(pod.metadata.namespace_); ranges != ranges_.end())
    for (const auto& [name, range] : ranges->second) set_default_resources(range, pod);
  if (std::string why = set_priority(pod, class_name); !why.empty()) return why;
  tolerate_for_a_while(pod.spec.tolerations, "node.kubernetes.io/not-ready");
  tolerate_for_a_while(pod.spec.tolerations, "node.kubernetes.io/unreachable");
  return "";
}

std::string Admission::refuses(const Pod& pod) const {
  const auto ranges = ranges_.find(pod.metadata.namespace_);
  if (ranges == ranges_.end()) return "";
  for (const auto& [name, range] : ranges->second)
    if (std::string why = limit_errors(range, pod); !why.empty())
      return forbidden("pods", pod.metadata.name, why);
  return "";
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

}  // namespace winnow
