// The body of a preempt call and its answer: ExtenderPreemptionArgs, ExtenderPreemptionResult.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0; pkg/scheduler/api/v1/types.go v1.16.15, whose
// JSON name of NodeNameToVictims is nodeToVictims.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// The victims on one node, as in the request. Views point into the request's body.
struct GivenVictims {
  std::string node_name;
  std::vector<std::string> uids;       ///< From NodeNameToMetaVictims.
  std::vector<std::string_view> pods;  ///< From NodeNameToVictims: the raw objects.
};

/// The parts of the body.
struct PreemptArgs {
  std::string_view pod;  ///< The raw object; empty: absent.
  /// The nodes in the request's order, each once, with its last victims. If the request has both forms, the
  /// one with UIDs counts. Null for a node's victims, or among them, counts as none.
  std::vector<GivenVictims> nodes;
  bool has_victims = false;  ///< The request has one of the two forms.
  bool by_name = false;      ///< It has the one with UIDs: Winnow's own pods are meant.
};

/// Reads the body. Keys match in any case, the last of equal keys counts, null counts as absent, and unknown
/// keys are skipped. @return the parts, or one line that says what is wrong.
std::expected<PreemptArgs, std::string> read_preempt_args(std::string_view body);

/// The victims on one node, in the answer.
struct MetaVictims {
  std::string node_name;
  std::vector<std::string> uids;
  /// The number of evictions that break a disruption budget.
  std::int64_t violations = 0;
};

/// Appends the answer, in the order given. Nothing in it is null.
void append_preempt_answer(std::string& out, const std::vector<MetaVictims>& nodes);

}  // namespace winnow
