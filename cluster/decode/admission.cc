#include "cluster/decode/reader.h"

namespace winnow {

bool read_fields(const Reader& r, PriorityClass& priority) {
  return r.read("metadata", priority.metadata) && r.read("value", priority.value) &&
         r.read("globalDefault", priority.global_default) &&
         r.read("preemptionPolicy", priority.preemption_policy);
}

static bool read_fields(const Reader& r, LimitRangeItem& item) {
  return r.read("type", item.type) && r.read("max", item.max) && r.read("min", item.min) &&
         r.read("default", item.default_limits) && r.read("defaultRequest", item.default_requests) &&
         r.read("maxLimitRequestRatio", item.max_ratios);
}

bool read_fields(const Reader& r, LimitRange& range) {
  return r.read("metadata", range.metadata) &&
         r.within("spec", [&](const Reader& spec) { return spec.read("limits", range.limits); });
}

}  // namespace winnow
