// What the pods of a cluster use that kube-scheduler does with filter plugins of its own alone. Where nothing
// uses it, all of them may be off: manifests/kube-scheduler-best-no-filters.yaml.
#pragma once

#include <expected>
#include <span>
#include <string>

#include "extender/operate/doctor.h"

namespace winnow {

struct Pod;
struct PriorityClass;
struct StorageClass;

/// The first object of each kind that is found, as "PriorityClass high"; "": there is none.
struct ClusterUses {
  /// A PriorityClass of users' own whose pods preempt. Up to 1.37 kube-scheduler preempts by its own filters.
  std::string preempting_class;
  /// A StorageClass with WaitForFirstConsumer: VolumeBinding has its volumes made.
  std::string late_class;
  /// A pod with resource claims, or such a claim: DynamicResources allocates its devices.
  std::string claims;
};

/// The uses of objects from files. Kubernetes has PriorityClasses of its own, so files without any do not
/// show the whole cluster.
/// @return the uses, or one line that says what the files lack.
std::expected<ClusterUses, std::string> find_uses(std::span<const PriorityClass> priorities,
                                                  std::span<const StorageClass> storage,
                                                  std::span<const Pod> pods);

/// The uses of a live cluster, by three or four lists.
/// @return the uses, or one line that says what could not be listed.
std::expected<ClusterUses, std::string> ask_uses(const AskServer& ask);

/// Why kube-scheduler must keep filter plugins on, as the object and what it needs; "": none of the uses
/// does.
/// @param release  kube-scheduler 1.N.
std::string why_filters_stay(const ClusterUses& uses, int release);

}  // namespace winnow
