// The part of the table that shows what zones and nodes hold, before and after, as bars.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "extender/explain/node_names.h"
#include "extender/what_if/simulate/result.h"

namespace winnow {

struct UsageOptions {
  std::size_t width = 80;  ///< The longest line, in columns; 0: unlimited.
  bool unicode = true;     ///< Block characters; else ASCII.
  bool all_nodes = false;  ///< All that there are; else those that have changed the most.
  std::size_t max_nodes = 10;
  /// The line above: what is shown, and the words for what stays, comes and goes.
  std::string_view title = "Requested, % of allocatable, before→after";
  std::array<std::string_view, 3> words = {"stays", "comes", "goes"};
  NodeNames names = {};  ///< What rows leave out of nodes' names.
};

/// A bar of `cells` characters: what stays, what is new, what is gone, what is free. More than `all` is cut.
/// In ASCII "##++..", where something left "##--..".
std::string usage_bar(std::int64_t before, std::int64_t after, std::int64_t all, std::size_t cells,
                      bool unicode);

/// Appends a line for each zone and for each node that is shown, under a head. Nothing where nothing changed,
/// unless all nodes are wanted.
void append_usage(std::string& out, const std::vector<NodeFill>& nodes, const UsageOptions& options);

}  // namespace winnow
