// The one-line error that says why no node fits.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace winnow {

/// The reason for a node that kube-scheduler asks about and the picture lacks.
inline constexpr std::string_view kNotInPicture = "node(s) were not in Winnow's picture of the cluster yet";

/// "0/5 nodes are available: 2 node(s) were unschedulable, 3 Insufficient cpu."
/// Upstream: pkg/scheduler/framework/types.go FitError.Error() v1.37.0.
/// @param counts  by reason, the number of nodes that were refused for it.
/// @param nodes  the number of all nodes.
std::string fit_error(const std::map<std::string_view, std::size_t>& counts, std::size_t nodes);

}  // namespace winnow
