// The feature gates of --feature-gates.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/rule/at_gates.h"
#include "cluster/text/field_result.h"
namespace winnow {

enum class Generation : std::uint8_t;

/// The gates of the classic generation, with upstream's defaults. They are Winnow's own gate, and the gates
/// of v1.16.15 that change its scheduler's answers. Upstream: pkg/features/kube_features.go v1.16.15.
struct Gates {
  /// "ExactV116": requests and zones of pods are read exactly as v1.16.15 reads them. Comparisons with
  /// upstream use it.
  bool exact_v116 = false;
  /// "EvenPodsSpread": the default provider has the predicate EvenPodsSpread and the priority
  /// EvenPodsSpreadPriority.
  bool even_pods_spread = false;
  /// "ResourceLimitsPriorityFunction": the default provider has ResourceLimitsPriority.
  bool resource_limits_priority = false;
  /// "PodOverhead": under ExactV116 a pod's overhead counts. Without ExactV116 it always counts.
  bool pod_overhead = false;
  /// "TaintNodesByCondition": CheckNodeUnschedulable and PodToleratesNodeTaints are mandatory. If off,
  /// CheckNodeCondition is mandatory, and the default provider has the predicates of node conditions instead.
  bool taint_nodes_by_condition = true;
  /// "AttachVolumeLimit": a node's own limit of volumes comes before the rule's default, and CSI volumes are
  /// limited.
  bool attach_volume_limit = true;

  /// The last gate given that only one generation has; "" for none. Gates of v1.37 are accepted only at their
  /// defaults, so their values are not kept.
  std::string classic_gate;
  std::string today_gate;
};

/// Whether the gates are among these.
bool holds(AtGates at, const Gates& gates);

/// Parses "A=true,B=false". Empty parts are skipped, and the last of equal names counts.
/// Upstream: Set of component-base featuregate/feature_gate.go, v0.16.15; errors have its words.
/// @return the gates, or the error: a part without a value, a value that Go's strconv.ParseBool refuses, or
///   an unknown gate. Also a gate off its default, where Winnow supports only that (all of v1.37's).
std::expected<Gates, std::string> parse_gates(std::string_view text);

/// Refuses a gate of another generation than the configuration's. kube-scheduler of that generation does not
/// know such a gate either.
FieldResult check_generation(const Gates& gates, Generation generation);

/// The default of a gate of kube-scheduler v1.37; nothing for an unknown name.
std::optional<bool> today_gate_default(std::string_view name);

}  // namespace winnow
