#include "cluster/state/nominated_pods.h"

#include <utility>

namespace winnow {

void NominatedPods::add(PodId pod, Nomination nomination) {
  by_node_[nomination.node].push_back(pod);
  nodes_.emplace(pod, std::move(nomination));
}

void NominatedPods::remove(PodId pod) {
  const auto node = nodes_.find(pod);
  if (node == nodes_.end()) return;
  const auto list = by_node_.find(node->second.node);
  std::erase(list->second, pod);
  if (list->second.empty()) by_node_.erase(list);
  nodes_.erase(node);
}

std::span<const PodId> NominatedPods::on(std::string_view node_name) const {
  const auto it = by_node_.find(node_name);
  return it == by_node_.end() ? std::span<const PodId>() : std::span<const PodId>(it->second);
}

const NominatedPods::Nomination* NominatedPods::find(PodId pod) const {
  const auto it = nodes_.find(pod);
  return it == nodes_.end() ? nullptr : &it->second;
}

std::string NominatedPods::node_of(PodId pod) const {
  const auto it = nodes_.find(pod);
  return it == nodes_.end() ? std::string() : it->second.node;
}

}  // namespace winnow
