#include "cluster/state/requests/request_sum.h"

#include <algorithm>

#include "cluster/api/resource_name.h"
#include "cluster/go_int.h"

namespace winnow {

void RequestSum::add(const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      milli_cpu_ = wrap_add(milli_cpu_, amount.milli_value());
    } else if (name == "memory") {
      memory_ = wrap_add(memory_, amount.value());
    } else if (name == "ephemeral-storage") {
      ephemeral_storage_ = wrap_add(ephemeral_storage_, amount.value());
    } else if (name != "pods" && is_scalar_resource(name)) {
      std::int64_t& sum_of = scalars_[name];
      sum_of = wrap_add(sum_of, amount.value());
    }
  }
}

void RequestSum::raise_to(const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      milli_cpu_ = std::max(milli_cpu_, amount.milli_value());
    } else if (name == "memory") {
      memory_ = std::max(memory_, amount.value());
    } else if (name == "ephemeral-storage") {
      ephemeral_storage_ = std::max(ephemeral_storage_, amount.value());
    } else if (is_scalar_resource(name)) {
      const auto known = scalars_.find(name);
      if (amount.value() > (known == scalars_.end() ? 0 : known->second)) scalars_[name] = amount.value();
    }
  }
}

PodRequests RequestSum::sum() const {
  PodRequests sum{.milli_cpu = milli_cpu_, .memory = memory_, .ephemeral_storage = ephemeral_storage_};
  sum.scalars.assign(scalars_.begin(), scalars_.end());
  return sum;
}

std::int64_t amount_of(const ResourceList& list, std::string_view resource) {
  const auto it = list.find(resource);
  if (it == list.end()) return 0;
  return resource == "cpu" ? it->second.milli_value() : it->second.value();
}

}  // namespace winnow
