// What selects pods: Services, the controllers, and disruption budgets.
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
};

struct ReplicationController {
  ObjectMeta metadata;
  StringMap selector;  ///< Empty or absent: selects nothing.
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
  StringMap disrupted_pods;  ///< Pod name to the time of its eviction.
};

/// Where a service's endpoints are; only that of the API servers is read.
struct EndpointSlice {
  ObjectMeta metadata;
  std::vector<std::string> addresses;  ///< Of the endpoints that are ready (or say nothing of it).
  std::vector<std::pair<std::string, std::int32_t>> ports;  ///< Name and number.
};

}  // namespace winnow
