// Pods that wait for a node which is being made free for them.
//
// kube-scheduler evicts pods for a pending pod, and writes the node into its status: the pod is nominated.
// Until the victims are gone it is counted on no node, and another pod could take the room. So rules are
// asked twice about such a node: as it is, and with its nominated pods on it (extender/engine/nominated.h).
// This file only knows who waits for what.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/state/pod_record.h"

namespace winnow {

/// By the node that status.nominatedNodeName names, known or not: the pending pods. There are few, as a rule
/// none. Not synchronised.
class NominatedPods {
 public:
  /// The pod must not be there yet.
  void add(PodId pod, const std::string& node_name);
  /// Nothing where the pod is not nominated.
  void remove(PodId pod);

  bool empty() const { return nodes_.empty(); }
  /// The pods nominated for a node, the first nominated first.
  std::span<const PodId> on(std::string_view node_name) const;
  /// The node that a pod is nominated for, or "".
  std::string node_of(PodId pod) const;
  const std::map<std::string, std::vector<PodId>, std::less<>>& by_node() const { return by_node_; }

 private:
  std::map<std::string, std::vector<PodId>, std::less<>> by_node_;
  std::unordered_map<PodId, std::string> nodes_;
};

}  // namespace winnow
