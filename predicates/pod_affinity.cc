#include "predicates/pod_affinity.h"

#include <algorithm>
#include <format>
#include <set>
#include <unordered_map>

#include "cluster/rule/node_matcher.h"
#include "cluster/rule/reasons.h"
#include "cluster/rule/topology_spread.h"
#include "cluster/state/state.h"
#include "cluster/text/go_format.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {

bool mark(Domains<std::uint8_t>& domains, const std::vector<std::int32_t>& pods) {
  bool any = false;
  for (NodeId node = 0; node < pods.size(); ++node) {
    std::uint8_t* const domain = pods[node] != 0 ? domains.at(node) : nullptr;
    if (!domain) continue;
    *domain = 1;
    any = true;
  }
  return any;
}

bool in_any(const MarkedDomains& domains, NodeId node) {
  for (const auto& [key, marks] : domains.keys())
    if (marks[node] != 0) return true;
  return false;
}

void refuse_in_any(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                   std::span<Verdict> out) {
  for (const auto& [key, marks] : domains.keys())
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (marks[nodes[i]] != 0) out[i] = verdict;
}

void refuse_unless_in_all(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                          std::span<Verdict> out) {
  for (const auto& [key, marks] : domains.keys())
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (marks[nodes[i]] == 0) out[i] = verdict;
}

MarkedDomains domains_of_existing_anti_affinity(const Request& request) {
  MarkedDomains domains(request.view);
  bool any = false;
  request.view.visit_terms(TermKind::kRequiredAntiAffinity, request.pod.metadata,
                           [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
                             request.check_time();
                             Domains<std::uint8_t>& marks = domains[term.topology_key];
                             for (const PodsOnNode& here : pods) {
                               std::uint8_t* const mark = marks.at(here.node);
                               if (mark) *mark = 1;
                               any = any || mark;
                             }
                           });
  // A key without a marked domain keeps no node out. Callers take "no keys" for "no rule", which costs
  // nothing.
  if (!any) return MarkedDomains(request.view);
  return domains;
}

bool mark_all(MarkedDomains& domains, const std::vector<std::int32_t>& pods) {
  bool any = false;
  for (std::size_t place = 0; place < domains.keys().size(); ++place) any |= mark(domains.at(place), pods);
  return any;
}

namespace {

template <class Parts>
bool has_invalid_selector(const Parts& parts) {
  return std::ranges::any_of(parts, [](const auto& part) { return !part.selector; });
}

/// Upstream parses a constraint's selector only when it matches it with a pod.
bool spread_fails(const Request& request, const View& view) {
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kDoNotSchedule);
  if (!has_invalid_selector(constraints)) return false;
  const SpreadNodes counted(view, request.pod.spec, constraints);
  const std::vector<std::int32_t> pods =
      view.count_assigned({{request.pod.metadata.namespace_}, Selector::everything(), true});
  return std::ranges::any_of(view.all_nodes(),
                             [&](NodeId node) { return pods[node] > 0 && counted.contains(node); });
}

/// Whether a term of a pod on some node has an invalid selector.
bool others_fail(const View& view) {
  bool found = false;
  view.visit_invalid_terms(TermKind::kRequiredAntiAffinity, [&](const auto&, const auto&) { found = true; });
  return found;
}

}  // namespace

bool fails_to_be_added(const State& state, const PodRecord& pod) {
  if (pod.assigned || pod.terms == kNone) return false;
  return std::ranges::any_of(state.terms.list(pod.terms), [&](TermId term) {
    return state.terms[term].kind == TermKind::kRequiredAntiAffinity && !state.terms[term].selector;
  });
}

bool lacks_metadata(const Request& request) {
  const Pod& pod = request.pod;
  const View& view = request.before ? *request.before : request.view;
  if (has_invalid_selector(affinity_terms(pod, TermKind::kRequiredAffinity))) return true;
  if (has_invalid_selector(affinity_terms(pod, TermKind::kRequiredAntiAffinity)) && view.has_running_pods())
    return true;
  return others_fail(view) || spread_fails(request, view);
}

