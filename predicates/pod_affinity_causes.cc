// The causes of the rules of required (anti-)affinity between pods: the term, and the pod that it meets.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/pod_affinity.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "predicates/pod_affinity.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

/// Pods by the domains of one key.
struct PodsByDomain {
  struct Domain {
    std::int64_t pods = 0;
    NodeId node = kNone;  ///< The first of its nodes, by name, that has such a pod.
  };
  Column<Symbol> label;
  std::map<Symbol, Domain> domains = {};

  void add(const View& view, NodeId node, std::int32_t pods) {
    if (pods <= 0 || label[node] == kNone) return;
    Domain& domain = domains[label[node]];
    domain.pods += pods;
    if (domain.node == kNone || view.node_name(node) < view.node_name(domain.node)) domain.node = node;
  }
  const Domain* at(NodeId node) const {
    const auto found = domains.find(label[node]);
    return label[node] == kNone || found == domains.end() ? nullptr : &found->second;
  }
};

PodsByDomain count(const View& view, const std::string& key, const std::vector<std::int32_t>& pods) {
  PodsByDomain found{view.label(key)};
  for (const NodeId node : view.all_nodes()) found.add(view, node, pods[node]);
  return found;
}

/// A term of the pod that is to be placed.
struct OwnTerm {
  std::string key;
  PodQuery query;
};

std::vector<OwnTerm> own_terms(const Request& request, TermKind kind, Generation generation) {
  std::vector<OwnTerm> terms;
  if (generation == Generation::kToday)
    visit_own_terms(request, kind,
                    [&](const AffinityTerm& term) { terms.push_back({term.topology_key, query_of(term)}); });
  else
    for (const AffinityTerm& term : affinity_terms(request.pod, kind))
      terms.push_back({term.topology_key, term.query()});
  return terms;
}

/// The required affinity of the pod: what its domains lack.
class Wanted {
 public:
  Wanted(const Request& request, Generation generation)
      : view_(request.view), terms_(own_terms(request, TermKind::kRequiredAffinity, generation)) {
    if (terms_.empty()) return;
    AllQueries all;
    for (const OwnTerm& term : terms_) all.add(term.query);
    query_ = all.take();
    const std::vector<std::int32_t> pods =
        generation == Generation::kToday ? view_.count_pods(query_) : view_.count_assigned(query_);
    bool any = false;
    for (const OwnTerm& term : terms_) {
      domains_.push_back(count(view_, term.key, pods));
      any = any || !domains_.back().domains.empty();
    }
    for (const NodeId node : view_.all_nodes()) {
      if (pods[node] <= 0) continue;
      matching_ += pods[node];
      if (first_ == kNone || view_.node_name(node) < view_.node_name(first_)) first_ = node;
    }
    const ObjectMeta& pod = request.pod.metadata;
    is_first_ = !any && query_.matches(pod.namespace_, pod.labels, pod.deleting);
    if (first_ == kNone && !is_first_)
      for (const OwnTerm& term : terms_) elsewhere_.push_back(find_elsewhere(term.query));
    needs_keys_ = generation == Generation::kToday;
  }

  void find(NodeId node, std::vector<Cause>& causes) const {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const Symbol domain = domains_[i].label[node];
      const bool holds = is_first_ ? !needs_keys_ || domain != kNone : domains_[i].at(node) != nullptr;
      if (!holds) causes.push_back(cause_of(i, domain));
    }
  }

 private:
  /// Pods of namespaces in which the term does not look.
  struct Elsewhere {
    std::vector<std::string> namespaces;
    std::int64_t pods = 0;
  };

  /// None where the term looks in all namespaces, or finds pods in its own.
  Elsewhere find_elsewhere(const PodQuery& query) const {
    constexpr std::size_t kMost = 8;
    Elsewhere found;
    const auto pods_of = [&](const PodQuery& asked) {
      const std::vector<std::int32_t> pods = view_.count_pods(asked);
      return std::accumulate(pods.begin(), pods.end(), std::int64_t{0});
    };
    if (query.namespaces.empty() || query.selector.is_everything() || pods_of(query) > 0) return found;
    const PodGroups& groups = view_.state().groups;
    std::set<std::string> names;
    const std::vector<std::uint8_t> marks = groups.select({{}, query.selector, query.deleting});
    for (GroupId group = 0; group < marks.size(); ++group)
      if (marks[group] != 0) names.insert(std::string(view_.text(groups[group].ns)));
    for (const std::string& name : names | std::views::take(kMost))
      if (const std::int64_t pods = pods_of({{name}, query.selector, query.deleting}); pods > 0) {
        found.namespaces.push_back(name);
        found.pods += pods;
      }
    return found;
  }

  Cause cause_of(std::size_t i, Symbol domain) const {
    const OwnTerm& term = terms_[i];
    Cause cause{"affinity"};
    cause.with("topologyKey", term.key);
    if (domain != kNone) cause.with("domain", std::string(view_.text(domain)));
    cause.with("selector", to_text(term.query.selector));
    if (!term.query.namespaces.empty()) cause.with("namespaces", term.query.namespaces);
    cause.with("matching", matching_);
    if (i < elsewhere_.size() && elsewhere_[i].pods > 0)
      cause.with("elsewhere", elsewhere_[i].namespaces).with("elsewherePods", elsewhere_[i].pods);
    if (first_ == kNone) return cause;
    cause.with("with", view_.first_pod_on(first_, [&](const View::PodHere& pod) {
      return query_.matches(pod.ns, pod.labels(), pod.deleting);
    }));
    return cause.with("withOn", std::string(view_.node_name(first_)));
  }

  const View& view_;
  std::vector<OwnTerm> terms_;
  PodQuery query_;
  std::vector<PodsByDomain> domains_;  ///< By term.
  std::vector<Elsewhere> elsewhere_;   ///< The same; empty where pods match.
  std::int64_t matching_ = 0;
  NodeId first_ = kNone;  ///< The first node, by name, that has a pod that matches.
  bool is_first_ = false, needs_keys_ = false;
};

