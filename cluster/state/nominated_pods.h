// Nominated pods: pending pods that wait for their victims to leave a node.
//
// kube-scheduler evicts pods for a pending pod, and writes the node into its status: the pod is nominated.
// Until the victims are gone it counts on no node, and another pod could take its place. So rules are asked
// twice about such a node: with its nominated pods and without them (extender/engine/nominated.h). This file
// only keeps which pod waits for which node.
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

/// The pending pods by status.nominatedNodeName, whether the state knows that node or not. There are few,
/// usually none. Not synchronised.
class NominatedPods {
 public:
  /// The pod must not be in the set.
  /// @param by  the manager that nominated it (PodStatus::nominated_by); "": not known.
  void add(PodId pod, const std::string& node_name, const std::string& by);
  /// A pod that is not nominated is ignored.
  void remove(PodId pod);

  bool empty() const { return nodes_.empty(); }
  /// The pods nominated for a node, in order of their arrival.
  std::span<const PodId> on(std::string_view node_name) const;
  /// The node that a pod is nominated for; "" if none.
  std::string node_of(PodId pod) const;
  /// Who has nominated the pod; "": nobody, or not known.
  std::string by_of(PodId pod) const;
  const std::map<std::string, std::vector<PodId>, std::less<>>& by_node() const { return by_node_; }

 private:
  std::map<std::string, std::vector<PodId>, std::less<>> by_node_;
  struct Nomination {
    std::string node, by;
  };
  std::unordered_map<PodId, Nomination> nodes_;
};

}  // namespace winnow
