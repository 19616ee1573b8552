// The answer of filter: the nodes that fit, and the reasons why the others do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

class NodeRequest;
struct Filtered;

/// Appends the answer with all nodes of the request, each in one of its three lists.
/// @param places  of the nodes that the cache has; see LocatedRequest::places().
/// @param filtered  the results for these nodes.
/// @param remark  appended to each reason.
/// @param beyond_help  for each of these nodes: 1 if kube-scheduler's preemption would try it in vain. Empty:
///   none.
void append_filter_answer(std::string& out, const NodeRequest& request,
                          const std::vector<std::uint32_t>& places, const Filtered& filtered,
                          std::string_view remark, const std::vector<std::uint8_t>& beyond_help);

/// Appends the answer with one node. @param place  its index among the nodes of the request. The others are
/// left out: kube-scheduler reads the lists of failed nodes only when no node is left.
void append_picked_node(std::string& out, const NodeRequest& request, std::size_t place);

}  // namespace winnow
