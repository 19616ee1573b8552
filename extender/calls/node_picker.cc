#include "extender/calls/node_picker.h"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "extender/engine/select.h"

namespace winnow {

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
  std::vector<std::size_t> order(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (repeatable_) std::ranges::sort(order, {}, [&](std::size_t i) { return view.node_name(nodes[i]); });

  // Compared in order: answers not followed (from two on), the total, one answer not followed.
  using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::vector<Rank> ranks;
  for (const std::size_t i : order) {
    const auto it = refused.empty() ? refused.end() : refused.find(std::string(view.node_name(nodes[i])));
    const std::int64_t times = it == refused.end() ? 0 : it->second;
    ranks.emplace_back(times > 1 ? -times : 0, totals[i], times == 1 ? -1 : 0);
  }
  return order[*draw_best<Rank>(ranks, Draw(seed_, pod.metadata.uid))];
}

}  // namespace winnow
