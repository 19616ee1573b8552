// A node that a preemption may free, and the pods that it may evict there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/state/state.h"

namespace winnow {

/// A pod that may be evicted. One that nobody knows more of (neither `pod` nor `given`) is taken as gone
/// already: it holds nothing on the node, and since nothing speaks for its staying it is evicted.
struct Victim {
  PodId pod = kNone;         ///< Where the state has it on the node.
  std::optional<Pod> given;  ///< Otherwise: as the request has it, on the node.
};

struct Candidate {
  std::string node_name;
  std::vector<Victim> victims;  ///< Each pod once.
  bool named = true;            ///< By kube-scheduler: its filters need the victims. See taking_back.h.
};

}  // namespace winnow
