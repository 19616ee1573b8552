// More pods of a workload that a cluster has, as one of its pods shows them: no file is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/pod.h"
#include "cluster/expand/pod_set.h"

namespace winnow {

class State;

/// The pods that the controller would make next. Their spec is that of the pod, their names are free in the
/// cluster. Claims of a StatefulSet, and of ephemeral volumes, are made as those of the pod are.
/// @param source  "Deployment shop/web".
/// @param like  a pod of the cluster, whose first owner is its controller. It is no DaemonSet's.
/// @param count  how many; none makes a set without pods.
PodSet more_pods(const State& cluster, std::string source, Pod like, std::uint32_t count);

/// The number at the end of the name of a StatefulSet's pod; nothing where it has none.
std::optional<std::uint32_t> ordinal_of(std::string_view stateful_set, std::string_view pod);

}  // namespace winnow
