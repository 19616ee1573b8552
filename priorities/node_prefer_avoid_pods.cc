// NodePreferAvoidPodsPriority: 0 for a node whose annotation preferAvoidPods names this pod's
// ReplicationController or ReplicaSet (by kind and uid), 10 for every other node. The default weight is
// 10000.
// Upstream: priorities/node_prefer_avoid_pods.go v1.16.15.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority node_prefer_avoid_pods;

namespace {

class NodePreferAvoidPods final : public PerNode<NodePreferAvoidPods> {
 public:
  NodePreferAvoidPods(const View& view, std::vector<std::uint8_t> avoided, std::int64_t max)
      : avoids_(view.column(&NodeTable::avoids)), avoided_(std::move(avoided)), max_(max) {}

  std::int64_t score(NodeId node) const {
    const std::uint32_t list = avoids_[node];
    return list != kNone && avoided_[list] ? 0 : max_;
  }

 private:
  const Column<std::uint32_t> avoids_;
  const std::vector<std::uint8_t> avoided_;  // By id of the annotation's list; nodes share equal lists.
  const std::int64_t max_;
};

/// The pod's controller: the first owner reference that is marked so, as metav1.GetControllerOf.
const OwnerReference* controller(const Pod& pod) {
  const auto it = std::ranges::find(pod.metadata.owner_references, true, &OwnerReference::controller);
  return it == pod.metadata.owner_references.end() ? nullptr : &*it;
}

}  // namespace

std::unique_ptr<const Priority> heeds_avoided_pods(const Request& request, std::int64_t max) {
  const OwnerReference* owner = controller(request.pod);
  if (!owner || (owner->kind != "ReplicationController" && owner->kind != "ReplicaSet"))
    return std::make_unique<Constant>(max);
  const auto& lists = request.view.names().avoids;
  std::vector<std::uint8_t> avoided(lists.capacity(), 0);
  for (std::uint32_t id = 0; id < lists.capacity(); ++id)
    avoided[id] = std::ranges::contains(lists[id], AvoidedController{owner->kind, owner->uid});
  return std::make_unique<NodePreferAvoidPods>(request.view, std::move(avoided), max);
}

BoundPriority node_prefer_avoid_pods(const Request& request, const Arguments&) {
  return heeds_avoided_pods(request, kMaxClassicScore);
}

}  // namespace winnow::priorities
