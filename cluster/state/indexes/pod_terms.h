// The (anti-)affinity terms of the pods on nodes, with the number of their pods by node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cluster/state/indexes/affinity_term.h"
#include "cluster/state/indexes/selector_index.h"
#include "cluster/state/intern/pool.h"

namespace winnow {

using TermId = std::uint32_t;
using TermListId = std::uint32_t;

/// Every distinct term of the pods, once, with the number of pods that have it by node. A pod that comes or
/// goes costs an increment for each of its terms. The terms that match a pod are found by its namespace and
/// labels, without a walk over all terms. One writer at a time; const functions may run concurrently with
/// each other.
class PodTerms {
 public:
  /// @param generation  the generation whose reading of terms holds.
  explicit PodTerms(Generation generation = Generation::kClassic) : generation_(generation) {}

  /// The list of a pod's terms, with a reference until release(). Pods of one namespace with equal specs
  /// share a list.
  /// @param spec_id  the same number for equal specs, as long as a pod with that spec has a list.
  /// @return kNone for a pod without terms.
  TermListId acquire(const std::string& ns, std::uint32_t spec_id, const PodSpec& spec);
  void release(TermListId list);
  /// Counts a pod with these terms on the node (by = 1), or no longer (by = -1). kNone is ignored.
  void change(TermListId list, NodeId node, std::int32_t by);

  const AffinityTerm& operator[](TermId term) const { return terms_[term]; }
  std::span<const PodsOnNode> pods(TermId term) const { return counts_[term].entries(); }
  /// The terms of a list. A term that the pod has twice is in it twice.
  std::span<const TermId> list(TermListId list) const { return lists_[list]; }

  /// Calls visit(term) for the terms of a kind that match the pod.
  /// @param namespace_labels  the labels of the pod's namespace.
  template <class Visit>
  void visit_matching(TermKind kind, const ObjectMeta& pod, const StringMap& namespace_labels,
                      const Visit& visit) const {
    index_[static_cast<std::size_t>(kind)].visit(pod.namespace_, pod.labels, [&](TermId term) {
      if (terms_[term].matches(pod, namespace_labels)) visit(term);
    });
  }
  /// The terms of a kind with an invalid selector.
  const std::set<TermId>& invalid(TermKind kind) const { return invalid_[static_cast<std::size_t>(kind)]; }

  /// The number of distinct terms.
  std::size_t size() const { return terms_.size(); }

 private:
  struct ListKey {
    std::string ns;
    std::uint32_t spec = kNone;
    bool operator==(const ListKey&) const = default;
  };
  struct ListKeyHash {
    std::size_t operator()(const ListKey& key) const { return hash_mix(TextHash{}(key.ns), key.spec); }
  };
  TermId acquire_term(const AffinityTerm& term);
  void release_term(TermId term);
  /// Adds a term to the index, or removes it.
  void file(const AffinityTerm& what, TermId term, bool add);

  const Generation generation_;
  Pool<AffinityTerm, AffinityTermHash> terms_;
  std::vector<CountsByNode> counts_;  ///< By TermId.
  std::array<SelectorIndex<TermId>, kTermKinds> index_;
  std::array<std::set<TermId>, kTermKinds> invalid_;
  Pool<ListKey, ListKeyHash> list_ids_;
  std::vector<std::vector<TermId>> lists_;  ///< By TermListId.
};

}  // namespace winnow
