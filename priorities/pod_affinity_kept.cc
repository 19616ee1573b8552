// InterPodAffinity by what is kept for the pod's class: the domains follow the rows that have changed.
#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/go_math.h"
#include "cluster/memory_budget.h"
#include "cluster/rule/kept_terms.h"
#include "cluster/rule/row_groups.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/state.h"
#include "priorities/pod_affinity.h"

namespace winnow::priorities::today {
namespace {

class KeptWeights final : public KeptState {
 public:
  KeptWeights(const Request& request, std::int64_t hard_weight)
      : terms_version_(request.view.state().terms.version()) {
    for (const TermKind kind : {TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity})
      visit_own_terms(request, kind, [&](const AffinityTerm& term) {
        terms_.add(term.topology_key, query_of(term), signed_weight(term));
      });
    const PodTerms& terms = request.view.state().terms;
    const ObjectMeta& pod = request.pod.metadata;
    for (const TermKind kind :
         {TermKind::kRequiredAffinity, TermKind::kPreferredAffinity, TermKind::kPreferredAntiAffinity}) {
      const bool is_hard = kind == TermKind::kRequiredAffinity;
      if (is_hard && hard_weight <= 0) continue;
      terms.visit_matching(kind, pod, request.view.namespace_labels(pod.namespace_), [&](TermId term) {
        request.check_time();
        terms_.add(terms[term].topology_key, term, is_hard ? hard_weight : signed_weight(terms[term]));
      });
    }
    any_.resize(terms_.size());
  }

  bool is_small() const { return terms_.are_few(); }

  /// @return false: it cannot be followed.
  bool follow(const Request& request, std::span<const NodeId> rows) {
    moved_.clear();
    const State& state = request.view.state();
    if (terms_version_ != state.terms.version() || !terms_.find_pods(state)) return false;
    request.check_time();
    terms_.follow(request.view, rows);
    for (std::size_t key = 0; key < terms_.size(); ++key)
      for (const std::uint32_t domain : terms_[key].touched) {
        const DomainCounts& counts = terms_[key].counts;
        any_[key].set(counts, domain, counts[domain].counting != 0, moved_);
        moved_.add(counts[domain]);
      }
    group(request.view, rows);
    return true;
  }
  void move_all() { moved_.add_all(); }

  /// Whether a term counts a pod in a domain.
  bool any() const {
    return std::ranges::any_of(any_, [](const DomainMarks& key) { return key.marked() != 0; });
  }
  void add_sums(std::span<const NodeId> nodes, std::span<std::int64_t> out) const {
    for (std::size_t key = 0; key < terms_.size(); ++key) {
      const DomainCounts& counts = terms_[key].counts;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (const std::uint32_t domain = counts.domain_of(nodes[i]); domain != kNone)
          out[i] = wrap_add(out[i], counts[domain].sum);
    }
  }
  const std::vector<NodeId>* moved() const { return moved_.nodes(); }

  std::optional<NodeGroups> groups() const {
    return groups_ ? std::optional(groups_->groups()) : std::nullopt;
  }
  std::int64_t sum_of_group(std::uint32_t group) const {
    const RowGroups::Key& domains = groups_->key(group);
    std::int64_t sum = 0;
    for (std::size_t key = 0; key < terms_.size(); ++key)
      if (domains[key] != kNone) sum = wrap_add(sum, terms_[key].counts[domains[key]].sum);
    return sum;
  }

  std::size_t bytes() const override {
    std::size_t bytes = terms_.bytes() + (groups_ ? groups_->bytes() : 0);
    for (const DomainMarks& key : any_) bytes += key.bytes();
    return bytes;
  }

 private:
  /// Nodes of one group have the same domains.
  void group(const View& view, std::span<const NodeId> rows) {
    if (!has_few_domains()) return groups_.reset();
    if (!groups_) groups_.emplace();
    RowGroups::Key domains;
    domains.fill(kNone);
    groups_->follow(view, rows, [&](NodeId row) {
      for (std::size_t key = 0; key < terms_.size(); ++key) domains[key] = terms_[key].counts.domain_of(row);
      return domains;
    });
  }
  bool has_few_domains() const {
    if (terms_.size() > RowGroups::kParts) return false;
    for (std::size_t key = 0; key < terms_.size(); ++key) {
      const DomainCounts& counts = terms_[key].counts;
      if (counts.in_use() * NodeGroups::kFewestNodes > counts.row_domains().size()) return false;
    }
    return true;
  }

  std::uint64_t terms_version_;
  KeptTerms terms_;
  std::vector<DomainMarks> any_;  ///< By key: the domains in which a term counts a pod.
  MovedNodes moved_;
  std::optional<RowGroups> groups_;  ///< None: they would be too many.
};

class WeightsByKept final : public Priority {
 public:
  explicit WeightsByKept(std::shared_ptr<const KeptWeights> kept) : kept_(std::move(kept)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    kept_->add_sums(nodes, out);
  }
  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    reduce_weights(scores);
  }
  const std::vector<NodeId>* moved() const override { return kept_->moved(); }
  std::optional<NodeGroups> groups() const override { return kept_->groups(); }
  void score_groups(std::span<const std::uint32_t> groups, std::span<std::int64_t> scores) const override {
    for (std::size_t i = 0; i < groups.size(); ++i) scores[i] = kept_->sum_of_group(groups[i]);
    reduce_weights(scores);
  }

 private:
  const std::shared_ptr<const KeptWeights> kept_;
};

std::unique_ptr<const Priority> bound_to(const Request& request, std::shared_ptr<KeptWeights> kept) {
  request.kept->state = kept;
  return kept->any() ? std::make_unique<WeightsByKept>(std::move(kept)) : nullptr;
}

}  // namespace

std::optional<std::unique_ptr<const Priority>> affinity_scores_by_kept(const Request& request) {
  const MemoryScope outlives_the_request(nullptr);
  auto kept = std::static_pointer_cast<KeptWeights>(std::exchange(request.kept->state, nullptr));
  if (!kept || !kept->follow(request, request.kept->changed)) return std::nullopt;
  return bound_to(request, std::move(kept));
}

std::optional<std::unique_ptr<const Priority>> affinity_scores_to_keep(const Request& request,
                                                                       std::int64_t hard_weight) {
  const MemoryScope outlives_the_request(nullptr);
  auto kept = std::make_shared<KeptWeights>(request, hard_weight);
  if (!kept->is_small() || !kept->follow(request, request.view.all_nodes())) return std::nullopt;
  kept->move_all();
  return bound_to(request, std::move(kept));
}

}  // namespace winnow::priorities::today
