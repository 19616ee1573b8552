// The causes of a refusal, found when the answer has gone out: nobody waits for them.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/rule/rule.h"
#include "extender/explain/decision_log.h"
#include "extender/reuse/shared_vector.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/time_share.h"

namespace winnow {

class LocatedRequest;

/// What is needed of a call that found no node, to look at the nearest nodes later.
class LateCauses {
 public:
  /// @param turn  the time for it.  @param failed_by  see Filtered::failed_by.
  LateCauses(TimeShare::Turn turn, ActiveConfig active, const LocatedRequest& located,
             SharedVector<std::uint16_t> failed_by, DecisionName decision);

  /// Whether the nodes of the request are the state's own, so that they can be looked at later.
  static bool can_look_later(const LocatedRequest& located);

  /// Finds the causes for the kept decision. Where the cache has changed since the call has looked, none are
  /// found: they would be of another moment. No lock of a cache is held.
  void find(DecisionLog& log);

 private:
  std::vector<NearNode> nearest() const;

  TimeShare::Turn turn_;
  const ActiveConfig active_;
  const Pod pod_;
  const std::vector<NodeId> nodes_;
  const SharedVector<std::uint16_t> failed_by_;
  const ClusterCache::Time changed_;
  const DecisionName decision_;
};

}  // namespace winnow
