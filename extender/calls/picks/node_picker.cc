#include "extender/calls/picks/node_picker.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "extender/engine/select.h"

namespace winnow {
namespace {

template <class Ranks>
std::vector<std::size_t> places_of_highest(const Ranks& ranks) {
  const auto highest = *std::ranges::max_element(ranks);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] == highest) places.push_back(i);
  return places;
}

/// Compared in order: answers not followed (from two on), the total, one answer not followed.
using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::vector<Rank> ranks_of(const View& view, std::span<const NodeId> nodes,
                           std::span<const std::int64_t> totals, const TextMap<std::uint32_t>& refused) {
  std::vector<Rank> ranks;
  ranks.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto it = refused.find(view.node_name(nodes[i]));
    const std::int64_t times = it == refused.end() ? 0 : it->second;
    ranks.emplace_back(times > 1 ? -times : 0, totals[i], times == 1 ? -1 : 0);
  }
  return ranks;
}

}  // namespace

NodePicker::NodePicker(std::optional<std::uint64_t> seed, std::optional<std::uint64_t> drawn)
    : repeatable_(seed.has_value()),
      seed_(seed    ? *seed
            : drawn ? *drawn
                    : std::random_device{}()) {}

std::optional<std::size_t> NodePicker::pick(const Pod& pod, std::string_view pod_key, const View& view,
                                            std::span<const NodeId> nodes,
                                            std::span<const std::int64_t> totals) const {
  if (nodes.empty()) return std::nullopt;
  const auto refused = picks_.not_followed(pod_key);
  std::vector<std::size_t> best =
      refused.empty() ? places_of_highest(totals) : places_of_highest(ranks_of(view, nodes, totals, refused));
  std::size_t before = best.front();
  if (repeatable_) {
    // In order of names, so that the order of the request does not matter. The others are only counted: to
    // sort thousands of names takes longer than to score them.
    const auto name_of = [&](std::size_t i) { return view.node_name(nodes[i]); };
    std::ranges::sort(best, {}, name_of);
    const std::string_view first = name_of(best.front());
    before = static_cast<std::size_t>(
        std::ranges::count_if(nodes, [&](NodeId node) { return view.node_name(node) < first; }));
  }
  return best[draw_equal(before, best.size(), Draw(seed_, pod.metadata.uid))];
}

}  // namespace winnow
