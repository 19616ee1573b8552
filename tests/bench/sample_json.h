// What kube-scheduler would send about a sample: request bodies. And the sample as a file.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/sample.h"

namespace winnow::bench {

/// The object as an API server writes it, with the fields that Winnow does not read.
std::string to_json(const Pod& pod);
std::string to_json(const Node& node);

/// The order in which kube-scheduler names nodes: zone by zone in turn, starting at the `from`th.
std::vector<std::size_t> scheduler_order(const Sample& sample, std::size_t from);
/// Names in that order.
std::vector<std::string> names_in_order(const Sample& sample, std::size_t from);

/// ExtenderArgs with NodeNames, or with full nodes.
std::string args_by_name(const Pod& pod, std::span<const std::string> names);
std::string args_with_nodes(const Sample& sample, const Pod& pod, std::size_t from);

/// The whole sample as a v1 List, one object a line.
void write_cluster(std::ostream& out, const Sample& sample);
/// Pods as a v1 List.
void write_pods(std::ostream& out, std::span<const Pod> pods);

}  // namespace winnow::bench