// MatchInterPodAffinity checks three things:
// - No running pod's required anti-affinity keeps the pod out of the node's domains.
// - The node's domains have what the pod's required affinity asks for. A pod counts if it matches all terms,
//   and its node's domains then satisfy each of them. If no domain has such a pod, and the pod matches its
//   own terms, it is the first of its kind and may run anywhere.
// - The node's domains have no pod that the pod's required anti-affinity forbids.
// Nominated pods do not count for the pod's own terms: upstream's AddPod ignores pods without spec.nodeName.
// Upstream: predicates.go InterPodAffinityMatches, metadata.go v1.16.15.

BindPredicate match_inter_pod_affinity;
MakeTrial try_match_inter_pod_affinity;

namespace {

class MatchInterPodAffinity final : public Predicate {
 public:
  /// @param required  the node must be in a marked domain of every key. Without keys every node passes.
  MatchInterPodAffinity(MarkedDomains taken, MarkedDomains required, MarkedDomains forbidden)
      : taken_(std::move(taken)), required_(std::move(required)), forbidden_(std::move(forbidden)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    // The reason that upstream finds first is written last, over the others.
    refuse_in_any(forbidden_, fails(kAntiAffinityRules), nodes, out);
    refuse_unless_in_all(required_, fails(kAffinityRules), nodes, out);
    refuse_in_any(taken_, fails(kExistingPodsRules), nodes, out);
  }
  std::span<const std::string> reasons() const override { return kAffinityReasons; }

 private:
  const MarkedDomains taken_, required_, forbidden_;
};

MarkedDomains required_domains(const Request& request) {
  MarkedDomains domains(request.view);
  const std::vector<AffinityTerm> terms = affinity_terms(request.pod, TermKind::kRequiredAffinity);
  if (terms.empty()) return domains;
  const PodQuery query = all_of(terms);
  const std::vector<std::int32_t> pods = request.view.count_assigned(query);
  for (const AffinityTerm& term : terms) domains.place_of(term.topology_key);
  const bool any = mark_all(domains, pods);
  const ObjectMeta& pod = request.pod.metadata;
  const bool is_first = !any && query.matches(pod.namespace_, pod.labels, pod.deleting);
  return is_first ? MarkedDomains(request.view) : std::move(domains);
}

MarkedDomains forbidden_domains(const Request& request) {
  MarkedDomains domains(request.view);
  for (const AffinityTerm& term : affinity_terms(request.pod, TermKind::kRequiredAntiAffinity)) {
    request.check_time();
    mark(domains[term.topology_key], request.view.count_assigned(term.query()));
  }
  return domains;
}

}  // namespace

std::unique_ptr<const Predicate> match_inter_pod_affinity(const Request& request, const Arguments&) {
  if (lacks_metadata(request)) return inter_pod_affinity_slow(request);
  MarkedDomains taken = domains_of_existing_anti_affinity(request);
  MarkedDomains required = required_domains(request);
  MarkedDomains forbidden = forbidden_domains(request);
  if (taken.empty() && required.empty() && forbidden.empty()) return nullptr;
  return std::make_unique<MatchInterPodAffinity>(std::move(taken), std::move(required), std::move(forbidden));
}

std::unique_ptr<Trial> try_match_inter_pod_affinity(const Request& request, const Arguments&) {
  if (lacks_metadata(request)) return nullptr;
  OwnAffinity own;
  own.generation = Generation::kClassic;
  const std::vector<AffinityTerm> wanted = affinity_terms(request.pod, TermKind::kRequiredAffinity);
  for (const AffinityTerm& term : wanted) own.wanted_keys.push_back(term.topology_key);
  if (!wanted.empty()) own.wanted = all_of(wanted);
  for (const AffinityTerm& term : affinity_terms(request.pod, TermKind::kRequiredAntiAffinity))
    own.forbidden.emplace_back(term.topology_key, term.query());
  return make_affinity_trial(request, own);
}

