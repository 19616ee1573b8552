// PodTopologySpread: for each hard constraint, a node's domain with the pod has at most maxSkew more matching
// pods than the domain with the fewest. Pods of the namespace count unless they are being deleted. Their
// nodes must have all the topology keys, and the constraint's policies must let these nodes count. If fewer
// than minDomains domains count, the fewest is taken as 0. A node that does not count is still judged, by the
// pods of its domain.
// Example: domains with 2, 0 and 1 pods, maxSkew 1, and a pod that matches the constraint itself. The first
// and the third fail, since 2+1-0 > 1 and 1+1-0 > 1. The second fits, since 0+1-0 = 1.
// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go v1.37.0.
#include <limits>

#include "cluster/rule/arguments.h"
#include "cluster/rule/domains.h"
#include "cluster/rule/topology_spread.h"
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate pod_topology_spread;

namespace {

const std::array<std::string, 2> kReasons = {
    "node(s) didn't match pod topology spread constraints (missing required label)",
    "node(s) didn't match pod topology spread constraints",
};

struct Domain {
  std::int32_t pods = 0;
  bool counts = false;  ///< Whether some node of the domain counts.
};

/// One constraint as a limit on a node's domain.
struct Limit {
  Domains<Domain> domains;
  std::int64_t most = 0;  ///< Matching pods that the domain may have without this one.
};

/// By topology key, which constraints refuse a node. Constraints are numbered from 1 in the order written,
/// and the first one that refuses a node gives the reason. What is kept does not grow with the constraints of
/// a key.
class Refusals {
 public:
  explicit Refusals(const View& view) : over_(view) {}

  /// Adds the next constraint.
  void add(const std::string& key, const Limit& limit) {
    ++count_;
    const std::size_t place = over_.place_of(key);
    if (place == first_.size()) first_.push_back(count_);
    const std::span<std::uint32_t> over = over_.at(place).numbers();
    const std::span<const Domain> domains = limit.domains.numbers();
    for (std::size_t i = 0; i < over.size(); ++i)
      if (over[i] == 0 && domains[i].pods > limit.most) over[i] = count_;
  }

  struct First {
    std::uint32_t constraint = 0;  ///< 0: none refuses the node.
    bool lacks_key = false;
  };
  First find(NodeId node) const {
    First first;
    for (std::size_t place = 0; place < first_.size(); ++place) {
      const Domains<std::uint32_t>& over = over_.keys()[place].second;
      const bool lacks_key = !over.has(node);
      const std::uint32_t constraint = lacks_key ? first_[place] : over[node];
      if (constraint != 0 && (first.constraint == 0 || constraint < first.constraint))
        first = {constraint, lacks_key};
    }
    return first;
  }

 private:
  std::uint32_t count_ = 0;
  DomainsByKey<std::uint32_t> over_;  ///< The first constraint whose limit the domain exceeds; 0: none.
  std::vector<std::uint32_t> first_;  ///< By key: its first constraint.
};

class PodTopologySpread final : public Predicate {
 public:
  explicit PodTopologySpread(Refusals refusals) : refusals_(std::move(refusals)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return kReasons; }

 private:
  Verdict judge(NodeId node) const {
    const Refusals::First first = refusals_.find(node);
    if (first.constraint == 0) return {};
    return first.lacks_key ? Verdict::of(Fit::kUnresolvable, 0b01) : Verdict::of(Fit::kUnschedulable, 0b10);
  }

  const Refusals refusals_;
};

/// The pods that the constraint counts, by node id. For a selector that matches everything upstream counts
/// only nominated pods: AddPod adds them without that exception.
std::vector<std::int32_t> count_pods(const Request& request, const TopologyConstraint& constraint) {
  const std::string& ns = request.pod.metadata.namespace_;
  std::vector<std::int32_t> pods = request.view.count_pods(constraint.counted(ns));
  if (!constraint.selector.is_everything() || !request.view.has_nominated()) return pods;
  const PodQuery all{{ns}, constraint.selector, true};
  pods = request.view.count_pods(all);
  const std::vector<std::int32_t> assigned = request.view.count_assigned(all);
  std::ranges::transform(pods, assigned, pods.begin(), std::minus());
  return pods;
}

Limit limit_of(const Request& request, const TopologyConstraint& constraint, const CountedNodes& counted,
               std::span<const NodeId> with_keys) {
  const ObjectMeta& pod = request.pod.metadata;
  Limit limit{Domains<Domain>(request.view, constraint.topology_key)};
  const std::vector<std::int32_t> pods = count_pods(request, constraint);
  std::vector<const Domain*> domains;
  for (const NodeId node : with_keys) {
    if (!counted.follows(constraint, node)) continue;
    Domain& domain = *limit.domains.at(node);
    domain.pods += pods[node];
    if (!std::exchange(domain.counts, true)) domains.push_back(&domain);
  }
  std::int64_t fewest = std::numeric_limits<std::int32_t>::max();
  for (const Domain* domain : domains) fewest = std::min<std::int64_t>(fewest, domain->pods);
  if (static_cast<std::int64_t>(domains.size()) < constraint.min_domains) fewest = 0;
  const std::int64_t itself = constraint.selector.matches(pod.labels) ? 1 : 0;
  limit.most = constraint.max_skew + fewest - itself;
  return limit;
}

}  // namespace

std::unique_ptr<const Predicate> pod_topology_spread(const Request& request, const Arguments& arguments) {
  const auto* const given = std::get_if<PodTopologySpreadArgs>(&arguments);
  const auto constraints =
      topology_constraints(request, given ? *given : PodTopologySpreadArgs(), kDoNotSchedule);
  if (!constraints)
    return std::make_unique<RefusesPod>(Fit::kError,
                                        "get constraints from pod: obtaining pod's hard topology spread "
                                        "constraints: " +
                                            constraints.error());
  if (constraints->empty()) return nullptr;
  const CountedNodes counted(request, *constraints);
  std::vector<NodeId> with_keys = request.view.all_nodes();
  std::erase_if(with_keys, [&](NodeId node) { return !counted.has_keys(node); });
  Refusals refusals(request.view);
  for (const TopologyConstraint& constraint : *constraints) {
    request.check_time();
    refusals.add(constraint.topology_key, limit_of(request, constraint, counted, with_keys));
  }
  return std::make_unique<PodTopologySpread>(std::move(refusals));
}

}  // namespace winnow::predicates::today
