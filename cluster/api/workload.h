// The objects that select pods: Services, controllers and disruption budgets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/meta.h"

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

}  // namespace winnow
