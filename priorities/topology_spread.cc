// EvenPodsSpreadPriority: prefers domains with few pods that match the soft constraints. A node's count is
// the sum, over the constraints, of the matching pods in its domain. As upstream, pods of every namespace
// count, also those being deleted. Their nodes must have all keys, and the pod must be allowed to run there.
// A node that lacks a key gets 0.
// Example: counts of 4, 2 and 0 have a total of 6. They give 10*(6-4)/(6-0) = 3, 10*(6-2)/6 = 6 and
// 10*(6-0)/6 = 10.
// Upstream: priorities/even_pods_spread.go v1.16.15, whose sums have 32 bits and may overflow.
#include "priorities/topology_spread.h"

#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>

#include "cluster/go_math.h"
#include "cluster/rule/pod_affinity.h"
#include "cluster/rule/shared_args.h"
#include "cluster/rule/topology_spread.h"
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

/// Finds the counts of the node's domains, as EvenPodsSpread adds them up.
std::unique_ptr<const CauseFinder> find_even_counts(const Request& request, const Arguments&) {
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kScheduleAnyway);
  if (constraints.empty()) return nullptr;
  SpreadNodes spread_nodes(request.view, request.pod.spec, constraints);
  struct Part {
    std::string key;
    std::int64_t max_skew = 0;
    Column<Symbol> label;
    Domains<std::int64_t> pods;
  };
  std::vector<Part> parts;
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    Part& part = parts.emplace_back(constraint.topology_key, constraint.max_skew,
                                    request.view.label(constraint.topology_key),
                                    Domains<std::int64_t>(request.view, constraint.topology_key));
    const std::vector<std::int32_t> pods =
        request.view.count_pods({{}, constraint.selector.value_or(Selector::nothing()), true});
    for (const NodeId node : request.view.all_nodes())
      if (spread_nodes.contains(node)) *part.pods.at(node) += pods[node];
  }
  return make_cause_finder([&view = request.view, parts = std::move(parts), nodes = std::move(spread_nodes)](
                               NodeId node, std::vector<Cause>& facts) {
    if (!nodes.has_keys(node)) return;
    for (const Part& part : parts) {
      Cause& fact = facts.emplace_back("spreadPods");
      fact.with("topologyKey", part.key).with("domain", std::string(view.text(part.label[node])));
      fact.with("pods", part.pods[node]).with("maxSkew", part.max_skew);
    }
  });
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

struct Domain {
  std::int64_t pods = 0;
  bool is_scored = false;  ///< Whether a scored node is in it.
};

/// The pods that match a constraint, by node id. Constraints by default have one selector.
using CountedPods = std::shared_ptr<const std::vector<std::int32_t>>;

/// The part of one constraint in nodes' raw scores.
class Spread {
 public:
  Spread(const Request& request, const TopologyConstraint& constraint, CountedPods pods)
      : constraint_(constraint),
        domain_ids_(request.view.domains(constraint.topology_key)),
        pods_(std::move(pods)) {
    if (constraint.topology_key != kHostname)
      domains_.emplace(request.view, constraint.topology_key, Unlabelled::kInEmpty);
  }

  /// Computes the constraint's weight. @param scored  the nodes that are not left out.
  void weigh_domains(std::span<const NodeId> scored) {
    std::size_t size = domains_ ? 0 : scored.size();
    if (domains_) {
      // Usually the first nodes are in all domains already.
      const std::size_t all = domains_->numbers().size();
      for (auto node = scored.begin(); node != scored.end() && size < all; ++node)
        if (!std::exchange(domains_->at(*node)->is_scored, true)) ++size;
    }
    weight_ = go_log(static_cast<double>(size + 2));
  }
  /// Counts the matching pods by domain. Call weigh_domains() before.
  void count(const CountedNodes& counted, std::span<const NodeId> nodes) {
    if (!domains_) return;
    for (const NodeId node : nodes) {
      if ((*pods_)[node] == 0) continue;
      if (Domain& domain = *domains_->at(node); domain.is_scored && counted.follows(constraint_, node))
        domain.pods += (*pods_)[node];
    }
  }
  /// Adds the part of each of the nodes to its sum, by node id.
  void add_to(std::vector<double>& sums, std::span<const NodeId> nodes) const {
    const auto part = [&](std::int64_t pods) {
      return static_cast<double>(pods) * weight_ + static_cast<double>(constraint_.max_skew - 1);
    };
    for (const NodeId node : nodes)
      if (has(node)) sums[node] += part(pods(node));
  }

  bool has(NodeId node) const { return domain_ids_[node] != kNone; }
  /// The matching pods that count for the node.
  std::int64_t pods(NodeId node) const { return domains_ ? (*domains_)[node].pods : (*pods_)[node]; }
  const TopologyConstraint& constraint() const { return constraint_; }

 private:
  TopologyConstraint constraint_;
  DomainIds domain_ids_;
  double weight_ = 0;
  std::optional<Domains<Domain>> domains_;  ///< Nothing: by hostname each node is a domain.
  CountedPods pods_;
};

class PodTopologySpread final : public Priority {
 public:
  /// @param sums  by node id.
  /// @param left_out  by node id: not 0 for a node that lacks a key. Empty if no node is left out.
  PodTopologySpread(std::vector<double> sums, std::vector<std::uint8_t> left_out)
      : sums_(std::move(sums)), left_out_(std::move(left_out)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!is_left_out(nodes[i])) out[i] = rounded(sums_[nodes[i]]);
  }

  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    reduce_spread(nodes, scores, [this](NodeId node) { return is_left_out(node); });
  }

 private:
  bool is_left_out(NodeId node) const { return !left_out_.empty() && left_out_[node]; }

  const std::vector<double> sums_;
  const std::vector<std::uint8_t> left_out_;
};

}  // namespace

