#include "extender/service/scheduling/late_causes.h"

#include <chrono>
#include <utility>

#include "cluster/rule/budget.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engines.h"
#include "extender/explain/near_refusals.h"
#include "extender/service/scheduling/node_request.h"

namespace winnow {
namespace {

/// The connection's next request waits for this.
constexpr std::chrono::milliseconds kLongest{20};

}  // namespace

LateCauses::LateCauses(TimeShare::Turn turn, ActiveConfig active, const LocatedRequest& located,
                       SharedVector<std::uint16_t> failed_by, DecisionName decision)
    : turn_(std::move(turn)),
      active_(std::move(active)),
      pod_(located.pod()),
      nodes_(located.known()),
      failed_by_(std::move(failed_by)),
      changed_(located.changed()),
      decision_(std::move(decision)) {}

bool LateCauses::can_look_later(const LocatedRequest& located) {
  return located.view().capacity() == located.state().nodes().capacity();
}

void LateCauses::find(DecisionLog& log) {
  const auto began = std::chrono::steady_clock::now();
  try {
    log.add_nearest(decision_, nearest());
  } catch (const OutOfTime&) {  // The decision stands without them.
  }
  turn_.took(began, std::chrono::steady_clock::now() - began);
}

std::vector<NearNode> LateCauses::nearest() const {
  const Engine* const engine = active_.engines->find(pod_);
  const ClusterCache::ReadGuard state = active_.cache->read();
  if (engine == nullptr || !state.whole() || state.changed() != changed_) return {};
  const View view(*state);
  const Budget budget(std::chrono::steady_clock::now() + kLongest);
  const Request request{.pod = pod_,
                        .view = view,
                        .nodes = nodes_,
                        .accounting = state->options().accounting,
                        .budget = &budget};
  return near_refusals(*engine, request, nearest_nodes(request, failed_by_));
}

}  // namespace winnow
