// MatchInterPodAffinity where upstream has no metadata for the pod (see metadata.h). Upstream then looks at
// every pod for every node, and its results differ from those of match_inter_pod_affinity.cc:
// - Affinity needs one pod that matches all terms and shares the node's domain of each. Anti-affinity fails
//   only on such a pod.
// - Pods whose nodes are gone count, and the look-up of their nodes is an error.
// - An invalid selector in the pod's own affinity fails the call; in its anti-affinity it fails the node.
// Upstream stops at the first pod that decides, in the order of a Go map. Where that order matters, a match
// is taken to come before an error.
// Upstream: predicates.go satisfiesExistingPodsAntiAffinity, satisfiesPodsAffinityAntiAffinity v1.16.15.
#include <format>
#include <set>
#include <unordered_map>

#include "cluster/rule/reasons.h"
#include "cluster/text/go_quote.h"
#include "predicates/inter_pod_affinity.h"

namespace winnow::predicates {
namespace {

const std::string kEmptyKey =
    "empty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity";

/// The domains with a pod that matches all terms, as tuples of one domain for each term.
class Company {
 public:
  Company(const View& view, const std::vector<AffinityTerm>& terms) : is_asked_(!terms.empty()) {
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
    const Company::Found company = affinity_.find(node);
    if (affinity_.is_asked() && company == Company::Found::kError) return error_at(node);
    if (anti_affinity_.is_asked() && anti_affinity_.find(node) != Company::Found::kNone)
      return fails(kAntiAffinityRules);
    if (affinity_.is_asked() && company == Company::Found::kNone &&
        (affinity_.matches_any() || !matches_itself_))
      return fails(kAffinityRules);
    return {};
  }

  const std::string name_;
  const MarkedDomains taken_;
  const Company affinity_, anti_affinity_;
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

}  // namespace winnow::predicates
