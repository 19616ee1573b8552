// MatchInterPodAffinity where upstream has no metadata for the pod and asks every pod at every node. That way
// differs: anti-affinity needs one pod that matches all terms, each in the node's domain; so does affinity;
// pods whose nodes are gone count, and asking about their nodes fails; an invalid selector of the pod's own
// fails the call for affinity and the node for anti-affinity. Upstream stops at the first pod that decides,
// in the order of a Go map: where that matters, a match is taken to come before an error.
// Upstream: predicates.go satisfiesExistingPodsAntiAffinity, satisfiesPodsAffinityAntiAffinity v1.16.15.
#include <format>
#include <set>
#include <unordered_map>

#include "predicates/inter_pod_affinity.h"

namespace winnow::predicates {
namespace {

const std::string kEmptyKey =
    "empty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity";

/// Where there is a pod that matches all terms and shares all their domains.
class Company {
 public:
  Company(const View& view, const std::vector<AffinityTerm>& terms) : is_asked_(!terms.empty()) {
    if (!is_asked_) return;
    for (const AffinityTerm& term : terms)
      if (!term.selector && invalid_.empty()) invalid_ = term.selector.error();
    for (const AffinityTerm& term : terms) {
      has_empty_key_ = has_empty_key_ || term.topology_key.empty();
      if (!has_empty_key_) keys_.push_back(view.label(term.topology_key));
    }
    const PodQuery query = all_of(terms);
    const std::vector<std::int32_t> pods = view.count_pods(query);
    for (const NodeId node : view.all_nodes())
      if (pods[node] > 0) add(node);
    missing_node_ = view.find_missing_node(query);
  }

  bool is_asked() const { return is_asked_; }
  bool is_invalid() const { return !invalid_.empty(); }
  /// A pod matches all terms, wherever it is.
  bool matches_any() const { return matches_any_ || !missing_node_.empty(); }

  enum class Found : std::uint8_t { kNone, kMatch, kError };
  Found find(NodeId node) const {
    if (domains_.contains(domains_of(node))) return has_empty_key_ ? Found::kError : Found::kMatch;
    return missing_node_.empty() ? Found::kNone : Found::kError;
  }
  /// The text of an invalid selector's error, or of the one found at the node.
  std::string error(NodeId node) const {
    if (!invalid_.empty()) return invalid_;
    const bool is_here = domains_.contains(domains_of(node));
    return is_here ? kEmptyKey : std::format("node \"{}\" not found", missing_node_);
  }

 private:
  using Tuple = std::vector<Symbol>;
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
  std::set<Tuple> domains_;           // By key; every pod's that matches.
  std::string missing_node_;          // Of a pod that matches; "" if there is none.
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
        reasons_(kAffinityReasons.begin(), kAffinityReasons.end()) {
    if (affinity_.is_asked() && !affinity_.is_invalid())
      matches_itself_ = all_of(affinity_terms(request.pod, TermKind::kRequiredAffinity))
                            .matches(request.pod.metadata.namespace_, request.pod.metadata.labels, false);
    for (const NodeId node : request.nodes)
      if (judge(node).fit() == Fit::kError) add_error(node, request.view.node_name(node));
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return reasons_; }
  bool ignores_nominated() const override { return true; }  // Upstream asks the pods that run.

 private:
  /// The error names the node. There are fewer bits than nodes: the last stands for all that are left.
  void add_error(NodeId node, std::string_view node_name) {
    if (reasons_.size() < Verdict::kMaxReasons)
      reasons_.push_back(std::format("Cannot schedule pod {} onto node {}, because of PodAffinity: {}", name_,
                                     node_name, affinity_.error(node)));
    error_bits_[node] = static_cast<std::uint8_t>(reasons_.size() - 1);
  }
  Verdict error_at(NodeId node) const {
    const auto bit = error_bits_.find(node);
    return Verdict::of(Fit::kError, std::uint64_t{1} << (bit == error_bits_.end() ? 0 : bit->second));
  }

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
  std::vector<std::string> reasons_;
  std::unordered_map<NodeId, std::uint8_t> error_bits_;
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