namespace {

PodTopologySpreadArgs spread_args(const Arguments& arguments) {
  const auto* const given = arguments.get_if<PodTopologySpreadArgs>();
  return given ? *given : PodTopologySpreadArgs();
}

/// Whether a node that lacks a key takes no part. With the system's default constraints it does.
bool leaves_out(const Request& request, const PodTopologySpreadArgs& args) {
  return !request.pod.spec.topology_spread_constraints.empty() || !args.system_defaulted;
}

/// The nodes that take part in scoring a pod.
class TakingPart {
 public:
  TakingPart(const Request& request, const PodTopologySpreadArgs& args,
             const std::vector<TopologyConstraint>& constraints)
      : counted_(request, constraints),
        scored_(request.nodes.begin(), request.nodes.end()),
        all_(request.view.all_nodes()) {
    if (!leaves_out(request, args)) return;
    left_out_.resize(request.view.capacity(), 0);
    for (const NodeId node : all_) left_out_[node] = !counted_.has_keys(node);
    for (std::vector<NodeId>* nodes : {&scored_, &all_})
      std::erase_if(*nodes, [&](NodeId node) { return left_out_[node] != 0; });
  }

  Spread spread(const Request& request, const TopologyConstraint& constraint) {
    Spread spread(request, constraint, count_pods(request, constraint));
    spread.weigh_domains(scored_);
    spread.count(counted_, all_);
    return spread;
  }
  const std::vector<NodeId>& scored() const { return scored_; }
  /// See PodTopologySpread.
  std::vector<std::uint8_t> take_left_out() { return std::move(left_out_); }

 private:
  CountedPods count_pods(const Request& request, const TopologyConstraint& constraint) {
    PodQuery query = constraint.counted(request.pod.metadata.namespace_);
    if (!last_pods_ || !(query == last_query_))
      last_pods_ = std::make_shared<const std::vector<std::int32_t>>(request.view.count_pods(query));
    last_query_ = std::move(query);
    return last_pods_;
  }

  const CountedNodes counted_;
  std::vector<NodeId> scored_, all_;
  std::vector<std::uint8_t> left_out_;
  PodQuery last_query_;
  CountedPods last_pods_;
};

/// The pods that count for a node, by constraint.
std::unique_ptr<const CauseFinder> find_spread_pods(const Request& request, const Arguments& arguments) {
  constexpr std::size_t kMostTold = 16;
  const PodTopologySpreadArgs args = spread_args(arguments);
  const auto constraints = topology_constraints(request, args, kScheduleAnyway);
  if (!constraints) return nullptr;
  TakingPart nodes(request, args, *constraints);
  std::vector<std::pair<Spread, Column<Symbol>>> spreads;
  for (const TopologyConstraint& constraint : *constraints | std::views::take(kMostTold))
    spreads.emplace_back(nodes.spread(request, constraint), request.view.label(constraint.topology_key));
  return make_cause_finder([&view = request.view, spreads = std::move(spreads),
                            left_out = nodes.take_left_out()](NodeId node, std::vector<Cause>& facts) {
    if (!left_out.empty() && left_out[node] != 0) return;
    for (const auto& [spread, label] : spreads) {
      if (!spread.has(node)) continue;
      Cause& fact = facts.emplace_back("spreadPods");
      fact.with("topologyKey", spread.constraint().topology_key);
      fact.with("domain", std::string(view.text(label[node]))).with("pods", spread.pods(node));
      fact.with("maxSkew", std::int64_t{spread.constraint().max_skew});
    }
  });
}

}  // namespace

BoundPriority pod_topology_spread(const Request& request, const Arguments& arguments) {
  if (request.kept && request.kept->state)
    if (auto by_kept = spread_scores_by_kept(request)) return by_kept;
  const PodTopologySpreadArgs args = spread_args(arguments);
  const auto constraints = topology_constraints(request, args, kScheduleAnyway);
  if (!constraints)
    return std::unexpected("calculating preScoreState: obtaining pod's soft topology spread constraints: " +
                           constraints.error());
  if (constraints->empty()) return nullptr;
  if (request.kept)
    if (auto to_keep = spread_scores_to_keep(request, *constraints, leaves_out(request, args)))
      return to_keep;
  TakingPart nodes(request, args, *constraints);

  // One constraint after another: a pod may have thousands, and each needs numbers for all domains.
  std::vector<double> sums(request.view.capacity(), 0);
  for (const TopologyConstraint& constraint : *constraints) {
    request.check_time();
    nodes.spread(request, constraint).add_to(sums, nodes.scored());
  }
  return std::make_unique<PodTopologySpread>(std::move(sums), nodes.take_left_out());
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
     .made_by = find_even_counts,
     .has_map = false,
     .known = AtGates::kEvenPodsSpread,
     .by_default = AtGates::kEvenPodsSpread},
    {.name = "PodTopologySpread",
     .origin = RuleOrigin::kToday,
     .bind = today::pod_topology_spread,
     .needs = needs::kWorkloads,
     .reads = Reads::kRows,
     .made_by = today::find_spread_pods,
     .without_pre_score = "error reading \"PreScorePodTopologySpread\" from cycleState: not found",
     .releases = {{.release = Release::k1_18, .points = points::kPreScoreAndScore, .weight = 1},
                  {.release = Release::k1_22, .points = points::kPreScoreAndScore, .weight = 2}}},
};

}  // namespace

Records topology_spread_records;

std::span<const Record> topology_spread_records() { return kTopologySpreadRecords; }

}  // namespace winnow::priorities
