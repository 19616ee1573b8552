// LeastRequestedPriority: prefers nodes where more cpu and memory would stay free. The score is
// (free cpu * 10 / cpu + free memory * 10 / memory) / 2, and each division truncates. A resource that is
// overcommitted, or that the node does not have, gives 0.
// Upstream: priorities/least_requested.go v1.16.15.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority least_requested;

namespace {

std::int64_t free_share(UsedShare::Amounts amounts) {
  return priorities::free_share(amounts.requested, amounts.capacity, kMaxClassicScore);
}

class LeastRequested final : public PerNode<LeastRequested> {
 public:
  explicit LeastRequested(const Request& request) : used_(request) {}
  std::int64_t score(NodeId node) const {
    return wrap_add(free_share(used_.cpu(node)), free_share(used_.memory(node))) / 2;
  }

 private:
  const UsedShare used_;
};

}  // namespace

BoundPriority least_requested(const Request& request, const Arguments&) {
  return std::make_unique<LeastRequested>(request);
}

}  // namespace winnow::priorities
