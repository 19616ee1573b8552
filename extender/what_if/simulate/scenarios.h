// Scenarios: nodes that are drained, how many nodes of a kind are needed, and how often pods fit.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace winnow {

class Simulation;
struct BatchRange;
struct Node;

/// Cordons the nodes. Then evicts their pods node by node, in order of namespace and name. Each evicted pod
/// is placed anew before the next eviction. An eviction that a disruption budget forbids waits, until others
/// have been of use: a replacement stands, or a pod has found its place. What is still forbidden then is
/// blocked. Pods of DaemonSets and static pods stay; so do pods that are being deleted, which leave by
/// themselves. Pods with emptyDir are evicted, as by `kubectl drain --delete-emptydir-data --force`.
/// @param nodes  of the state.
/// Upstream: kubectl v0.37.0 pkg/drain (drain.go, filters.go).
void drain(Simulation& simulation, const std::vector<std::string>& nodes);

// How many nodes of a kind the pods need that do not fit.

/// Places all pods that wait. While some fit nowhere, adds one node of the next template in turn, and tries
/// those again: as a cluster does that grows by one node at a time. Pods that have a place stay there. A node
/// that is of no use to any of them is taken away again. Ends when all fit, when no template is of use, or
/// when `most` were added. A new node has its pods of DaemonSets first: these make no node of use.
/// @param templates  at least one.
void add_nodes_until_all_fit(Simulation& simulation, const std::vector<Node>& templates, std::size_t most);

// How often pods fit into the cluster.

/// Places the pods of these batches over and over, in their order, until one fits nowhere. The result says
/// how many fitted, and why the last did not. Priorities do not change the order.
/// @param batches  of Simulation::add_batches(). @param most  pods, at most.
void place_until_full(Simulation& simulation, BatchRange batches, std::size_t most);

}  // namespace winnow
