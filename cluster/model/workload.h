// What selects pods: Services, the controllers, and disruption budgets.
#pragma once

#include "cluster/model/meta.h"

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

}  // namespace winnow
