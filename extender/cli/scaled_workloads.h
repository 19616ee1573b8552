// Workloads of the cluster that `winnow simulate` scales, and those that it is given anew though they are
// there.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "cluster/expand/pod_set.h"
#include "extender/what_if/simulate/result.h"
#include "extender/what_if/simulate/simulation.h"
#include "extender/what_if/simulate/workloads.h"

namespace winnow {

class State;
struct CommonFlags;

/// What --scale asks for.
struct Scaling {
  std::vector<PodSet> sets;                               ///< Pods that come.
  std::vector<std::pair<std::string, std::string>> gone;  ///< Namespaces and names of pods that go.
  PodNames waiting;                                       ///< Pods of these workloads that are pending.
  std::vector<KnownBefore> told;
};

/// Reads the values of --scale: "NAMESPACE/NAME=N", "NAME=N" or "KIND/NAMESPACE/NAME=N".
/// @return what they ask for; or an error of one line: also where no pod of the cluster is of that workload,
///   with near names, or where several kinds have one of that name.
std::expected<Scaling, std::string> scaling_of(const CommonFlags& common,
                                               const std::vector<std::string>& values, const State& state);

/// What the cluster has of the workloads whose pods are placed. DaemonSets and single pods are left out.
std::vector<KnownBefore> known_before(const std::vector<KnownWorkload>& workloads,
                                      const std::vector<PodSet>& sets);

/// Why the sets make no pod, as the end of an error: "StatefulSet data/redis has 6 pods already; …".
std::string why_no_pods(const std::vector<KnownWorkload>& workloads, const std::vector<PodSet>& sets);

/// What is added to the error of a file of --pods that cannot be read: that it is the name of a workload of
/// the cluster; "": it is none.
std::string workload_hint(const State& state, const std::vector<std::string>& files);

}  // namespace winnow
