// Base classes, arithmetic and arguments that several priorities share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/go_math.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/node_matcher.h"
#include "cluster/rule/rule.h"

namespace winnow {

// Arguments of priorities in a Policy, and of a plugin.

/// Of the priority of the argument serviceAntiAffinity.
struct ServiceAntiAffinityLabel {
  std::string label;
};
/// Of the plugin VolumeBinding.
struct VolumeBindingArgs {
  UtilizationShape shape{{0, 10}, {100, 0}};
};
/// Of the priority of the argument labelPreference.
struct LabelPreference {
  std::string label;
  bool presence = false;
};

}  // namespace winnow

namespace winnow::priorities {

/// The result of binding a priority; see BindPriority.
using BoundPriority = std::expected<std::unique_ptr<const Priority>, std::string>;

/// The base of a priority that scores each node by itself. A derived class defines `score(NodeId)`. It may
/// define `bool score_block(nodes, out)`, which scores at most kNodesPerBlock nodes at once, or none: false.
template <class Rule>
class PerNode : public Priority {
 public:
  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const final {
    const Rule& rule = static_cast<const Rule&>(*this);
    if constexpr (requires { rule.score_block(nodes, out); }) {
      for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesPerBlock) {
        const std::size_t count = std::min(kNodesPerBlock, nodes.size() - begin);
        const auto block = nodes.subspan(begin, count);
        if (rule.score_block(block, out.subspan(begin, count))) continue;
        for (std::size_t i = 0; i < count; ++i) out[begin + i] = rule.score(block[i]);
      }
    } else {
      for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = rule.score(nodes[i]);
    }
  }
  void reduce(std::span<const NodeId>, std::span<std::int64_t>) const final {}
  bool has_reduce() const final { return false; }
};

/// A priority that gives every node the same score.
class Constant final : public PerNode<Constant> {
 public:
  explicit Constant(std::int64_t score) : score_(score) {}
  std::int64_t score(NodeId) const { return score_; }
  std::optional<std::int64_t> constant() const override { return score_; }

 private:
  const std::int64_t score_;
};

/// Scales scores in integers so that the largest becomes `max`; `reversed` then makes each `max` minus
/// itself. If all are 0 they stay 0, or become `max` if reversed.
/// Upstream: priorities/reduce.go NormalizeReduce v1.16.15.
void normalize(std::span<std::int64_t> scores, std::int64_t max, bool reversed);

/// A priority that prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. A node
/// without any gets `max`. Tolerations count if they are for that effect or for all effects.
std::unique_ptr<const Priority> tolerates_preferences(const Request& request, std::int64_t max);

/// A priority that prefers nodes, and zones, that have fewer of the counted pods; see services.cc.
/// @param counts  by node id; empty: none. @param max  the score of a node without any.
std::unique_ptr<const Priority> spreads_pods(const View& view, std::vector<std::int32_t> counts,
                                             std::int64_t max);

/// A priority that spreads the counted pods over the values of node labels: the mean over the labels; see
/// services.cc. A node without a label gets nothing for it. Arguments as of spreads_pods().
std::unique_ptr<const Priority> spreads_service(const View& view, const std::vector<std::string>& labels,
                                                std::vector<std::int32_t> counts, std::int64_t max);

/// A priority that gives 0 to nodes whose annotation preferAvoidPods names the pod's controller, and `max` to
/// the others; see node.cc.
std::unique_ptr<const Priority> heeds_avoided_pods(const Request& request, std::int64_t max);

/// A term that matches nodes, with its weight.
struct WeightedNodes {
  NodeMatcher matcher;
  std::int64_t weight;
};
/// A priority that sums the weights of the terms that match a node, scaled so that the best node gets `max`.
std::unique_ptr<const Priority> sums_weights(std::vector<WeightedNodes> terms, std::int64_t max);

/// amount * max / capacity, truncated, with Go's overflow. @param capacity  not 0.
constexpr std::int64_t share(std::int64_t amount, std::int64_t capacity, std::int64_t max) {
  return fast_divide(wrap_multiply(amount, max), capacity);
}
/// The share that is free; 0 if the capacity is 0 or overcommitted.
constexpr std::int64_t free_share(std::int64_t used, std::int64_t capacity, std::int64_t max) {
  if (capacity == 0 || used > capacity) return 0;
  return share(wrap_subtract(capacity, used), capacity, max);
}

/// The score at a utilization, on the line through the points of a shape. Before the first point and behind
/// the last the line is level. Integers, divisions truncate.
/// Upstream: priorities/requested_to_capacity_ratio.go v1.16.15, plugins/helper/shape_score.go v1.37.0.
std::int64_t score_at(std::span<const UtilizationPoint> shape, std::int64_t utilization);

/// The use of a node's cpu (in thousandths) and memory (bytes) if the pod ran there. As in upstream, a
/// container without a cpu request counts 100m, and one without a memory request 200Mi.
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
