// Required (anti-)affinity between pods in the dry run of a preemption, for rules of both generations.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/rule/trial.h"

namespace winnow::predicates {

/// The required terms of the pod that is to be placed.
struct OwnAffinity {
  std::vector<std::string> wanted_keys;  ///< The topology keys of its affinity terms.
  PodQuery wanted;                       ///< The pods that match all of these terms. Not read without keys.
  /// The terms of its anti-affinity: topology key, and the pods that it forbids.
  std::vector<std::pair<std::string, PodQuery>> forbidden;
  /// v1.16 differs from today's in three points. The first pod of its kind fits nodes without the topology
  /// keys too. Pods that are only nominated do not count for these terms. A pod that comes back counts for
  /// all terms of the anti-affinity if it matches one of them.
  Generation generation = Generation::kToday;
};

/// A trial that follows what upstream's AddPod and RemovePod do: pods that match the pod's own terms, and
/// anti-affinity of other pods that matches the pod, by domain.
/// Upstream: plugins/interpodaffinity/filtering.go v1.37.0, predicates/metadata.go v1.16.15.
std::unique_ptr<Trial> make_affinity_trial(const Request& request, const OwnAffinity& own);

}  // namespace winnow::predicates
