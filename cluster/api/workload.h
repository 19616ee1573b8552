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
};  ///< Absent: selects no pod. Empty: every pod.

struct ReplicationController {
  ObjectMeta metadata;
  StringMap selector;  ///< Empty or absent: selects no pod.
};

struct ReplicaSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
};

struct StatefulSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
};

struct PodDisruptionBudget {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  std::int32_t disruptions_allowed = 0;
  StringMap disrupted_pods;  ///< Pod names with the times of their evictions.
};

/// The endpoints of a Service; Winnow reads only those of the API servers.
struct EndpointSlice {
  ObjectMeta metadata;
  std::string address_type;                                 ///< "IPv4", "IPv6" or "FQDN".
  std::vector<std::string> addresses;                       ///< Of endpoints that are ready, or do not say.
  std::vector<std::pair<std::string, std::int32_t>> ports;  ///< Name and number.
};

}  // namespace winnow
