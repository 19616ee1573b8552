// Pods that the command line names, found among those that there are.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "cluster/state/state.h"
#include "extender/cli/flags/object_name.h"

namespace winnow {

struct CommonFlags;

/// Reads the name of a pod: see parse_pod_name(). A name without a namespace is of -n, else of the context of
/// the kubeconfig that is used, else of "default".
std::expected<ObjectName, std::string> named_pod(const CommonFlags& flags, std::string_view text);

/// The text ` (did you mean "shop/web"?)` for a pod that is not there; "": no name is near. Pods of that name
/// in other namespaces come first. Otherwise names count that are near in the pod's namespace, or in others.
/// @param known  the names in full: "shop/web".
std::string near_pods(const ObjectName& wanted, std::span<const std::string> known);

/// The pod; or the error, with the names that are near.
std::expected<PodId, std::string> known_pod(const State& state, const ObjectName& pod);
/// The same of a name as named_pod() reads it.
std::expected<PodId, std::string> known_pod(const State& state, const CommonFlags& flags,
                                            std::string_view text);

}  // namespace winnow
