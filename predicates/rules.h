// Base classes, functions and arguments that several predicates share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/rule/rule.h"

namespace winnow {

enum NodeFlag : std::uint16_t;
class View;
struct PodSpec;

// Arguments of predicates in a Policy, and of its other settings.

/// Of CheckNodeLabelPresence.
struct LabelsPresence {
  std::vector<std::string> labels;
  bool presence = false;
};
/// Of CheckServiceAffinity.
struct ServiceAffinityLabels {
  std::vector<std::string> labels;
};
/// Whether what a node says of itself limits its volumes; of the rules that limit volumes.
struct AttachLimits {
  bool by_node = true;
};
/// Extended resources that only an extender counts: `ignoredByScheduler` of a Policy's extenders. Of
/// PodFitsResources and GeneralPredicates.
struct IgnoredResources {
  std::vector<std::string> names;
};

}  // namespace winnow

namespace winnow::predicates {

/// The base of a predicate with one reason. A derived class defines `bool fits(NodeId)`.
template <class Rule>
class OneReason : public Predicate {
 public:
  /// @param otherwise  the fit of a node that fails.
  OneReason(Fit otherwise, std::string reason) : otherwise_(otherwise), reasons_{std::move(reason)} {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const final {
    const Rule& rule = static_cast<const Rule&>(*this);
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = Verdict::one(rule.fits(nodes[i]), otherwise_);
  }
  std::span<const std::string> reasons() const final { return reasons_; }

 private:
  const Fit otherwise_;
  const std::array<std::string, 1> reasons_;
};

/// A rule that gives the same error on every node.
class ErrorEverywhere final : public OneReason<ErrorEverywhere> {
 public:
  explicit ErrorEverywhere(std::string error) : OneReason(Fit::kError, std::move(error)) {}
  static bool fits(NodeId) { return false; }
};

/// A rule that refuses the pod, or fails, before it looks at any node, for one reason.
class RefusesPod final : public OneReason<RefusesPod> {
 public:
  RefusesPod(Fit fit, std::string reason) : OneReason(fit, std::move(reason)) {}
  static bool fits(NodeId) { return false; }
  bool refuses_pod() const override { return true; }
};

/// A rule that fails a node with the flag. Eviction never helps.
std::unique_ptr<const Predicate> fails_on_flag(const View& view, NodeFlag flag, std::string reason);

/// A rule that fails a node that lacks a label of `present`, or has one of `absent`.
std::unique_ptr<const Predicate> requires_labels(const View& view, const std::vector<std::string>& present,
                                                 const std::vector<std::string>& absent);

/// A rule that keeps the pods of a Service on nodes with the same values of the labels; see
/// services.cc. Classic: null if no value is demanded.
/// @param generation  kToday: as the plugin ServiceAffinity, which knows pods on known nodes alone.
std::unique_ptr<const Predicate> keeps_service_together(const Request& request,
                                                        const std::vector<std::string>& labels,
                                                        Generation generation);

/// A rule that fails a node with a taint that has one of the effects and that the pod does not tolerate. Null
/// if no node has one.
std::unique_ptr<const Predicate> tolerates_taints(const Request& request,
                                                  std::initializer_list<std::string_view> effects,
                                                  std::string reason);

/// A rule that only the node in the pod's spec.nodeName passes. Null if the pod names none.
std::unique_ptr<const Predicate> is_named_node(const Request& request, std::string reason);

/// Fails a cordoned node. Null if the pod tolerates the taint of cordoned nodes.
BindPredicate check_node_unschedulable;

/// Whether a volume rule's verdict may hang on evictions: the pod has volumes that are more than files of the
/// node.
bool has_volumes(const PodSpec& pod, std::span<const PodSpec* const> victims);

/// The finders that other files than a record's own define, or that several rules share.
FindCauses causes_of_conditions, causes_of_cordon, causes_of_memory_pressure, causes_of_pid_pressure,
    causes_of_disk_pressure, causes_of_label_presence, causes_of_features, causes_of_node_label,
    causes_of_node_name, causes_of_node_selector, causes_of_fits_resources, causes_of_host_ports,
    causes_of_even_pods_spread, causes_of_topology_spread, causes_of_inter_pod_affinity_v116,
    causes_of_inter_pod_affinity, causes_of_disk_conflicts, causes_of_volume_restrictions,
    causes_of_zone_conflicts, causes_of_volume_zone, causes_of_check_volume_binding, causes_of_volume_binding;

/// The parts of GeneralPredicates. Each is also a rule of its own.
BindPredicate fits_resources, host_name, fits_host_ports, match_node_selector;

/// The trials of rules that other rules are made of.
MakeTrial try_fits_resources, try_fits_host_ports;

}  // namespace winnow::predicates
