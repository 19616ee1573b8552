// EvenPodsSpread: with the pod on it, a node's domain has at most maxSkew more matching pods than the domain
// with the fewest, for each hard constraint. Pods of the same namespace count, those being deleted too. Two
// constraints with one topology key share the sums of both. Pods that only wait for a node count there too if
// the pod itself may not run on it: upstream's AddPod asks for the topology keys alone.
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

/// What a node has to keep to; a constraint with an invalid selector is an error where it is reached.
struct Limit {
  Domains<std::int32_t> pods;
  std::int64_t most = 0;  ///< Pods that the domain may have before this one comes.
  bool is_error = false;
};

class EvenPodsSpread final : public Predicate {
 public:
  EvenPodsSpread(std::vector<Limit> limits, std::vector<std::string> reasons)
      : limits_(std::move(limits)), reasons_(std::move(reasons)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  Verdict judge(NodeId node) const {
    for (const Limit& limit : limits_) {
      if (!limit.pods.has(node)) return Verdict::one(false, Fit::kUnschedulable);
      if (limit.is_error) return Verdict::of(Fit::kError, 2);
      if (limit.pods[node] > limit.most) return Verdict::one(false, Fit::kUnschedulable);
    }
    return {};
  }

  const std::vector<Limit> limits_;
  const std::vector<std::string> reasons_;  // The reason, and the error of the first invalid selector.
};

/// Matching pods by domain. A selector that is invalid has no pods to try it on (see lacks_metadata).
DomainsByKey<std::int32_t> count_pods(const Request& request,
                                      const std::vector<SpreadConstraint>& constraints,
                                      std::span<const NodeId> counted) {
  DomainsByKey<std::int32_t> sums(request.view);
  for (const SpreadConstraint& constraint : constraints) {
    Domains<std::int32_t>& sum = sums[constraint.topology_key];
    const std::vector<std::int32_t> pods = request.view.count_pods(
        {{request.pod.metadata.namespace_}, constraint.selector.value_or(Selector::nothing()), true});
    for (const NodeId node : counted) *sum.at(node) += pods[node];
  }
  return sums;
}

/// Adds the pods that wait for nodes which do not count. @return these nodes, by topology key.
std::map<std::string, std::vector<NodeId>> add_waiting(const Request& request,
                                                       const std::vector<SpreadConstraint>& constraints,
                                                       const SpreadNodes& nodes,
                                                       DomainsByKey<std::int32_t>& sums) {
  std::map<std::string, std::vector<NodeId>> waiting;
  if (!request.view.has_nominated()) return waiting;
  for (const SpreadConstraint& constraint : constraints) {
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

Limit limit_of(const SpreadConstraint& constraint, const Domains<std::int32_t>& pods, const Pod& pod,
               std::span<const NodeId> counted, std::span<const NodeId> waiting) {
  if (!constraint.selector) return {pods, 0, true};
  std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
  for (const NodeId node : counted) fewest = std::min(fewest, pods[node]);
  for (const NodeId node : waiting) fewest = std::min(fewest, pods[node]);
  const bool counts_itself = constraint.selector->matches(pod.metadata.labels);
  return {pods, std::int64_t{constraint.max_skew} + fewest - (counts_itself ? 1 : 0), false};
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
    limits.push_back(limit_of(constraint, sums[constraint.topology_key], request.pod, counted,
                              waiting[constraint.topology_key]));
    if (constraint.selector) continue;
    reasons.push_back(constraint.selector.error());
    break;  // No node gets past it.
  }
  return std::make_unique<EvenPodsSpread>(std::move(limits), std::move(reasons));
}

}  // namespace winnow::predicates
