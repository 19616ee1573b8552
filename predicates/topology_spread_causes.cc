// The causes of the rules that spread pods: the count of a node's domain beside the least one. They are
// counted here once more, in the simplest way, as explanations alone need them.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/shared_args.h"
#include "cluster/rule/topology_spread.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

/// A domain of a constraint.
struct Domain {
  std::int64_t pods = 0;
  bool counts = false;  ///< Whether some node of it counts.
};

/// One constraint with its domains, by the value of the label.
struct Counted {
  std::string key;
  std::int64_t max_skew = 0;
  std::int64_t min_domains = 1;
  bool matches_itself = false;
  Column<Symbol> label;
  std::map<Symbol, Domain> domains = {};
  /// What lets a domain count that no node of it could serve the pod in; by the domain.
  std::map<Symbol, std::string> counts_by = {};
  std::int64_t least = 0;
  Symbol least_domain = kNone;
  std::int64_t counting = 0;

  std::int64_t most() const { return max_skew + least - (matches_itself ? 1 : 0); }
};

/// Finds the least domain. Of several it is the one with the first name.
void find_least(Counted& found, const View& view) {
  found.least = std::numeric_limits<std::int32_t>::max();
  for (const auto& [value, domain] : found.domains) {
    if (!domain.counts) continue;
    ++found.counting;
    const bool is_first = found.least_domain == kNone || domain.pods < found.least ||
                          (domain.pods == found.least && view.text(value) < view.text(found.least_domain));
    if (!is_first) continue;
    found.least = domain.pods;
    found.least_domain = value;
  }
  if (found.counting >= found.min_domains) return;
  found.least = 0;
  found.least_domain = kNone;
}

Cause cause_of(const Counted& found, const View& view, Symbol domain) {
  Cause cause{"spread"};
  const auto at = found.domains.find(domain);
  cause.with("topologyKey", found.key).with("domain", std::string(view.text(domain)));
  cause.with("count", at == found.domains.end() ? std::int64_t{0} : at->second.pods)
      .with("least", found.least);
  if (found.least_domain != kNone) cause.with("leastDomain", std::string(view.text(found.least_domain)));
  cause.with("maxSkew", found.max_skew).with("matchesItself", std::int64_t{found.matches_itself});
  cause.with("domains", found.counting);
  if (found.min_domains > 1) cause.with("minDomains", found.min_domains);
  if (const auto by = found.counts_by.find(found.least_domain); by != found.counts_by.end())
    cause.with("leastCountsBy", by->second);
  return cause;
}

std::unique_ptr<const CauseFinder> find_breaches(const View& view, std::vector<Counted> all) {
  return make_cause_finder([&view, all = std::move(all)](NodeId node, std::vector<Cause>& causes) {
    for (const Counted& found : all) {
      const Symbol domain = found.label[node];
      if (domain == kNone) {
        causes.push_back(Cause{"spreadLabel"}.with("topologyKey", found.key));
        continue;
      }
      const auto at = found.domains.find(domain);
      if (at != found.domains.end() && at->second.pods > found.most())
        causes.push_back(cause_of(found, view, domain));
    }
  });
}

/// What lets a domain count although the pod can run on none of its nodes; "": it can run on one.
std::string useless_by(const Request& request, const TopologyConstraint& constraint,
                       const std::vector<NodeId>& nodes) {
  const PodNodeMatcher affinity(request.view, request.pod.spec, Generation::kToday);
  const ToleratedTaints taints(request.view, request.pod.spec.tolerations, {"NoSchedule", "NoExecute"});
  if (!constraint.honours_taints &&
      std::ranges::none_of(nodes, [&](NodeId node) { return taints.tolerates(node); }))
    return "nodeTaintsPolicy: Ignore";
  if (!constraint.honours_affinity && !affinity.is_everything() &&
      std::ranges::none_of(nodes, [&](NodeId node) { return affinity.matches(node); }))
    return "nodeAffinityPolicy: Ignore";
  return {};
}

Counted count(const Request& request, const TopologyConstraint& constraint, const CountedNodes& counted,
              const std::vector<NodeId>& with_keys) {
  const View& view = request.view;
  Counted found{.key = constraint.topology_key,
                .max_skew = constraint.max_skew,
                .min_domains = constraint.min_domains,
                .matches_itself = constraint.selector.matches(request.pod.metadata.labels),
                .label = view.label(constraint.topology_key)};
  const std::vector<std::int32_t> pods = view.count_pods(constraint.counted(request.pod.metadata.namespace_));
  std::map<Symbol, std::vector<NodeId>> nodes_of;
  for (const NodeId node : with_keys) {
    if (!counted.follows(constraint, node)) continue;
    Domain& domain = found.domains[found.label[node]];
    domain.pods += pods[node];
    domain.counts = true;
    nodes_of[found.label[node]].push_back(node);
  }
  find_least(found, view);
  if (found.least_domain != kNone)
    if (std::string by = useless_by(request, constraint, nodes_of[found.least_domain]); !by.empty())
      found.counts_by.emplace(found.least_domain, std::move(by));
  return found;
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_even_pods_spread(const Request& request, const Arguments&) {
  const View& view = request.view;
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kDoNotSchedule);
  const SpreadNodes nodes(view, request.pod.spec, constraints);
  std::vector<Counted> all;
  std::map<std::string, std::vector<std::int64_t>> sums;  // Constraints of one key share them.
  for (const SpreadConstraint& constraint : constraints) {
    all.push_back(Counted{.key = constraint.topology_key,
                          .max_skew = constraint.max_skew,
                          .label = view.label(constraint.topology_key)});
  }
  // Of an invalid selector the rule says so itself, but where a node lacks a label.
  if (!std::ranges::all_of(constraints, [](const auto& one) { return one.selector.has_value(); }))
    return find_breaches(view, std::move(all));
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const SpreadConstraint& constraint = constraints[i];
    all[i].matches_itself = constraint.selector->matches(request.pod.metadata.labels);
    const std::vector<std::int32_t> pods =
        view.count_pods({{request.pod.metadata.namespace_}, *constraint.selector, true});
    std::vector<std::int64_t>& sum = sums[constraint.topology_key];
    sum.resize(view.capacity());
    for (const NodeId node : view.all_nodes()) sum[node] += pods[node];
  }
  for (Counted& found : all) {
    const std::vector<std::int64_t>& sum = sums[found.key];
    for (const NodeId node : view.all_nodes()) {
      if (!nodes.contains(node)) continue;
      Domain& domain = found.domains[found.label[node]];
      domain.pods += sum[node];
      domain.counts = true;
    }
    find_least(found, view);
  }
  return find_breaches(view, std::move(all));
}

std::unique_ptr<const CauseFinder> causes_of_topology_spread(const Request& request,
                                                             const Arguments& arguments) {
  const auto* const given = arguments.get_if<PodTopologySpreadArgs>();
  const auto constraints =
      topology_constraints(request, given ? *given : PodTopologySpreadArgs(), kDoNotSchedule);
  if (!constraints || constraints->empty()) return nullptr;
  const CountedNodes counted(request, *constraints);
  std::vector<NodeId> with_keys = request.view.all_nodes();
  std::erase_if(with_keys, [&](NodeId node) { return !counted.has_keys(node); });
  std::vector<Counted> all;
  for (const TopologyConstraint& constraint : *constraints)
    all.push_back(count(request, constraint, counted, with_keys));
  return find_breaches(request.view, std::move(all));
}

}  // namespace winnow::predicates
