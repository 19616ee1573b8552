#include "extender/calls/picks/promised_nodes.h"

namespace winnow {

void PromisedNodes::promise(const Pod& pod, const std::string& node, Time now) {
  const ObjectMeta& meta = pod.metadata;
  const MutexLock lock(mutex_);
  std::erase_if(promises_,
                [&](const Promise& one) { return one.name == meta.name && one.ns == meta.namespace_; });
  if (node.empty()) return;
  promises_.push_front({meta.namespace_, meta.name, meta.uid, node, to_number(meta.resource_version),
                        pod.spec.priority.value_or(0), now});
  if (promises_.size() > kPods) promises_.pop_back();
}

bool PromisedNodes::has_ended(const Promise& one, const State& state, std::uint64_t told, Time now) {
  if (now - one.at >= kBelief) return true;
  const PodId id = state.find_pod(one.ns, one.name);
  // Either the watch has not come to the pod yet, or the pod has come and gone.
  if (id == kNone) return told >= one.version;
  const PodRecord& pod = state.pod(id);
  return pod.uid != one.uid || pod.assigned || state.nominated().node_of(id) == one.node;
}

std::vector<std::string> PromisedNodes::of_others(const State& state, std::uint64_t told, const Pod& pod,
                                                  Time now) {
  const MutexLock lock(mutex_);
  std::erase_if(promises_, [&](const Promise& one) { return has_ended(one, state, told, now); });
  std::vector<std::string> nodes;
  for (const Promise& one : promises_) {
    const bool own = one.name == pod.metadata.name && one.ns == pod.metadata.namespace_;
    if (!own && one.priority >= pod.spec.priority.value_or(0)) nodes.push_back(one.node);
  }
  return nodes;
}

}  // namespace winnow
