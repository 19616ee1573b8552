// PodTopologySpread: prefers domains with few pods that match the soft constraints. Each constraint adds
// pods * ln(domains + 2) + maxSkew - 1 to a node's raw score, and the sum is rounded. `pods` are the matching
// pods of the node's domain; for the key kubernetes.io/hostname they are the node's own. `domains` is the
// number of domains that scored nodes are in. Scores are then 100*(max + min - raw)/max.
// A node that lacks a key gets 0 and takes no part. With the system's default constraints it takes part,
// without the constraints whose key it lacks.
// Example: one of 2 zones has 3 pods, and maxSkew is 1. Raw scores are 3*ln(4) = 4.16, so 4, and 0. The
// scores are 100*(4+0-4)/4 = 0 and 100*(4+0-0)/4 = 100.
// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go v1.37.0.
#include <cmath>
#include <limits>

#include "cluster/go_log.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/domains.h"
#include "cluster/rule/topology_spread.h"
#include "priorities/rules.h"

namespace winnow::priorities::today {

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
  const auto* const given = std::get_if<PodTopologySpreadArgs>(&arguments);
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
