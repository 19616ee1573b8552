// A sum of requests in integers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cluster/api/pod.h"
#include "cluster/state/requests/request_amounts.h"

namespace winnow {

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
