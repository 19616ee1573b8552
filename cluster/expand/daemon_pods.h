// What the DaemonSet controller decides: on which nodes its pods run, and what it adds to them.
// Upstream: pkg/controller/daemon/daemon_controller.go and util/daemonset_util.go v1.37.0.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/state/state.h"

namespace winnow {

/// Adds the tolerations of every daemon pod. One that upstream takes for the same is replaced.
/// Upstream: AddOrUpdateDaemonPodTolerations.
void add_daemon_tolerations(PodSpec& spec);

/// Restricts the pod to the node: its required node affinity becomes one term on metadata.name.
/// Upstream: ReplaceDaemonSetPodNodeNameNodeAffinity.
void require_node(PodSpec& spec, const std::string& node);

/// The names of the nodes that the pods should run on, sorted: those that nodeSelector, required node
/// affinity and tolerations allow. Room does not matter. A node that has a pod of this DaemonSet is left out.
/// @param spec  of the pods, with the daemon tolerations.
/// @param added  nodes that come into the cluster; one replaces the cluster's of its name.
/// Upstream: NodeShouldRunDaemonPod, podsShouldBeOnNode.
std::vector<std::string> daemon_nodes(const PodSpec& spec, std::string_view ns, std::string_view daemon_set,
                                      const State& cluster, std::span<const Node> added);

}  // namespace winnow
