// InterPodAffinity by what is kept for the pod's class: the domains follow the rows that have changed.
#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/memory_budget.h"
#include "cluster/rule/kept_terms.h"
#include "cluster/state/state.h"
#include "predicates/pod_affinity.h"

namespace winnow::predicates::today {
namespace {

/// The domains of some terms that have pods.
class KeptDomains {
 public:
  KeptTerms terms;

  void follow(const View& view, std::span<const NodeId> rows, MovedNodes& moved) {
    terms.follow(view, rows);
    marks_.resize(terms.size());
    for (std::size_t key = 0; key < terms.size(); ++key)
      for (const std::uint32_t domain : terms[key].touched)
        marks_[key].set(terms[key].counts, domain, terms[key].counts[domain].counting != 0, moved);
  }

  bool any() const {
    return std::ranges::any_of(marks_, [](const DomainMarks& key) { return key.marked() != 0; });
  }
  bool has_any(NodeId node) const {
    for (std::size_t key = 0; key < marks_.size(); ++key)
      if (is_marked(key, node)) return true;
    return false;
  }
  bool has_all(NodeId node) const {
    for (std::size_t key = 0; key < marks_.size(); ++key)
      if (!is_marked(key, node)) return false;
    return true;
  }
  bool has_all_keys(NodeId node) const {
    for (std::size_t key = 0; key < marks_.size(); ++key)
      if (terms[key].counts.domain_of(node) == kNone) return false;
    return true;
  }
  std::size_t bytes() const {
    std::size_t bytes = terms.bytes();
    for (const DomainMarks& key : marks_) bytes += key.bytes();
    return bytes;
  }

 private:
  bool is_marked(std::size_t key, NodeId node) const {
    const std::uint32_t domain = terms[key].counts.domain_of(node);
    return domain != kNone && marks_[key][domain];
  }
  std::vector<DomainMarks> marks_;  ///< By key.
};

class KeptAffinity final : public KeptState {
 public:
  explicit KeptAffinity(const Request& request) : terms_version_(request.view.state().terms.version()) {
    const ObjectMeta& pod = request.pod.metadata;
    AllQueries all;
    std::vector<std::string> keys;
    visit_own_terms(request, TermKind::kRequiredAffinity, [&](const AffinityTerm& term) {
      all.add(query_of(term));
      keys.push_back(term.topology_key);
    });
    if (!keys.empty()) {
      std::ranges::sort(keys);
      keys.erase(std::ranges::unique(keys).begin(), keys.end());
      const PodQuery query = all.take();
      for (const std::string& key : keys) wanted_.terms.add(key, query);
      matches_itself_ = query.matches(pod.namespace_, pod.labels, pod.deleting);
    }
    visit_own_terms(request, TermKind::kRequiredAntiAffinity, [&](const AffinityTerm& term) {
      forbidden_.terms.add(term.topology_key, query_of(term));
    });
    const PodTerms& terms = request.view.state().terms;
    terms.visit_matching(TermKind::kRequiredAntiAffinity, pod, request.view.namespace_labels(pod.namespace_),
                         [&](TermId term) {
                           request.check_time();
                           taken_.terms.add(terms[term].topology_key, term);
                         });
  }

  bool is_small() const {
    return wanted_.terms.are_few() && forbidden_.terms.are_few() && taken_.terms.are_few();
  }

  /// @return false: it cannot be followed.
  bool follow(const Request& request, std::span<const NodeId> rows) {
    moved_.clear();
    const State& state = request.view.state();
    if (terms_version_ != state.terms.version()) return false;
    for (KeptDomains* const domains : {&wanted_, &forbidden_, &taken_}) {
      request.check_time();
      if (!domains->terms.find_pods(state)) return false;
      domains->follow(request.view, rows, moved_);
    }
    const bool is_first = !wanted_.terms.empty() && !wanted_.any() && matches_itself_;
    if (std::exchange(is_first_, is_first) != is_first) moved_.add_all();
    return true;
  }
  void move_all() { moved_.add_all(); }

  /// Whether there is anything to ask of a node.
  bool speaks() const { return !wanted_.terms.empty() || !forbidden_.terms.empty() || taken_.any(); }
  Verdict judge(NodeId node) const {
    const bool has_wanted = is_first_ ? wanted_.has_all_keys(node) : wanted_.has_all(node);
    if (!has_wanted) return Verdict::of(Fit::kUnresolvable, 0b001);
    if (forbidden_.has_any(node)) return Verdict::of(Fit::kUnschedulable, 0b010);
    if (taken_.has_any(node)) return Verdict::of(Fit::kUnschedulable, 0b100);
    return {};
  }
  const std::vector<NodeId>* moved() const { return moved_.nodes(); }
  std::size_t bytes() const override { return wanted_.bytes() + forbidden_.bytes() + taken_.bytes(); }

 private:
  std::uint64_t terms_version_;
  KeptDomains wanted_, forbidden_, taken_;
  bool matches_itself_ = false;
  bool is_first_ = false;  ///< No pod matches its affinity, and it does so itself.
  MovedNodes moved_;
};

class AffinityByKept final : public Predicate {
 public:
  explicit AffinityByKept(std::shared_ptr<const KeptAffinity> kept) : kept_(std::move(kept)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = kept_->judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return kInterPodAffinityReasons; }
  const std::vector<NodeId>* moved() const override { return kept_->moved(); }

 private:
  const std::shared_ptr<const KeptAffinity> kept_;
};

std::unique_ptr<const Predicate> bound_to(const Request& request, std::shared_ptr<KeptAffinity> kept) {
  request.kept->state = kept;
  return kept->speaks() ? std::make_unique<AffinityByKept>(std::move(kept)) : nullptr;
}

}  // namespace

std::optional<std::unique_ptr<const Predicate>> affinity_by_kept(const Request& request) {
  const MemoryScope outlives_the_request(nullptr);
  auto kept = std::static_pointer_cast<KeptAffinity>(std::exchange(request.kept->state, nullptr));
  if (!kept || !kept->follow(request, request.kept->changed)) return std::nullopt;
  return bound_to(request, std::move(kept));
}

std::optional<std::unique_ptr<const Predicate>> affinity_to_keep(const Request& request) {
  const MemoryScope outlives_the_request(nullptr);
  auto kept = std::make_shared<KeptAffinity>(request);
  if (!kept->is_small() || !kept->follow(request, request.view.all_nodes())) return std::nullopt;
  kept->move_all();
  return bound_to(request, std::move(kept));
}

}  // namespace winnow::predicates::today
