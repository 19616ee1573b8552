// What the two questions' ways of reuse share: see reuse.cc and reuse_scores.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "cluster/rule/rule.h"
#include "extender/reuse/kept_class.h"

namespace winnow {

/// Measured: with fewer nodes, waking a helper thread costs more than it saves.
inline constexpr std::size_t kNodesPerChunk = 2048;

/// The rules that have something to say, and whose answers are kept by row.
template <class Bound>
Speaking speaking_of(const std::vector<Bound>& bound, const std::vector<Reads>& reads) {
  Speaking speaking(bound.size());
  for (std::size_t rule = 0; rule < bound.size(); ++rule)
    speaking[rule] = bound[rule] && reads_single_nodes(reads[rule]);
  return speaking;
}

/// The rows of the request's nodes that are to be asked about.
/// @param dropped  those that became stale, where the nodes are those of the last request but for rows that
/// the caller adds; null: they are not.
template <class Known>
std::vector<NodeId> stale_rows(const Known& known, std::span<const NodeId> nodes,
                               const std::vector<NodeId>* dropped) {
  std::vector<NodeId> stale;
  if (dropped)
    std::ranges::copy_if(*dropped, std::back_inserter(stale),
                         [&](NodeId row) { return known.last.place_of(row) != kNone; });
  else
    std::ranges::copy_if(nodes, std::back_inserter(stale), [&](NodeId row) { return !known.fresh.has(row); });
  return stale;
}

/// Adds the rows of the last answer's nodes that the rules say have moved. @return false: any may have.
template <class Bound>
bool add_moved(const std::vector<Bound>& bound, const std::vector<Reads>& reads, const LastNodes& last,
               std::vector<NodeId>& rows) {
  const std::size_t before = rows.size();
  for (std::size_t rule = 0; rule < bound.size(); ++rule) {
    if (!bound[rule] || reads_single_nodes(reads[rule])) continue;
    const std::vector<NodeId>* const moved = bound[rule]->moved();
    if (!moved) return false;
    std::ranges::copy_if(*moved, std::back_inserter(rows),
                         [&](NodeId row) { return last.place_of(row) != kNone; });
  }
  if (rows.size() == before) return true;
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return true;
}

}  // namespace winnow
