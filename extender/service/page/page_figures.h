// What the page is told of the cache, as JSON.
//
// extender/service/page holds what GET / and its data need: page_figures.h the numbers, waiting.h the waiting
// pods, and pod_page.h the files of assets/, which are compiled in. The verbs that answer are in
// extender/service/verbs/page.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace winnow {

class AssumedPods;
class State;
struct HeldClocks;

/// The most bytes of names in one answer. All answers stay below 200 kB.
inline constexpr std::size_t kNameBytes = 120'000;

/// {"nodes":N,"pods":N,"pending":N,"resources":[NAME,…],"resource":NAME,"set":TEXT,"zones":[{"name":…,"nodes":N},…],
/// "used":[PER MILLE,…],"flags":[0|1|2|3,…]}
/// `pods` are on nodes and `pending` wait, as winnow_state_pods and winnow_state_pending_pods count them.
/// Nodes are in the order of zones and then of names; `used` and `flags` have one number for each. `used` is
/// what pods request of what is allocatable, up to 9999, and -1 for a node that does not offer the resource.
/// `flags`: 1 is unschedulable, 2 is not ready. `set` changes whenever the nodes or their order do.
/// @param resource  its name, as in a pod's requests, or "pods".
std::string overview_json(const State& state, std::string_view resource);

/// {"set":TEXT,"from":N,"names":[NAME,…]}: the names of the nodes from a place in that order on, as many as
/// fit.
std::string node_names_json(const State& state, std::size_t from);

/// {"name":…,"zone":…,"flags":N,"labels":{…},"taints":[TEXT,…],"resources":[{"name":…,"allocatable":N,"requested":N},…],
/// "held":[TEXT,…],"devices":[{"name":"DRIVER/POOL/DEVICE","state":…,"heldBy":[{"claim":"NAMESPACE/NAME","pods":[…]}]},…],
/// "deviceCount":N,"pods":[{"name":"NAMESPACE/NAME","cpu":N,"memory":N,"priority":N},…],"of":N}
/// CPU is in thousandths of a core. `pods` has those that request most, 500 at most, and no more than fit;
/// `of` says how many there are. Pods that are not there yet stand in `held`, one sentence each, 50 at most;
/// what they request is in `requested`, but for those that others have nominated.
/// `devices` are those of slices that name the node, 256 at most, of `deviceCount`. `state` is "allocated",
/// "tainted", "free", or "outdated": its slice is of an older generation, or its pool is invalid.
/// @return nothing if there is no such node.
std::optional<std::string> node_json(const State& state, const AssumedPods& assumed, const HeldClocks& now,
                                     std::string_view name);

/// {"pods":[{"name":"NAMESPACE/NAME","node":NAME},…],"more":BOOL}: pods whose namespace and name contain the
/// text, 50 at most, those that begin with it or whose name does first. `node` is "" for a pod that waits,
/// and for one that is assumed on a node.
std::string found_pods_json(const State& state, const AssumedPods& assumed, std::string_view text);

}  // namespace winnow