/// The required anti-affinity of the pod: whom it meets.
class Forbidden {
 public:
  Forbidden(const Request& request, Generation generation)
      : view_(request.view), terms_(own_terms(request, TermKind::kRequiredAntiAffinity, generation)) {
    for (const OwnTerm& term : terms_)
      domains_.push_back(count(view_, term.key,
                               generation == Generation::kToday ? view_.count_pods(term.query)
                                                                : view_.count_assigned(term.query)));
  }

  void find(NodeId node, std::vector<Cause>& causes) const {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const PodsByDomain::Domain* const domain = domains_[i].at(node);
      if (domain == nullptr) continue;
      const PodQuery& query = terms_[i].query;
      Cause& cause = causes.emplace_back("anti-affinity");
      cause.with("with", view_.first_pod_on(domain->node, [&](const View::PodHere& pod) {
        return query.matches(pod.ns, pod.labels(), pod.deleting);
      }));
      cause.with("whose", "own").with("topologyKey", terms_[i].key);
      cause.with("domain", std::string(view_.text(domains_[i].label[node])));
      cause.with("selector", to_text(query.selector)).with("pods", domain->pods);
    }
  }

 private:
  const View& view_;
  std::vector<OwnTerm> terms_;
  std::vector<PodsByDomain> domains_;  ///< By term.
};

/// The required anti-affinity of pods that are there: whose term keeps the pod out.
class Taken {
 public:
  explicit Taken(const Request& request) : view_(request.view) {
    view_.visit_terms(TermKind::kRequiredAntiAffinity, request.pod.metadata,
                      [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                        PodsByDomain found{view_.label(term.topology_key)};
                        std::set<NodeId> nodes;
                        for (const PodsOnNode& here : pods) nodes.insert(here.node);
                        for (const NodeId node : nodes) found.add(view_, node, count_with(term, node));
                        if (!found.domains.empty()) terms_.emplace_back(term, std::move(found));
                      });
  }

  void find(NodeId node, std::vector<Cause>& causes) const {
    for (const auto& [term, domains] : terms_) {
      const PodsByDomain::Domain* const domain = domains.at(node);
      if (domain == nullptr) continue;
      Cause& cause = causes.emplace_back("anti-affinity");
      cause.with("with", view_.first_pod_on(domain->node,
                                            [&](const View::PodHere& pod) { return pod.has_term(term); }));
      cause.with("whose", "existing").with("topologyKey", term.topology_key);
      cause.with("domain", std::string(view_.text(domains.label[node])));
      if (term.selector) cause.with("selector", to_text(*term.selector));
      cause.with("pods", domain->pods);
    }
  }

 private:
  /// The number of the node's pods that have the term. A pod that has it twice is one.
  std::int32_t count_with(const AffinityTerm& term, NodeId node) const {
    std::int32_t pods = 0;
    view_.first_pod_on(node, [&](const View::PodHere& pod) {
      pods += pod.has_term(term) ? 1 : 0;
      return false;  // So all are looked at.
    });
    return pods;
  }

  const View& view_;
  std::vector<std::pair<AffinityTerm, PodsByDomain>> terms_;
};

std::unique_ptr<const CauseFinder> find_meetings(const Request& request, Generation generation) {
  return make_cause_finder([wanted = Wanted(request, generation), forbidden = Forbidden(request, generation),
                            taken = Taken(request), error = invalid_terms_error(request.pod.spec)](
                               NodeId node, std::vector<Cause>& causes) {
    const std::size_t before = causes.size();
    taken.find(node, causes);
    wanted.find(node, causes);
    forbidden.find(node, causes);
    // The classic rule refuses every node for an invalid selector.
    if (error && causes.size() == before) causes.push_back(Cause{"error"}.with("error", *error));
  });
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_inter_pod_affinity_v116(const Request& request,
                                                                     const Arguments&) {
  return find_meetings(request, Generation::kClassic);
}

std::unique_ptr<const CauseFinder> causes_of_inter_pod_affinity(const Request& request, const Arguments&) {
  if (invalid_terms_error(request.pod.spec)) return nullptr;  // The rule says so itself.
  return find_meetings(request, Generation::kToday);
}

}  // namespace winnow::predicates
