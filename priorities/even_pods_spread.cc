// EvenPodsSpreadPriority: prefers domains with few pods that match the soft constraints. A node's count is
// the sum, over the constraints, of the matching pods in its domain. As upstream, pods of every namespace
// count, also those being deleted. Their nodes must have all keys, and the pod must be allowed to run there.
// A node that lacks a key gets 0.
// Example: counts of 4, 2 and 0 have a total of 6. They give 10*(6-4)/(6-0) = 3, 10*(6-2)/6 = 6 and
// 10*(6-0)/6 = 10.
// Upstream: priorities/even_pods_spread.go v1.16.15, whose sums have 32 bits and may overflow.
#include <limits>

#include "cluster/rule/domains.h"
#include "cluster/rule/spread_constraints.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority even_pods_spread;

namespace {

/// The raw score of a node that lacks a key.
constexpr std::int64_t kNoCount = std::numeric_limits<std::int64_t>::min();

using Sums = DomainsByKey<std::uint32_t>;  // Unsigned, to overflow as Go's int32 does.
std::int32_t as_signed(std::uint32_t number) { return static_cast<std::int32_t>(number); }

class EvenPodsSpread final : public Priority {
 public:
  /// @param sums  by topology key. Constraints with one key add its sums once each.
  EvenPodsSpread(Sums sums, SpreadNodes nodes, const std::vector<SpreadConstraint>& constraints)
      : nodes_(std::move(nodes)), sums_(std::move(sums)), times_(sums_.keys().size()) {
    for (const SpreadConstraint& constraint : constraints) ++times_[sums_.place_of(constraint.topology_key)];
  }

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::uint32_t count = 0;
      for (std::size_t key = 0; key < times_.size(); ++key)
        count += times_[key] * sums_.keys()[key].second[nodes[i]];
      out[i] = nodes_.has_keys(nodes[i]) ? as_signed(count) : kNoCount;
    }
  }

  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    std::uint32_t total = 0;
    std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
    for (const std::int64_t count : scores) {
      if (count == kNoCount) continue;
      total += static_cast<std::uint32_t>(count);
      fewest = std::min(fewest, static_cast<std::int32_t>(count));
    }
    for (std::int64_t& score : scores)
      score = score == kNoCount ? 0 : score_of(static_cast<std::uint32_t>(score), total, fewest);
  }

 private:
  static std::int64_t score_of(std::uint32_t count, std::uint32_t total, std::int32_t fewest) {
    const std::int32_t range = as_signed(total - static_cast<std::uint32_t>(fewest));
    if (range == 0) return kMaxClassicScore;
    return wrap_truncate(static_cast<double>(kMaxClassicScore) *
                         (static_cast<double>(as_signed(total - count)) / static_cast<double>(range)));
  }

  const SpreadNodes nodes_;
  Sums sums_;
  std::vector<std::uint32_t> times_;  // By key: how many constraints have it.
};

/// Whether upstream matches a constraint's selector with any pod, so that an invalid one is an error. It does
/// so for the counted nodes in the domains of scored nodes.
bool is_tried(const Request& request, const SpreadConstraint& constraint, const SpreadNodes& spread_nodes,
              std::span<const NodeId> counted) {
  Domains<std::uint8_t> scored(request.view, constraint.topology_key);
  for (const NodeId node : request.nodes)
    if (spread_nodes.has_keys(node)) *scored.at(node) = 1;
  const Column<std::int64_t> pods = request.view.column(&NodeTable::pods);
  return std::ranges::any_of(counted, [&](NodeId node) { return scored[node] != 0 && pods[node] > 0; });
}

}  // namespace

BoundPriority even_pods_spread(const Request& request, const Arguments&) {
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kScheduleAnyway);
  if (constraints.empty()) return nullptr;
  SpreadNodes spread_nodes(request.view, request.pod.spec, constraints);
  std::vector<NodeId> counted = request.view.all_nodes();
  std::erase_if(counted, [&](NodeId node) { return !spread_nodes.contains(node); });

  Sums sums(request.view);
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    if (!constraint.selector && is_tried(request, constraint, spread_nodes, counted))
      return std::unexpected(constraint.selector.error());
    Domains<std::uint32_t>& sum = sums[constraint.topology_key];
    const std::vector<std::int32_t> pods =
        request.view.count_pods({{}, constraint.selector.value_or(Selector::nothing()), true});
    for (const NodeId node : counted) *sum.at(node) += static_cast<std::uint32_t>(pods[node]);
  }
  return std::make_unique<EvenPodsSpread>(std::move(sums), std::move(spread_nodes), constraints);
}

}  // namespace winnow::priorities
