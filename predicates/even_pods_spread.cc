// EvenPodsSpread: for each hard constraint, a node's domain with the pod has at most maxSkew more matching
// pods than the domain with the fewest. Pods of the same namespace count, also those being deleted.
// Two quirks of upstream are kept. Two constraints with one topology key share the sums of both. A nominated
// pod counts even on a node that the pod itself may not run on: AddPod checks the topology keys alone.
// Upstream: predicates.go EvenPodsSpreadPredicate, metadata.go getExistingPodSpreadCache v1.16.15.
#include <limits>
#include <map>

#include "cluster/rule/domains.h"
#include "cluster/rule/spread_constraints.h"
#include "predicates/metadata.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate even_pods_spread;

namespace {

/// One constraint as a limit on a node's domain. An invalid selector is an error at the nodes that reach it.
struct Limit {
  std::size_t key = 0;    ///< The place of its domains' sums.
  std::int64_t most = 0;  ///< Matching pods that the domain may have without this one.
  bool is_error = false;
};

class EvenPodsSpread final : public Predicate {
 public:
  EvenPodsSpread(DomainsByKey<std::int32_t> sums, std::vector<Limit> limits, std::vector<std::string> reasons)
      : sums_(std::move(sums)), limits_(std::move(limits)), reasons_(std::move(reasons)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  Verdict judge(NodeId node) const {
    for (const Limit& limit : limits_) {
      const Domains<std::int32_t>& pods = sums_.keys()[limit.key].second;
      if (!pods.has(node)) return Verdict::one(false, Fit::kUnschedulable);
      if (limit.is_error) return Verdict::of(Fit::kError, 2);
      if (pods[node] > limit.most) return Verdict::one(false, Fit::kUnschedulable);
    }
    return {};
  }

  const DomainsByKey<std::int32_t> sums_;
  const std::vector<Limit> limits_;
  const std::vector<std::string> reasons_;  // The reason, and the error of the first invalid selector.
};

/// Matching pods by domain. An invalid selector counts as matching nothing. There are no pods to match it
/// with here, or upstream would have no metadata (see lacks_metadata).
DomainsByKey<std::int32_t> count_pods(const Request& request,
                                      const std::vector<SpreadConstraint>& constraints,
                                      std::span<const NodeId> counted) {
  DomainsByKey<std::int32_t> sums(request.view);
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    Domains<std::int32_t>& sum = sums[constraint.topology_key];
    const std::vector<std::int32_t> pods = request.view.count_pods(
        {{request.pod.metadata.namespace_}, constraint.selector.value_or(Selector::nothing()), true});
    for (const NodeId node : counted) *sum.at(node) += pods[node];
  }
  return sums;
}

/// Adds the nominated pods of nodes that do not count. @return these nodes, by topology key.
std::map<std::string, std::vector<NodeId>> add_waiting(const Request& request,
                                                       const std::vector<SpreadConstraint>& constraints,
                                                       const SpreadNodes& nodes,
                                                       DomainsByKey<std::int32_t>& sums) {
  std::map<std::string, std::vector<NodeId>> waiting;
  if (!request.view.has_nominated()) return waiting;
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    const PodQuery query{
        {request.pod.metadata.namespace_}, constraint.selector.value_or(Selector::nothing()), true};
    const std::vector<std::int32_t> pods = request.view.count_pods(query);
    const std::vector<std::int32_t> assigned = request.view.count_assigned(query);
    for (const NodeId node : request.view.all_nodes()) {
      if (pods[node] == assigned[node] || !nodes.has_keys(node) || nodes.contains(node)) continue;
      *sums[constraint.topology_key].at(node) += pods[node] - assigned[node];
      waiting[constraint.topology_key].push_back(node);
    }
  }
  return waiting;
}

Limit limit_of(const SpreadConstraint& constraint, DomainsByKey<std::int32_t>& sums, const Pod& pod,
               std::span<const NodeId> counted, std::span<const NodeId> waiting) {
  const std::size_t key = sums.place_of(constraint.topology_key);
  if (!constraint.selector) return {key, 0, true};
  const Domains<std::int32_t>& pods = sums.at(key);
  std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
  for (const NodeId node : counted) fewest = std::min(fewest, pods[node]);
  for (const NodeId node : waiting) fewest = std::min(fewest, pods[node]);
  const bool counts_itself = constraint.selector->matches(pod.metadata.labels);
  return {key, std::int64_t{constraint.max_skew} + fewest - (counts_itself ? 1 : 0), false};
}

}  // namespace

std::unique_ptr<const Predicate> even_pods_spread(const Request& request, const Arguments&) {
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kDoNotSchedule);
  if (constraints.empty()) return nullptr;
  if (lacks_metadata(request))
    return std::make_unique<ErrorEverywhere>("metadata not pre-computed for EvenPodsSpreadPredicate");

  const SpreadNodes spread_nodes(request.view, request.pod.spec, constraints);
  std::vector<NodeId> counted = request.view.all_nodes();
  std::erase_if(counted, [&](NodeId node) { return !spread_nodes.contains(node); });
  DomainsByKey<std::int32_t> sums = count_pods(request, constraints, counted);
  std::map<std::string, std::vector<NodeId>> waiting = add_waiting(request, constraints, spread_nodes, sums);
  if (counted.empty() && waiting.empty()) return nullptr;
  std::vector<Limit> limits;
  std::vector<std::string> reasons = {"node(s) didn't match pod topology spread constraints"};
  for (const SpreadConstraint& constraint : constraints) {
    request.check_time();
    limits.push_back(limit_of(constraint, sums, request.pod, counted, waiting[constraint.topology_key]));
    if (constraint.selector) continue;
    reasons.push_back(constraint.selector.error());
    break;  // No node passes an invalid selector: later constraints are never reached.
  }
  return std::make_unique<EvenPodsSpread>(std::move(sums), std::move(limits), std::move(reasons));
}

}  // namespace winnow::predicates
