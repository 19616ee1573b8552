// What priorities share: the shapes that most of them have, and the reduce that many use.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cluster/go_int.h"
#include "cluster/rule/node_matcher.h"
#include "cluster/rule/priority.h"

namespace winnow::priorities {

/// What binding gives; see BindPriority.
using BoundPriority = std::expected<std::unique_ptr<const Priority>, std::string>;

/// A priority that scores a node by itself: derive, and give `score(node)`.
template <class Rule>
class PerNode : public Priority {
 public:
  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const final {
    const Rule& rule = static_cast<const Rule&>(*this);
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = rule.score(nodes[i]);
  }
};

/// The same score everywhere.
class Constant final : public PerNode<Constant> {
 public:
  explicit Constant(std::int64_t score) : score_(score) {}
  std::int64_t score(NodeId) const { return score_; }

 private:
  const std::int64_t score_;
};

/// Stretches scores so that the largest becomes `max`, in integers; `reversed` then turns them round. Where
/// all are 0: 0, or `max` if reversed.
/// Upstream: priorities/reduce.go NormalizeReduce v1.16.15.
void normalize(std::span<std::int64_t> scores, std::int64_t max, bool reversed);

/// The fewer PreferNoSchedule taints that the pod does not tolerate, the better; `max` where there are none.
/// Only tolerations for that effect or for all count.
std::unique_ptr<const Priority> tolerates_preferences(const Request& request, std::int64_t max);

/// The sum of the weights of the terms that match a node, stretched so that the best gets `max`.
struct WeightedNodes {
  NodeMatcher matcher;
  std::int64_t weight;
};
std::unique_ptr<const Priority> sums_weights(std::vector<WeightedNodes> terms, std::int64_t max);

/// What of a capacity an amount is, where all of it is `max`. @param capacity  not 0.
constexpr std::int64_t share(std::int64_t amount, std::int64_t capacity, std::int64_t max) {
  return fast_divide(wrap_multiply(amount, max), capacity);
}
/// The share that is left; 0 of what is overcommitted or not there.
constexpr std::int64_t free_share(std::int64_t used, std::int64_t capacity, std::int64_t max) {
  if (capacity == 0 || used > capacity) return 0;
  return share(wrap_subtract(capacity, used), capacity, max);
}

/// The line through the points of a shape, level before the first and behind the last, in integers.
/// Upstream: priorities/requested_to_capacity_ratio.go v1.16.15, plugins/helper/shape_score.go v1.37.0.
std::int64_t score_at(std::span<const UtilizationPoint> shape, std::int64_t utilization);

/// How much of a node would be used with the pod on it: cpu and memory, with upstream's default for
/// containers that name neither (100m, 200Mi).
class UsedShare {
 public:
  explicit UsedShare(const Request& request);
  struct Amounts {
    std::int64_t requested;
    std::int64_t capacity;
  };
  Amounts cpu(NodeId node) const { return {wrap_add(nonzero_cpu_[node], pod_cpu_), allocatable_cpu_[node]}; }
  Amounts memory(NodeId node) const {
    return {wrap_add(nonzero_memory_[node], pod_memory_), allocatable_memory_[node]};
  }

 private:
  const Column<std::int64_t> allocatable_cpu_, allocatable_memory_, nonzero_cpu_, nonzero_memory_;
  std::int64_t pod_cpu_, pod_memory_;
};

}  // namespace winnow::priorities
