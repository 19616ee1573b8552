#include "cluster/state/requests/request_sum.h"

#include <algorithm>

#include "cluster/api/resource_name.h"
#include "cluster/go_int.h"

namespace winnow {

void RequestSum::add(const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      sum.milli_cpu = wrap_add(sum.milli_cpu, amount.milli_value());
    } else if (name == "memory") {
      sum.memory = wrap_add(sum.memory, amount.value());
    } else if (name == "ephemeral-storage") {
      sum.ephemeral_storage = wrap_add(sum.ephemeral_storage, amount.value());
    } else if (name != "pods" && is_scalar_resource(name)) {
      std::int64_t& sum_of = scalar(name);
      sum_of = wrap_add(sum_of, amount.value());
    }
  }
}

void RequestSum::raise_to(const ResourceList& list) {
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      sum.milli_cpu = std::max(sum.milli_cpu, amount.milli_value());
    } else if (name == "memory") {
      sum.memory = std::max(sum.memory, amount.value());
    } else if (name == "ephemeral-storage") {
      sum.ephemeral_storage = std::max(sum.ephemeral_storage, amount.value());
    } else if (is_scalar_resource(name) && amount.value() > find_scalar(name)) {
      scalar(name) = amount.value();
    }
  }
}

std::int64_t RequestSum::find_scalar(const std::string& name) const {
  const auto it = std::ranges::find(sum.scalars, name, &std::pair<std::string, std::int64_t>::first);
  return it == sum.scalars.end() ? 0 : it->second;
}

std::int64_t& RequestSum::scalar(const std::string& name) {
  const auto it =
      std::ranges::lower_bound(sum.scalars, name, {}, &std::pair<std::string, std::int64_t>::first);
  if (it != sum.scalars.end() && it->first == name) return it->second;
  return sum.scalars.emplace(it, name, 0)->second;
}

std::int64_t amount_of(const ResourceList& list, std::string_view resource) {
  const auto it = list.find(resource);
  if (it == list.end()) return 0;
  return resource == "cpu" ? it->second.milli_value() : it->second.value();
}

}  // namespace winnow