// MatchInterPodAffinity where upstream has no metadata for the pod (lacks_metadata()). Upstream then looks at
// every pod for every node, and its results differ from those of the rule above:
// - Affinity needs one pod that matches all terms and shares the node's domain of each. Anti-affinity fails
//   only on such a pod.
// - Pods whose nodes are gone count, and the look-up of their nodes is an error.
// - An invalid selector in the pod's own affinity fails the call; in its anti-affinity it fails the node.
// Upstream stops at the first pod that decides, in the order of a Go map. Where that order matters, a match
// is taken to come before an error.
// Upstream: predicates.go satisfiesExistingPodsAntiAffinity, satisfiesPodsAffinityAntiAffinity v1.16.15.

namespace {

const std::string kEmptyKey =
    "empty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity";

/// The domains with a pod that matches all terms, as tuples of one domain for each term.
class MatchingDomains {
 public:
  MatchingDomains(const View& view, const std::vector<AffinityTerm>& terms) : is_asked_(!terms.empty()) {
    if (!is_asked_) return;
    for (const AffinityTerm& term : terms)
      if (!term.selector && invalid_.empty()) invalid_ = shortened(term.selector.error());
    add_keys(view, terms);
    const PodQuery query = all_of(terms);
    const std::vector<std::int32_t> pods = view.count_pods(query);
    for (const NodeId node : view.all_nodes())
      if (pods[node] > 0) add(node);
    missing_node_ = view.find_missing_node(query);
  }

  bool is_asked() const { return is_asked_; }
  bool is_invalid() const { return !invalid_.empty(); }
  /// Whether any pod matches all terms, on whatever node.
  bool matches_any() const { return matches_any_ || !missing_node_.empty(); }

  enum class Found : std::uint8_t { kNone, kMatch, kError };
  /// Whether a matching pod shares the node's domains, or upstream meets an error at the node.
  Found find(NodeId node) const {
    if (domains_.contains(domains_of(node))) return has_empty_key_ ? Found::kError : Found::kMatch;
    return missing_node_.empty() ? Found::kNone : Found::kError;
  }
  /// The text of the error: that of an invalid selector, or else the one that find() meets at the node.
  std::string error(NodeId node) const {
    if (!invalid_.empty()) return invalid_;
    const bool is_here = domains_.contains(domains_of(node));
    return is_here ? kEmptyKey : std::format("node {} not found", go_quote(missing_node_));
  }

 private:
  using Tuple = std::vector<Symbol>;
  /// Each key once. A key that no node has makes every tuple incomplete; it then stands for all of them.
  void add_keys(const View& view, const std::vector<AffinityTerm>& terms) {
    std::set<std::string_view> seen;
    bool is_hopeless = false;
    for (const AffinityTerm& term : terms) {
      has_empty_key_ = has_empty_key_ || term.topology_key.empty();
      if (has_empty_key_ || is_hopeless || !seen.insert(term.topology_key).second) continue;
      keys_.push_back(view.label(term.topology_key));
      is_hopeless = keys_.back().empty();
      if (is_hopeless) keys_.erase(keys_.begin(), keys_.end() - 1);
    }
  }
  Tuple domains_of(NodeId node) const {
    Tuple tuple;
    for (const Column<Symbol>& key : keys_) tuple.push_back(key[node]);
    return tuple;
  }
  void add(NodeId node) {
    matches_any_ = true;
    if (Tuple tuple = domains_of(node); !std::ranges::contains(tuple, kNone))
      domains_.insert(std::move(tuple));
  }

