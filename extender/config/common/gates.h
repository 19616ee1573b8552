// --feature-gates.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/generation.h"

namespace winnow {

/// The gates of the classic generation: Winnow's own, and those of v1.16.15 that change what its scheduler
/// answers, with upstream's defaults. Upstream: pkg/features/kube_features.go v1.16.15.
struct Gates {
  /// "ExactV116": v1.16.15 to the letter. Pods' requests and zones are read as v1.16 reads them, which is
  /// what the comparison with upstream runs under.
  bool exact_v116 = false;
  /// "EvenPodsSpread": the default provider has the predicate and the priority of that name.
  bool even_pods_spread = false;
  /// "ResourceLimitsPriorityFunction": the default provider has ResourceLimitsPriority.
  bool resource_limits_priority = false;
  /// "PodOverhead": under ExactV116 a pod's overhead counts. Without ExactV116 it does anyway.
  bool pod_overhead = false;
  /// "TaintNodesByCondition": CheckNodeUnschedulable and PodToleratesNodeTaints are mandatory. When off,
  /// CheckNodeCondition is, and the default provider looks at conditions instead.
  bool taint_nodes_by_condition = true;
  /// "AttachVolumeLimit": volumes are limited by what a node says, before the rule's own limit; CSI volumes
  /// are limited at all.
  bool attach_volume_limit = true;

  /// A gate that was given and is the one generation's alone; "" for none. Those of today are known at
  /// v1.37's defaults only, so that they are given is all there is to say of them.
  std::string classic_gate;
  std::string today_gate;
};

/// Parses "A=true,B=false"; empty parts are passed over and the last of equal names counts.
/// Upstream: component-base v0.16.15 featuregate/feature_gate.go Set; the errors are in its words.
/// @return or why not: a part without a value, a value that is no boolean (Go's strconv.ParseBool), an
/// unknown gate, or one that Winnow knows at upstream's default only (all of v1.37's).
std::expected<Gates, std::string> parse_gates(std::string_view text);

/// What is wrong if gates of another generation than the configuration's were given: kube-scheduler does not
/// know those either.
std::optional<std::string> foreign_gate(const Gates& gates, Generation generation);

/// v1.37's default of a gate that its kube-scheduler knows.
std::optional<bool> today_gate_default(std::string_view name);

}  // namespace winnow
