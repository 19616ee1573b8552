// PodTopologySpread: towards domains with few pods that match the soft constraints. A node's raw score sums,
// by constraint, the matching pods of its domain times ln(domains + 2), and maxSkew - 1, rounded; domains are
// those of the scored nodes, and a host is a domain of its own pods only. Normalised: 100*(max + min -
// score)/max. A node that lacks a key is left out, with 0, but for the system's defaults, where it goes
// without that constraint. 3 pods in one of 2 zones, maxSkew 1: 3*ln(4) = 4.16, so 4; the other zone 0.
// 100*(4+0-4)/4 = 0 and 100. Upstream: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go v1.37.0.
#include <cmath>
#include <limits>

#include "cluster/go_log.h"
#include "cluster/rule/domains.h"
#include "cluster/rule/topology_spread.h"
#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority pod_topology_spread;

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

struct Domain {
  std::int64_t pods = 0;
  bool is_scored = false;  ///< One of the scored nodes is in it.
};

/// What a constraint adds to a node's score.
class Spread {
 public:
  Spread(const Request& request, const TopologyConstraint& constraint)
      : constraint_(constraint),
        is_host_(constraint.topology_key == kHostname),
        domains_(request.view, constraint.topology_key, Unlabelled::kInEmpty),
        pods_(request.view.count_pods(constraint.counted(request.pod.metadata.namespace_))) {}

  /// @param scored  the nodes that are not left out.
  void weigh_domains(std::span<const NodeId> scored) {
    std::size_t size = is_host_ ? scored.size() : 0;
    if (!is_host_)
      for (const NodeId node : scored)
        if (!std::exchange(domains_.at(node)->is_scored, true)) ++size;
    weight_ = go_log(static_cast<double>(size + 2));
  }
  void count(const CountedNodes& counted, std::span<const NodeId> nodes) {
    if (is_host_) return;
    for (const NodeId node : nodes)
      if (Domain& domain = *domains_.at(node); domain.is_scored && counted.follows(constraint_, node))
        domain.pods += pods_[node];
  }

  /// Of a node that has the label.
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
  /// @param left_out  by node id, those that lack a key; empty: none is.
  PodTopologySpread(std::vector<Spread> spreads, std::vector<std::uint8_t> left_out)
      : spreads_(std::move(spreads)), left_out_(std::move(left_out)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!is_left_out(nodes[i])) out[i] = raw_score(nodes[i]);
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

  std::int64_t raw_score(NodeId node) const {
    double score = 0;
    for (const Spread& spread : spreads_)
      if (spread.has(node)) score += spread.score(node);
    return static_cast<std::int64_t>(std::round(score));
  }

  const std::vector<Spread> spreads_;
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

  std::vector<Spread> spreads;
  for (const TopologyConstraint& constraint : *constraints) {
    Spread& spread = spreads.emplace_back(request, constraint);
    spread.weigh_domains(scored);
    spread.count(counted, all);
  }
  return std::make_unique<PodTopologySpread>(std::move(spreads), std::move(left_out));
}

}  // namespace winnow::priorities::today
