// EvenPodsSpreadPriority: prefers domains with few pods that match the soft constraints. A node's count is
// the sum, over the constraints, of the matching pods in its domain. As upstream, pods of every namespace
// count, also those being deleted. Their nodes must have all keys, and the pod must be allowed to run there.
// A node that lacks a key gets 0.
// Example: counts of 4, 2 and 0 have a total of 6. They give 10*(6-4)/(6-0) = 3, 10*(6-2)/6 = 6 and
// 10*(6-0)/6 = 10.
// Upstream: priorities/even_pods_spread.go v1.16.15, whose sums have 32 bits and may overflow.
#include "cluster/rule/topology_spread.h"

#include <cmath>
#include <limits>

#include "cluster/go_math.h"
#include "cluster/rule/pod_affinity.h"
#include "cluster/rule/shared_args.h"
#include "priorities/records.h"
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

namespace winnow::priorities::today {

// PodTopologySpread: prefers domains with few pods that match the soft constraints. Each constraint adds
// pods * ln(domains + 2) + maxSkew - 1 to a node's raw score, and the sum is rounded. `pods` are the matching
// pods of the node's domain; for the key kubernetes.io/hostname they are the node's own. `domains` is the
// number of domains that scored nodes are in. Scores are then 100*(max + min - raw)/max.
// A node that lacks a key gets 0 and takes no part. With the system's default constraints it takes part,
// without the constraints whose key it lacks.
// Example: one of 2 zones has 3 pods, and maxSkew is 1. Raw scores are 3*ln(4) = 4.16, so 4, and 0. The
// scores are 100*(4+0-4)/4 = 0 and 100*(4+0-0)/4 = 100.
// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go v1.37.0.

BindPriority pod_topology_spread;

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

struct Domain {
  std::int64_t pods = 0;
  bool is_scored = false;  ///< Whether a scored node is in it.
};

/// The part of one constraint in nodes' raw scores.
class Spread {
 public:
  Spread(const Request& request, const TopologyConstraint& constraint)
      : constraint_(constraint),
        is_host_(constraint.topology_key == kHostname),
        domains_(request.view, constraint.topology_key, Unlabelled::kInEmpty),
        pods_(request.view.count_pods(constraint.counted(request.pod.metadata.namespace_))) {}

  /// Computes the constraint's weight. @param scored  the nodes that are not left out.
  void weigh_domains(std::span<const NodeId> scored) {
    std::size_t size = is_host_ ? scored.size() : 0;
    if (!is_host_)
      for (const NodeId node : scored)
        if (!std::exchange(domains_.at(node)->is_scored, true)) ++size;
    weight_ = go_log(static_cast<double>(size + 2));
  }
  /// Counts the matching pods by domain. Call weigh_domains() before.
  void count(const CountedNodes& counted, std::span<const NodeId> nodes) {
    if (is_host_) return;
    for (const NodeId node : nodes)
      if (Domain& domain = *domains_.at(node); domain.is_scored && counted.follows(constraint_, node))
        domain.pods += pods_[node];
  }

  /// @param node  has the topology key.
  double score(NodeId node) const {
    const std::int64_t pods = is_host_ ? pods_[node] : domains_[node].pods;
    return static_cast<double>(pods) * weight_ + static_cast<double>(constraint_.max_skew - 1);
  }
  bool has(NodeId node) const { return domains_.has(node); }

 private:
  TopologyConstraint constraint_;
  bool is_host_;
  double weight_ = 0;
  Domains<Domain> domains_;
  std::vector<std::int32_t> pods_;  // By node.
};

class PodTopologySpread final : public Priority {
 public:
  /// @param sums  by node id.
  /// @param left_out  by node id: not 0 for a node that lacks a key. Empty if no node is left out.
  PodTopologySpread(std::vector<double> sums, std::vector<std::uint8_t> left_out)
      : sums_(std::move(sums)), left_out_(std::move(left_out)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!is_left_out(nodes[i])) out[i] = static_cast<std::int64_t>(std::round(sums_[nodes[i]]));
  }

  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_left_out(nodes[i])) continue;
      lowest = std::min(lowest, scores[i]);
      highest = std::max(highest, scores[i]);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!is_left_out(nodes[i]))
        scores[i] = highest == 0 ? kMaxNodeScore
                                 : fast_divide(kMaxNodeScore * (highest + lowest - scores[i]), highest);
  }

 private:
  bool is_left_out(NodeId node) const { return !left_out_.empty() && left_out_[node]; }

  const std::vector<double> sums_;
  const std::vector<std::uint8_t> left_out_;
};

}  // namespace

BoundPriority pod_topology_spread(const Request& request, const Arguments& arguments) {
  const auto* const given = arguments.get_if<PodTopologySpreadArgs>();
  const PodTopologySpreadArgs args = given ? *given : PodTopologySpreadArgs();
  const auto constraints = topology_constraints(request, args, kScheduleAnyway);
  if (!constraints)
    return std::unexpected("calculating preScoreState: obtaining pod's soft topology spread constraints: " +
                           constraints.error());
  if (constraints->empty()) return nullptr;

  const CountedNodes counted(request, *constraints);
  const bool needs_keys = !request.pod.spec.topology_spread_constraints.empty() || !args.system_defaulted;
  std::vector<NodeId> scored(request.nodes.begin(), request.nodes.end());
  std::vector<NodeId> all = request.view.all_nodes();
  std::vector<std::uint8_t> left_out;
  if (needs_keys) {
    left_out.resize(request.view.capacity(), 0);
    for (const NodeId node : all) left_out[node] = !counted.has_keys(node);
    for (std::vector<NodeId>* nodes : {&scored, &all})
      std::erase_if(*nodes, [&](NodeId node) { return left_out[node] != 0; });
  }

  // One constraint after another: a pod may have thousands, and each needs numbers for all domains.
  std::vector<double> sums(request.view.capacity(), 0);
  for (const TopologyConstraint& constraint : *constraints) {
    request.check_time();
    Spread spread(request, constraint);
    spread.weigh_domains(scored);
    spread.count(counted, all);
    for (const NodeId node : scored)
      if (spread.has(node)) sums[node] += spread.score(node);
  }
  return std::make_unique<PodTopologySpread>(std::move(sums), std::move(left_out));
}

}  // namespace winnow::priorities::today

namespace winnow::priorities {

// The records.

namespace {

constexpr Record kTopologySpreadRecords[] = {
    {.name = "EvenPodsSpreadPriority",
     .origin = RuleOrigin::kClassic,
     .bind = even_pods_spread,
     .needs = needs::kNothing,
     .has_map = false,
     .known = AtGates::kEvenPodsSpread,
     .by_default = AtGates::kEvenPodsSpread},
    {.name = "PodTopologySpread",
     .origin = RuleOrigin::kToday,
     .bind = today::pod_topology_spread,
     .needs = needs::kWorkloads,
     .without_pre_score = "error reading \"PreScorePodTopologySpread\" from cycleState: not found",
     .releases = {{.release = Release::k1_18, .points = points::kPreScoreAndScore, .weight = 1},
                  {.release = Release::k1_22, .points = points::kPreScoreAndScore, .weight = 2}}},
};

}  // namespace

Records topology_spread_records;

std::span<const Record> topology_spread_records() { return kTopologySpreadRecords; }

}  // namespace winnow::priorities
