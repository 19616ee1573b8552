// The request of a preempt call: its pod, and the candidates with the victims that kube-scheduler would
// evict.
//
// The cache may lack a victim, or have it without a node. If the request has the whole pod, that pod is used
// then: it may be newer than the cache. Any other victim that is not on its node counts as gone already, and
// stays in the answer. To leave it out would promise that there is room beside it.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/engine/victims.h"
#include "extender/service/protocol/preempt_args.h"

namespace winnow {

class State;

/// The decoded body. It points into the body's text.
struct PreemptRequest {
  PreemptArgs args;
  Pod pod;
  /// In the order of args.nodes: the victims that are given as whole pods.
  std::vector<std::vector<Pod>> full;

  /// Whether the pod claims devices, which no rule of Winnow's reads. The name may also stand elsewhere in
  /// the object: kube-scheduler's candidates are then used, which is no mistake.
  bool may_claim_devices() const { return args.pod.contains("\"resourceClaims\""); }
};

/// Throws OutOfTime. @return the request, or one line that says what is wrong with the body.
std::expected<PreemptRequest, std::string> read_preempt(std::string_view body, const Budget& budget);

/// The candidates, in the form of the answer and in the form for the engine.
struct Candidates {
  std::vector<MetaVictims> given;
  std::vector<Candidate> asked;

  /// What kube-scheduler names on the node; null: it does not name the node.
  const MetaVictims* find(std::string_view node_name) const;
};
Candidates candidates_of(const PreemptRequest& request, const State& state);

// What an answer has left of the candidates.

/// The candidates that have room, with the victims that remain.
std::vector<MetaVictims> remaining(const Candidates& candidates,
                                   const std::vector<std::optional<Eviction>>& evictions);

/// Whether the answer has fewer victims than the request. kube-scheduler names only victims that its filters
/// need, so its pods and the cache's differ.
bool takes_back(const std::vector<MetaVictims>& left, const Candidates& candidates);

/// Whether the search has come to a part of the victims that kube-scheduler names on that node. Other victims
/// say nothing: the rules here are more than kube-scheduler's own filters.
bool spares_some(const MetaVictims& found, const Candidates& candidates);

/// Whether one of these pods is on the node although kube-scheduler does not name it. kube-scheduler then
/// takes it for gone or terminating.
bool still_there(const State& state, const std::string& node_name, const std::vector<std::string>& uids,
                 const Candidates& candidates);

}  // namespace winnow
