// What is short where pods have been placed until one fits nowhere: what shuts the nodes that could take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

class Engines;
class View;
struct Pod;

/// Reasons of nodes' first failing rules, each with its number of nodes.
using CountedReasons = std::vector<std::pair<std::string, std::size_t>>;

/// The domain with the fewest pods of a spread. It takes no more, and so maxSkew shuts other domains.
struct FullDomain {
  std::string key, value;  ///< Of the label.
  std::int64_t pods = 0;   ///< That match, in it.
  std::int64_t max_skew = 1;
  std::size_t shuts = 0;   ///< Nodes of other domains.
  CountedReasons reasons;  ///< Why its own nodes that matter take none, or all where none does; as below.
};

/// Why nodes that could take a pod take no more.
struct Shortage {
  std::size_t nodes = 0;   ///< That were asked.
  CountedReasons reasons;  ///< The most frequent first.
  std::vector<FullDomain> full_domains;
};

/// @param pod  that fits none of the nodes. @param nodes  those that matter, each once.
Shortage shortage_of(const Engines& engines, const View& view, const Pod& pod,
                     const std::vector<NodeId>& nodes);

}  // namespace winnow
