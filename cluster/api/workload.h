// The objects that select pods (Services, controllers, budgets), and those that only admission reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/api/pod.h"

namespace winnow {

struct Service {
  ObjectMeta metadata;
  std::optional<StringMap> selector;  ///< Absent: selects nothing. Empty: every pod.

  bool operator==(const Service&) const = default;
};

struct ReplicationController {
  ObjectMeta metadata;
  StringMap selector;         ///< Empty or absent: selects no pod.
  StringMap template_labels;  ///< Of spec.template; defaults alone read them.

  bool operator==(const ReplicationController&) const = default;
};

struct ReplicaSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;

  bool operator==(const ReplicaSet&) const = default;
};

struct StatefulSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;

  bool operator==(const StatefulSet&) const = default;
};

struct PodDisruptionBudget {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  std::int32_t disruptions_allowed = 0;
  StringMap disrupted_pods;          ///< Pod names with the times of their evictions.
  std::int32_t current_healthy = 0;  ///< 0 too where the status lacks it, as the next.
  std::int32_t desired_healthy = 0;

  bool operator==(const PodDisruptionBudget&) const = default;
};

/// The endpoints of a Service; Winnow reads only those of the API servers.
struct EndpointSlice {
  ObjectMeta metadata;
  std::string address_type;                                 ///< "IPv4", "IPv6" or "FQDN".
  std::vector<std::string> addresses;                       ///< Of endpoints that are ready, or do not say.
  std::vector<std::pair<std::string, std::int32_t>> ports;  ///< Name and number.
};

// The objects that the API server's admission reads when a pod is created. No rule reads them.

struct PriorityClass {
  ObjectMeta metadata;
  std::int32_t value = 0;
  bool global_default = false;    ///< Of pods that name no class.
  std::string preemption_policy;  ///< As written; "" means PreemptLowerPriority.

  bool operator==(const PriorityClass&) const = default;
};

/// One of a LimitRange's spec.limits.
struct LimitRangeItem {
  std::string type;  ///< "Container", "Pod" or "PersistentVolumeClaim"; others limit nothing here.
  ResourceList max;
  ResourceList min;
  ResourceList default_limits;    ///< The field `default`.
  ResourceList default_requests;  ///< The field `defaultRequest`.
  ResourceList max_ratios;        ///< The field `maxLimitRequestRatio`.

  bool operator==(const LimitRangeItem&) const = default;
};

struct LimitRange {
  ObjectMeta metadata;
  std::vector<LimitRangeItem> limits;

  bool operator==(const LimitRange&) const = default;
};

/// The handler is left out: only kubelets read it.
struct RuntimeClass {
  struct Scheduling {
    StringMap node_selector;
    std::vector<Toleration> tolerations;

    bool operator==(const Scheduling&) const = default;
  };

  ObjectMeta metadata;
  std::optional<ResourceList> overhead;  ///< Its `podFixed`: what a pod takes beside its containers.
  std::optional<Scheduling> scheduling;  ///< Which nodes support the class.

  bool operator==(const RuntimeClass&) const = default;
};

}  // namespace winnow
