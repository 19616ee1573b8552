// The requests and limits of a pod: their sums in integers, as v1.16 counts them, and as v1.37 does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

enum class Accounting : std::uint8_t;

/// The requests, for scoring, of a container that names no cpu or no memory.
inline constexpr std::int64_t kDefaultMilliCpu = 100;
inline constexpr std::int64_t kDefaultMemory = 200 * 1024 * 1024;

/// A pod's requests. CPU is in thousandths of a core, the rest in whole units; both are rounded up.
struct PodRequests {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  /// Scalar resources (extended, huge pages, attachable volumes) in order of name. A resource requested with
  /// 0 is in the list.
  std::vector<std::pair<std::string, std::int64_t>> scalars;
  /// The requests for scoring: a container that names no cpu (memory) counts 100m (200Mi).
  std::int64_t nonzero_milli_cpu = 0;
  std::int64_t nonzero_memory = 0;

  bool asks_for_nothing() const {
    return milli_cpu == 0 && memory == 0 && ephemeral_storage == 0 && scalars.empty();
  }
  bool operator==(const PodRequests&) const = default;
};

/// A pod's limits, added up like its requests; 0 without a limit.
struct PodLimits {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  bool operator==(const PodLimits&) const = default;
};

// The requests and limits of a pod, counted as upstream counts them.

/// The requests of a pod.
/// @param with_status  true for a pod that counts on a node, false for the pod to be placed.
/// Upstream, kToday: pkg/scheduler/framework/types.go CalculateResource v1.37.0; with `with_status` false
/// plugins/noderesources/fit.go computePodResourceRequest. See pod_request_list(). Upstream, kV116: see
/// v116_requests().
PodRequests pod_requests(const Pod& pod, Accounting accounting, bool with_status);
/// Whether all amounts of the spec are from 0 to 2^53. Only then amounts that are equal are so in every
/// reading: beyond, an int64 overflows in a way that depends on how the amount was written.
bool has_plain_amounts(const PodSpec& spec);
/// False only if pod_requests() is the same with the status and without it. So it is unless an in-place
/// resize is under way.
bool status_counts(const Pod& pod, Accounting accounting);

/// The limits of a pod. Upstream, kToday: see pod_limit_list(). Upstream, kV116: see v116_limits().
PodLimits pod_limits(const Pod& pod, Accounting accounting);

/// Whether the pod's QoS class is BestEffort: no cpu or memory request or limit above 0. Init containers
/// count; under kToday pod-level requests and limits count too.
/// Upstream: pkg/apis/core/v1/helper/qos v1.16.15.
bool is_best_effort(const Pod& pod, Accounting accounting);

// The requests and limits of a pod as v1.16 counts them: in integers, container by container.

/// The requests of a pod. Upstream: pkg/scheduler/nodeinfo/node_info.go calculateResource v1.16.15.
/// @param overhead  the feature gate PodOverhead is on.
/// @param runs  true for a pod that counts on a node. For the pod to be placed, scoring takes the overhead's
///   cpu in whole units (upstream: priorities/resource_allocation.go calculatePodResourceRequest).
PodRequests v116_requests(const Pod& pod, bool overhead, bool runs);

/// The limits of a pod. Upstream: priorities/resource_limits.go getResourceLimits v1.16.15.
PodLimits v116_limits(const Pod& pod);

// The requests and limits of a pod as kube-scheduler 1.37 counts them: exact quantities by resource.
// Upstream: component-helpers v0.37.0 resource/helpers.go, without the resources of claims (an alpha gate).

/// The options of pod_request_list(). Upstream: PodResourcesOptions.
struct RequestOptions {
  /// Whether the status of an in-place resize counts (UseStatusResources,
  /// InPlacePodLevelResourcesVerticalScalingEnabled).
  bool with_status = false;
  /// Whether pod-level requests count (not SkipPodLevelResources).
  bool with_pod_level = true;
  /// The request of a container for a resource that it does not name (NonMissingContainerRequests).
  ResourceList defaults;
};

/// The requests of a pod. By resource this is the larger of two amounts. The first is the sum of the
/// containers and sidecars. The second is the largest init container, with the sidecars before it. Pod-level
/// requests replace that amount, and overhead is added.
ResourceList pod_request_list(const Pod& pod, const RequestOptions& options);

/// What the containers of a pod request by their specs: the part of pod_request_list() without pod-level
/// requests and overhead. Upstream: AggregateContainerRequests without options.
ResourceList container_request_list(const Pod& pod);
/// The same of limits. Upstream: AggregateContainerLimits without options.
ResourceList container_limit_list(const Pod& pod);

/// The limits of a pod, counted like its requests. Overhead is added only to a resource with a limit.
ResourceList pod_limit_list(const Pod& pod);

/// Whether the pod has a pod-level request for cpu, memory or huge pages.
bool has_pod_level_requests(const Pod& pod);

/// The default requests for scoring, kDefaultMilliCpu and kDefaultMemory.
ResourceList default_requests();

// A sum of requests in integers.

/// A sum of resource lists as upstream's scheduler keeps it. CPU is in thousandths of a core, the rest in
/// whole units. Resources that no node accounts for are left out. Sums wrap around as Go's integers do.
/// Upstream: pkg/scheduler/nodeinfo/node_info.go Resource v1.16.15, pkg/scheduler/framework/types.go Resource
/// v1.37.0.
class RequestSum {
 public:
  void add(const ResourceList& list);
  /// Raises each amount to at least the list's. Unlike in add(), an amount of 0 does not add a scalar
  /// resource.
  void raise_to(const ResourceList& list);

  /// The sum so far. The nonzero requests in it are 0.
  PodRequests sum() const;

 private:
  std::int64_t milli_cpu_ = 0, memory_ = 0, ephemeral_storage_ = 0;
  std::map<std::string, std::int64_t, std::less<>> scalars_;
};

/// The amount of a resource, cpu in thousandths of a core; 0 if the list lacks it.
std::int64_t amount_of(const ResourceList& list, std::string_view resource);

}  // namespace winnow
