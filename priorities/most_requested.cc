// MostRequestedPriority: prefers nodes where more cpu and memory would be used. The score is
// (used cpu * 10 / cpu + used memory * 10 / memory) / 2, and each division truncates. A resource that is
// overcommitted, or that the node does not have, gives 0.
// Upstream: priorities/most_requested.go v1.16.15.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority most_requested;

namespace {

std::int64_t used_share(UsedShare::Amounts amounts) {
  if (amounts.capacity == 0 || amounts.requested > amounts.capacity) return 0;
  return share(amounts.requested, amounts.capacity, kMaxClassicScore);
}

class MostRequested final : public PerNode<MostRequested> {
 public:
  explicit MostRequested(const Request& request) : used_(request) {}
  std::int64_t score(NodeId node) const {
    return wrap_add(used_share(used_.cpu(node)), used_share(used_.memory(node))) / 2;
  }

 private:
  const UsedShare used_;
};

}  // namespace

BoundPriority most_requested(const Request& request, const Arguments&) {
  return std::make_unique<MostRequested>(request);
}

}  // namespace winnow::priorities
