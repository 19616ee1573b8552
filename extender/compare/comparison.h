// What a comparison has found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extender/compare/pod_detail.h"
#include "extender/compare/turn.h"
#include "extender/simulate/result.h"
#include "extender/simulate/usage.h"

namespace winnow {

/// One pod, by side. Kept small: there may be hundreds of thousands.
struct ComparedPod {
  std::string name;                ///< "namespace/name".
  std::uint32_t workload = kNone;  ///< Of Comparison::workloads.
  PodEnd end[2] = {PodEnd::kUntried, PodEnd::kUntried};
  std::uint32_t node[2] = {kNone, kNone};  ///< Of Comparison::nodes, where it is placed.
  std::uint32_t why[2] = {kNone, kNone};   ///< Of Comparison::whys, where it is not.
  std::uint32_t now = kNone;               ///< Of Comparison::nodes: the node of a pod that runs.
  std::uint32_t cause = kNone;             ///< Of Comparison::causes, where the sides differ.

  bool is_known() const { return end[kA] != PodEnd::kUntried && end[kB] != PodEnd::kUntried; }
  bool differs() const { return is_known() && (end[kA] != end[kB] || node[kA] != node[kB]); }
};

/// Pods that differ for the same rules.
struct Cause {
  ChoiceTurn turn;  ///< Of the first of these pods.
  std::size_t pods = 0;
};

struct Comparison {
  std::string label[2] = {"A", "B"};  ///< By side. "now" and "A" where pods that run are asked of one alone.
  std::string config[2];              ///< By side: its rules in words.
  bool placed = false;                ///< Pods that run were asked about, each by itself.
  bool one_sided = false;             ///< Side A is the node that the pod has.
  std::vector<std::string> workloads;
  std::vector<ComparedPod> pods;  ///< In the order in which they were met, or by name.
  std::vector<Cause> causes;      ///< Those with the most pods first.
  std::vector<std::string> whys;
  /// In order of name. Not `placed`: `before` is what they hold under A, `after` under B.
  std::vector<NodeUsage> nodes;
  std::size_t daemon_pods = 0;      ///< Pods of DaemonSets and static pods, left out.
  std::size_t leaving = 0;          ///< Pods that are being deleted, left out.
  bool cut_short = false;           ///< Somebody asked to stop. What is here was found until then.
  std::optional<PodDetail> detail;  ///< Of the pod that was wanted, where it was met.

  std::size_t count_differing() const;
  std::size_t count_known() const;
  /// The same where pods of one workload are alike: how many a workload has more under A, node by node. Pods
  /// that have only swapped places do not count. "Nowhere" counts as one more node.
  std::size_t count_differing_by_workload() const;
  std::size_t nowhere_under_both() const;
  /// Pods that fit nowhere under this side and are placed under the other.
  std::size_t nowhere_only(std::size_t side) const;
};

/// What nodes hold, in numbers.
struct Utilization {
  std::size_t nodes_used = 0;  ///< Nodes with a pod.
  /// Shares of what nodes offer, 0 to 1 and above: of all nodes together, and of the fullest.
  double cpu = 0, memory = 0, highest_cpu = 0, highest_memory = 0;
};
/// @param amounts  &NodeUsage::before or &NodeUsage::after.
Utilization utilization(const std::vector<NodeUsage>& nodes, std::optional<Amounts> NodeUsage::* amounts);

}  // namespace winnow
