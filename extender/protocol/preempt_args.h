// What kube-scheduler sends to preempt, and is answered: ExtenderPreemptionArgs, ExtenderPreemptionResult.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0; pkg/scheduler/api/v1/types.go v1.16.15, whose
// tag for NodeNameToVictims is nodeToVictims.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// The victims on a node as a request gives them. Views point into the request's body.
struct GivenVictims {
  std::string node_name;
  std::vector<std::string> uids;       ///< NodeNameToMetaVictims.
  std::vector<std::string_view> pods;  ///< NodeNameToVictims: the raw objects.
};

struct PreemptArgs {
  std::string_view pod;  ///< The raw object; empty: absent.
  /// In the order given, each node once (the last one's victims). Where both forms are there, the one with
  /// UIDs alone. Null for a node's victims, or among them, is none.
  std::vector<GivenVictims> nodes;
  bool has_victims = false;  ///< One of the two forms is there.
};

/// Keys in any case, the last of equal ones wins, null is absent, unknown keys are skipped.
/// @return or what is wrong, in one line.
std::expected<PreemptArgs, std::string> read_preempt_args(std::string_view body);

/// The victims that are left on a node.
struct MetaVictims {
  std::string node_name;
  std::vector<std::string> uids;
  std::int64_t violations = 0;
};

/// The answer, in the order given; nothing in it is ever null.
void append_preempt_answer(std::string& out, const std::vector<MetaVictims>& nodes);

}  // namespace winnow
