// The priority of the argument serviceAntiAffinity: spreads a Service's pods over the values of a node label.
// Map counts the node's pods that the pod's first Service selects. Reduce gives a node
// int(10 * (pods elsewhere / pods)), where "elsewhere" is under another value of the label. A node without
// the label gets 0.
// Example: of 8 pods, 2 are under rack=a and 6 under rack=b. Rack a gets 10*(6/8) = 7, rack b 10*(2/8) = 2.
// Upstream: priorities/selector_spreading.go ServiceAntiAffinity v1.16.15. There the first of several
// Services depends on the order of a Go map; here it is the first by name.
#include <unordered_map>

#include "cluster/rule/arguments.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority service_anti_affinity;

namespace {

class ServiceAntiAffinity final : public Priority {
 public:
  ServiceAntiAffinity(std::vector<Column<Symbol>> labels, std::vector<std::int32_t> counts, std::int64_t max)
      : labels_(std::move(labels)), counts_(std::move(counts)), max_(static_cast<double>(max)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (counts_.empty()) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = counts_[nodes[i]];
  }

  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    std::vector<double> sums(nodes.size(), 0);
    for (const Column<Symbol>& label : labels_) add_shares(label, nodes, scores, sums);
    for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = static_cast<std::int64_t>(sums[i]);
  }

 private:
  /// Adds to each node's sum what the label gives it.
  void add_shares(const Column<Symbol>& label, std::span<const NodeId> nodes,
                  std::span<const std::int64_t> counts, std::span<double> sums) const {
    std::unordered_map<Symbol, std::int64_t> under;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      all += counts[i];
      under[label[nodes[i]]] += counts[i];
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (const Symbol value = label[nodes[i]]; value != kNone)
        sums[i] += share_elsewhere(under[value], all) / static_cast<double>(labels_.size());
  }

  double share_elsewhere(std::int64_t here, std::int64_t all) const {
    return all == 0 ? max_ : max_ * (static_cast<double>(all - here) / static_cast<double>(all));
  }

  const std::vector<Column<Symbol>> labels_;
  const std::vector<std::int32_t> counts_;  // By node id; empty if no Service selects the pod.
  const double max_;
};

}  // namespace

std::unique_ptr<const Priority> spreads_service(const View& view, const std::vector<std::string>& labels,
                                                std::vector<std::int32_t> counts, std::int64_t max) {
  std::vector<Column<Symbol>> columns;
  for (const std::string& label : labels) columns.push_back(view.label(label));
  return std::make_unique<ServiceAntiAffinity>(std::move(columns), std::move(counts), max);
}

BoundPriority service_anti_affinity(const Request& request, const Arguments& arguments) {
  const ObjectMeta& pod = request.pod.metadata;
  const View& view = request.view;
  std::vector<std::int32_t> counts;
  if (const Selector* service = view.workloads().first_service(pod.namespace_, pod.labels))
    counts = view.count_pods({{pod.namespace_}, *service});
  return spreads_service(view, {std::get<ServiceAntiAffinityLabel>(arguments).label}, std::move(counts),
                         kMaxClassicScore);
}

}  // namespace winnow::priorities
