// SelectorSpreadPriority: avoids nodes and zones that have many pods of the same Services and controllers.
// Map counts the node's pods that match the selectors of all of them. Reduce turns counts into scores. For a
// node in a zone, the zone's score counts 2/3 and the node's 1/3.
// Example: counts of 3, 5 and 10 give 10*(10-3)/10 = 7, 10*(10-5)/10 = 5 and 10*(10-10)/10 = 0.
// Upstream: priorities/selector_spreading.go v1.16.15; the order of the float operations is upstream's.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority selector_spread;

namespace {

constexpr double kZoneWeight = 2.0 / 3.0;

class SelectorSpread final : public Priority {
 public:
  SelectorSpread(const View& view, std::vector<std::int32_t> counts, std::int64_t max)
      : zone_(view.column(&NodeTable::zone)),
        zones_(view.names().zones.capacity()),
        counts_(std::move(counts)),
        max_(static_cast<double>(max)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (counts_.empty()) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = counts_[nodes[i]];
  }

  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    std::vector<std::int64_t> in_zone(zones_, 0);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      most = std::max(most, scores[i]);
      if (const std::uint32_t zone = zone_[nodes[i]]; zone != kNone) in_zone[zone] += scores[i];
    }
    const std::int64_t most_in_zone = in_zone.empty() ? 0 : *std::ranges::max_element(in_zone);
    std::vector<double> zone_part(zones_);
    for (std::size_t zone = 0; zone < zones_; ++zone)
      zone_part[zone] = kZoneWeight * spread(in_zone[zone], most_in_zone);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double score = spread(scores[i], most);
      if (const std::uint32_t zone = zone_[nodes[i]]; zone != kNone)
        score = (score * (1.0 - kZoneWeight)) + zone_part[zone];
      scores[i] = static_cast<std::int64_t>(score);
    }
  }

 private:
  /// The score of a count: 0 for the largest count, max for a count of 0. All get max if there are no pods.
  double spread(std::int64_t count, std::int64_t most) const {
    return most > 0 ? max_ * (static_cast<double>(most - count) / static_cast<double>(most)) : max_;
  }

  const Column<std::uint32_t> zone_;
  const std::size_t zones_;
  const std::vector<std::int32_t> counts_;  // By node id; empty if nothing selects the pod.
  const double max_;
};

}  // namespace

std::unique_ptr<const Priority> spreads_pods(const View& view, std::vector<std::int32_t> counts,
                                             std::int64_t max) {
  return std::make_unique<SelectorSpread>(view, std::move(counts), max);
}

BoundPriority selector_spread(const Request& request, const Arguments&) {
  const ObjectMeta& pod = request.pod.metadata;
  const std::vector<const Selector*> selectors =
      request.view.workloads().matching(pod.namespace_, pod.labels);
  std::vector<std::int32_t> counts;
  if (!selectors.empty()) {
    std::vector<Requirement> all;
    for (const Selector* selector : selectors)
      all.insert(all.end(), selector->requirements().begin(), selector->requirements().end());
    counts = request.view.count_pods(pod.namespace_, Selector::all_of(std::move(all)));
  }
  return spreads_pods(request.view, std::move(counts), kMaxClassicScore);
}

}  // namespace winnow::priorities
