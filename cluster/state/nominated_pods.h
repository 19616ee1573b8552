// Nominated pods: pending pods that wait for their victims to leave a node.
//
// kube-scheduler evicts pods for a pending pod, and writes the node into its status: the pod is nominated.
// Until the victims are gone it counts on no node, and another pod could take its place. So rules are asked
// twice about such a node: with its nominated pods and without them (extender/engine/nominated.h). This file
// only keeps which pod waits for which node.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/state/pod_record.h"

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

}  // namespace winnow
