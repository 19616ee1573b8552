// All that a view says, as lines of text: two views say the same if the lines are equal, whatever the ids.
#pragma once

#include <string>
#include <vector>

#include "cluster/state/view.h"

namespace winnow::test {

using Lines = std::vector<std::string>;

/// What is known of every node, by name: every column of kNodeColumns, labels, scalars, volumes, and
/// the pods that match each of the selectors in each of the namespaces, and each of the queries. The terms
/// that match pods of these namespaces, and the invalid ones. Where the first pods run. The images, and how
/// many nodes there are.
Lines describe(const View& view, const std::vector<std::string>& namespaces,
               const std::vector<Selector>& selectors, const std::vector<PodQuery>& queries);

/// What a state knows besides: nodes by age, pods with all that is kept of them, who is where, who waits.
Lines describe_pods(const State& state);

/// The slices, taint rules and claims of devices.
Lines describe_devices(const State& state);

void append(Lines& lines, const Lines& more);

/// The first lines that differ, or "".
std::string difference(const Lines& a, const Lines& b);

}  // namespace winnow::test
