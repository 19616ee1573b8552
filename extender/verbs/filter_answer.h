// What filter answers: the nodes that fit, and why the others do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "extender/calls/node_question.h"
#include "extender/engine/engine.h"

namespace winnow {

/// All nodes of the question, each in one of the answer's three lists.
/// @param out  the answer is appended here.
/// @param filtered  of the nodes that the picture has. @param remark  behind each reason.
/// @param beyond_help  by such a node: 1 for one that kube-scheduler's preemption would try in vain; empty:
/// none is.
void append_filter_answer(std::string& out, const NodeQuestion& question, const Filtered& filtered,
                          std::string_view remark, const std::vector<std::uint8_t>& beyond_help);

/// The one node that was picked. The others are left out: kube-scheduler reads the lists of failed nodes only
/// when no node is left.
void append_picked_node(std::string& out, const NodeQuestion& question, std::size_t place);

}  // namespace winnow
