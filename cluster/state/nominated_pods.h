// Nominated pods, which wait for their victims to leave a node, and pods whose node the state does not know.
//
// kube-scheduler evicts pods for a pending pod, and writes the node into its status: the pod is nominated.
// Until the victims are gone it counts on no node, and another pod could take its place. So rules are asked
// twice about such a node: with its nominated pods and without them (extender/engine/nominated.h). This file
// only keeps which pod waits for which node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

/// The pending pods by status.nominatedNodeName, whether the state knows that node or not. There are few,
/// usually none. Not synchronised.
class NominatedPods {
 public:
  struct Nomination {
    std::string node;
    std::string by;  ///< The manager that nominated it (PodStatus::nominated_by); "": not known.
    std::optional<std::int64_t> at;  ///< PodStatus::nominated_at
    bool refused = false;            ///< kube-scheduler has tried the pod in vain, before that or since.
  };

  /// The pod must not be in the set.
  void add(PodId pod, Nomination nomination);
  /// A pod that is not nominated is ignored.
  void remove(PodId pod);

  bool empty() const { return nodes_.empty(); }
  /// The pods nominated for a node, in order of their arrival.
  std::span<const PodId> on(std::string_view node_name) const;
  /// Null for a pod that is not nominated.
  const Nomination* find(PodId pod) const;
  /// The node that a pod is nominated for; "" if none.
  std::string node_of(PodId pod) const;
  const std::map<std::string, std::vector<PodId>, std::less<>>& by_node() const { return by_node_; }

 private:
  std::map<std::string, std::vector<PodId>, std::less<>> by_node_;
  std::unordered_map<PodId, Nomination> nodes_;
};

// The pods whose node the state does not know.

/// Pods by the name of their node, which may come, or come back. A pod is added, found and removed in
/// constant time, beside the search for the node's name. One writer at a time; const functions may run
/// concurrently.
/// @tparam Pod  PodId; a test counts what is done with another.
template <class Pod, class Hash = std::hash<Pod>>
class PodsWithoutNode {
 public:
  using ByNode = std::map<std::string, std::vector<Pod>, std::less<>>;

  /// Adds a pod that is not there.
  void add(const Pod& pod, std::string_view node_name) {
    auto node = by_node_.find(node_name);
    if (node == by_node_.end()) node = by_node_.emplace(node_name, std::vector<Pod>()).first;
    places_.emplace(pod, Place{node, node->second.size()});
    node->second.push_back(pod);
  }

  /// Removes a pod, if it is there.
  void remove(const Pod& pod) {
    const auto found = places_.find(pod);
    if (found == places_.end()) return;
    const auto [node, slot] = found->second;
    places_.erase(found);
    std::vector<Pod>& pods = node->second;
    if (slot + 1 < pods.size()) {
      pods[slot] = pods.back();
      places_.find(pods[slot])->second.slot = slot;
    }
    pods.pop_back();
    if (pods.empty()) by_node_.erase(node);
  }

  /// Removes the pods of a node, and returns them.
  std::vector<Pod> take(std::string_view node_name) {
    const auto node = by_node_.find(node_name);
    if (node == by_node_.end()) return {};
    std::vector<Pod> pods = std::move(node->second);
    by_node_.erase(node);
    for (const Pod& pod : pods) places_.erase(pod);
    return pods;
  }

  /// The pods of a node, in no particular order.
  std::span<const Pod> on(std::string_view node_name) const {
    const auto node = by_node_.find(node_name);
    return node == by_node_.end() ? std::span<const Pod>() : std::span<const Pod>(node->second);
  }
  /// The name of the pod's node; "" if the pod is not there.
  std::string_view node_of(const Pod& pod) const {
    const auto found = places_.find(pod);
    return found == places_.end() ? std::string_view() : std::string_view(found->second.node->first);
  }
  const ByNode& by_node() const { return by_node_; }

 private:
  struct Place {
    ByNode::iterator node;
    std::size_t slot;  ///< The pod's index among those of the node.
  };

  ByNode by_node_;
  std::unordered_map<Pod, Place, Hash> places_;
};

}  // namespace winnow
