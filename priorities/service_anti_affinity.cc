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

constexpr double kMax = static_cast<double>(kMaxClassicScore);

class ServiceAntiAffinity final : public Priority {
 public:
  ServiceAntiAffinity(Column<Symbol> label, std::vector<std::int32_t> counts)
      : label_(label), counts_(std::move(counts)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (counts_.empty()) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = counts_[nodes[i]];
  }

  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    std::unordered_map<Symbol, std::int64_t> under;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      all += scores[i];
      under[label_[nodes[i]]] += scores[i];
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Symbol value = label_[nodes[i]];
      scores[i] = value == kNone ? 0 : share_elsewhere(under[value], all);
    }
  }

 private:
  static std::int64_t share_elsewhere(std::int64_t here, std::int64_t all) {
    if (all == 0) return kMaxClassicScore;
    return static_cast<std::int64_t>(kMax * (static_cast<double>(all - here) / static_cast<double>(all)));
  }

  const Column<Symbol> label_;
  const std::vector<std::int32_t> counts_;  // By node id; empty if no Service selects the pod.
};

}  // namespace

BoundPriority service_anti_affinity(const Request& request, const Arguments& arguments) {
  const ObjectMeta& pod = request.pod.metadata;
  const View& view = request.view;
  std::vector<std::int32_t> counts;
  if (const Selector* service = view.workloads().first_service(pod.namespace_, pod.labels))
    counts = view.count_pods({{pod.namespace_}, *service});
  return std::make_unique<ServiceAntiAffinity>(
      view.label(std::get<ServiceAntiAffinityLabel>(arguments).label), std::move(counts));
}

}  // namespace winnow::priorities
