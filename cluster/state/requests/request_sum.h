// Requests added up in integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/pod.h"
#include "cluster/state/requests/request_amounts.h"

namespace winnow {

/// What upstream's scheduler makes of resource lists: cpu in thousandths, the rest in whole units, names that
/// no node accounts for left out.
/// Upstream: pkg/scheduler/nodeinfo/node_info.go Resource v1.16.15, pkg/scheduler/framework/types.go Resource
/// v1.37.0.
struct RequestSum {
  PodRequests sum;

  void add(const ResourceList& list);
  /// Each amount to at least the list's. Unlike add(), a 0 does not make the pod ask for a scalar resource.
  void raise_to(const ResourceList& list);

 private:
  std::int64_t find_scalar(const std::string& name) const;
  std::int64_t& scalar(const std::string& name);
};

/// The amount of a resource, cpu in thousandths; 0 where the list does not name it.
std::int64_t amount_of(const ResourceList& list, std::string_view resource);

}  // namespace winnow
