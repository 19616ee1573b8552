// The API server's admission of new pods and claims, by the objects of a cluster and of files.
//
// Of the plugins that are on by default those count that change or refuse what Winnow reads: LimitRanger,
// Priority, DefaultTolerationSeconds, RuntimeClass and DefaultStorageClass. ExtendedResourceToleration and
// AlwaysPullImages are off by default, and so they are here. Quotas, webhooks and Pod Security are not known.
// Upstream: kubernetes v1.37.0, pkg/kubeapiserver/options/plugins.go; the plugins are in
// plugin/pkg/admission.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/workload.h"

namespace winnow {

class ClusterObjects;
class State;
struct PersistentVolumeClaim;
struct PodClasses;

/// What is to be told of the classes of a pod.
struct ClassRemarks {
  std::vector<std::string> refused;     ///< Why an API server would refuse the pod, in upstream's words.
  std::vector<std::string> not_judged;  ///< Classes of which nothing is known.
};

/// Keeps copies of what it reads of both. Used by one thread.
class Admission {
 public:
  /// @param added  objects of files; one replaces the cluster's of its name.
  Admission(const State& cluster, const ClusterObjects& added);
  /// By the objects of the cluster alone.
  explicit Admission(const State& cluster);

  /// What mutating plugins do to a pod that has the defaults. To be called before prepare_for_create().
  /// A pod with a UID, which another API server has stored, stays as it is where a class of it is not known.
  /// Where no RuntimeClass is known at all, the pod stays as if it named none.
  /// @return why the pod is refused, in upstream's words; "" if it is not.
  std::string mutate(Pod& pod, const PodClasses& classes) const;
  /// What validating plugins refuse of a pod that is complete, in upstream's words; "": nothing.
  std::string refuses(const Pod& pod, const PodClasses& classes) const;
  /// What the plugins Priority and RuntimeClass alone do to a pod that has the defaults, for one that is
  /// judged in any case. A class that refuses the pod, or is not known, gives it nothing. Where neither the
  /// cluster nor the files have a PriorityClass, only classes of Kubernetes' own give a priority.
  ClassRemarks apply_classes(Pod& pod, const PodClasses& classes) const;
  /// Whether neither the cluster nor the files have a RuntimeClass.
  bool lacks_runtime_classes() const { return runtime_classes_.empty(); }

  /// Sets the default StorageClass of a claim that names none.
  void mutate(PersistentVolumeClaim& claim) const;
  /// What validating plugins refuse of a claim that is complete, in upstream's words; "": nothing.
  std::string refuses(const PersistentVolumeClaim& claim) const;

 private:
  std::string set_priority(Pod& pod, const std::string& class_name) const;
  std::string set_runtime_class(Pod& pod, const PodClasses& classes) const;
  std::string overhead_error(const Pod& pod, const PodClasses& classes) const;
  const PriorityClass* default_class() const;
  /// Whether a priority can be worked out: there are classes, or the pod's is one of Kubernetes' own.
  bool knows_priority(const std::string& class_name) const;

  std::map<std::string, PriorityClass, std::less<>> classes_;
  bool lacks_priority_classes_ = true;  ///< There are those alone that every cluster has.
  std::map<std::string, std::map<std::string, LimitRange>, std::less<>> ranges_;  ///< By namespace and name.
  std::map<std::string, RuntimeClass, std::less<>> runtime_classes_;
  std::optional<std::string> default_storage_class_;
};

/// The text `pods "web-x2x7k" is forbidden: WHY`. Upstream: apiserver pkg/admission/errors.go v0.37.0.
std::string forbidden(std::string_view resource, std::string_view name, std::string_view why);

// LimitRanges, applied to a pod or a claim.
// Upstream: plugin/pkg/admission/limitranger/admission.go v1.37.0.

/// Gives containers and init containers the default limits and requests that they lack. The annotation that
/// upstream sets is left out: no rule reads it. Upstream: PodMutateLimitFunc.
void set_default_resources(const LimitRange& range, Pod& pod);

/// What the range forbids, in upstream's words: "maximum cpu usage per Container is 2, but limit is 4". Of
/// several errors "[A, B]", in the order of resource names, where upstream's order is chance. "": nothing.
/// Upstream: PodValidateLimitFunc.
std::string limit_errors(const LimitRange& range, const Pod& pod);
/// The same of a claim. Upstream: PersistentVolumeClaimValidateLimitFunc.
std::string limit_errors(const LimitRange& range, const PersistentVolumeClaim& claim);

}  // namespace winnow
