// The objects that the API server's admission reads when a pod is created. No rule reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/api/pod.h"

namespace winnow {

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

}  // namespace winnow