  const bool is_asked_;
  std::string invalid_;  // The first invalid selector's error.
  bool has_empty_key_ = false;
  bool matches_any_ = false;          // On some node.
  std::vector<Column<Symbol>> keys_;  // Up to the first empty one.
  std::set<Tuple> domains_;           // Of all matching pods; symbols in the order of keys_.
  std::string missing_node_;          // The missing node of a matching pod, or "".
};

class Slow final : public Predicate {
 public:
  explicit Slow(const Request& request)
      : name_(request.pod.metadata.namespace_ + '/' + request.pod.metadata.name),
        taken_(domains_of_existing_anti_affinity(request)),
        affinity_(request.view, affinity_terms(request.pod, TermKind::kRequiredAffinity)),
        anti_affinity_(request.view, affinity_terms(request.pod, TermKind::kRequiredAntiAffinity)),
        has_pods_(request.view.has_running_pods() ||
                  !request.view.find_missing_node({{}, Selector::everything(), true}).empty()),
        lists_(request.reason_lists) {
    if (affinity_.is_asked() && !affinity_.is_invalid())
      matches_itself_ = all_of(affinity_terms(request.pod, TermKind::kRequiredAffinity))
                            .matches(request.pod.metadata.namespace_, request.pod.metadata.labels, false);
    for (const NodeId node : request.nodes) {
      request.check_time();
      if (judge(node).fit() == Fit::kError) add_error(node, request.view.node_name(node));
    }
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return kAffinityReasons; }
  bool ignores_nominated() const override { return true; }  // Upstream looks at running pods only.

 private:
  /// Adds the node's error, whose text names the node.
  void add_error(NodeId node, std::string_view node_name) {
    errors_[node] = lists_->verdict(
        Fit::kError, {std::format("Cannot schedule pod {} onto node {}, because of PodAffinity: {}", name_,
                                  node_name, affinity_.error(node))});
  }
  Verdict error_at(NodeId node) const {
    const auto error = errors_.find(node);
    return error == errors_.end() ? Verdict::of(Fit::kError, 1) : error->second;
  }

  /// Upstream parses the pod's own selectors only when there is a pod to match them with.
  Verdict judge(NodeId node) const {
    if (in_any(taken_, node)) return fails(kExistingPodsRules);
    if (affinity_.is_invalid()) return has_pods_ ? error_at(node) : fails(kAffinityRules);
    if (anti_affinity_.is_invalid() && has_pods_) return fails(kAntiAffinityRules);
    const MatchingDomains::Found company = affinity_.find(node);
    if (affinity_.is_asked() && company == MatchingDomains::Found::kError) return error_at(node);
    if (anti_affinity_.is_asked() && anti_affinity_.find(node) != MatchingDomains::Found::kNone)
      return fails(kAntiAffinityRules);
    if (affinity_.is_asked() && company == MatchingDomains::Found::kNone &&
        (affinity_.matches_any() || !matches_itself_))
      return fails(kAffinityRules);
    return {};
  }

  const std::string name_;
  const MarkedDomains taken_;
  const MatchingDomains affinity_, anti_affinity_;
  const bool has_pods_;
  bool matches_itself_ = false;
  ReasonLists* const lists_;
  std::unordered_map<NodeId, Verdict> errors_;
};

}  // namespace

std::unique_ptr<const Predicate> inter_pod_affinity_slow(const Request& request) {
  std::string error;
  request.view.visit_invalid_terms(TermKind::kRequiredAntiAffinity,
                                   [&](const AffinityTerm& term, std::span<const PodsOnNode>) {
                                     if (error.empty() || term.selector.error() < error)
                                       error = term.selector.error();
                                   });
  if (error.empty()) return std::make_unique<Slow>(request);
  const ObjectMeta& pod = request.pod.metadata;
  return std::make_unique<ErrorEverywhere>(
      std::format("Failed to get all terms that match pod {}/{}: {}", pod.namespace_, pod.name, error));
}

// The records.

namespace {

constexpr Record kPodAffinityRecords[] = {
    {.name = "MatchInterPodAffinity",
     .origin = RuleOrigin::kClassic,
     .bind = match_inter_pod_affinity,
     .needs = needs::kNothing,
     .follows_by = try_match_inter_pod_affinity,
     .causes = causes_of_inter_pod_affinity_v116,
     .by_default = AtGates::kAllGates},
};

}  // namespace

Records pod_affinity_records;

std::span<const Record> pod_affinity_records() { return kPodAffinityRecords; }

}  // namespace winnow::predicates
