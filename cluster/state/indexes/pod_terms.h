// The (anti-)affinity terms of the pods that run, and where: counts kept, never recounted.
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

/// Every different term of a pod once, with the number of pods that carry it by node. A pod that comes or
/// goes costs an increment for each of its terms, and nothing if it has none. Which terms match a pod is
/// found by its namespace and labels, without going through all of them.
/// One writer at a time; const functions may run concurrently with each other.
class PodTerms {
 public:
  /// @param generation  whose reading of the terms.
  explicit PodTerms(Generation generation = Generation::kClassic) : generation_(generation) {}

  /// The terms of a pod, shared by all pods of its namespace with its spec; holds a reference until
  /// release().
  /// @param spec_id  one number for equal specs as long as one of their pods has a list.
  /// @return kNone for a pod without terms.
  TermListId acquire(const std::string& ns, std::uint32_t spec_id, const PodSpec& spec);
  void release(TermListId list);
  /// A pod with these terms is now on the node (or no longer: by = -1). kNone is allowed.
  void change(TermListId list, NodeId node, std::int32_t by);

  const AffinityTerm& operator[](TermId term) const { return terms_[term]; }
  std::span<const PodsOnNode> pods(TermId term) const { return counts_[term].entries(); }
  /// A term that the pod carries twice is there twice.
  std::span<const TermId> list(TermListId list) const { return lists_[list]; }

  /// Calls visit(term) for the terms of a kind that match the pod.
  /// @param namespace_labels  those of its namespace.
  template <class Visit>
  void visit_matching(TermKind kind, const ObjectMeta& pod, const StringMap& namespace_labels,
                      const Visit& visit) const {
    index_[static_cast<std::size_t>(kind)].visit(pod.namespace_, pod.labels, [&](TermId term) {
      if (terms_[term].matches(pod, namespace_labels)) visit(term);
    });
  }
  /// The terms of a kind whose selectors are invalid.
  const std::set<TermId>& invalid(TermKind kind) const { return invalid_[static_cast<std::size_t>(kind)]; }

  /// How many different terms there are.
  std::size_t size() const { return terms_.size(); }

 private:
  struct ListKey {
    std::string ns;
    std::uint32_t spec = kNone;
    bool operator==(const ListKey&) const = default;
  };
  struct ListKeyHash {
    std::size_t operator()(const ListKey& key) const { return hash_mix(StringHash{}(key.ns), key.spec); }
  };
  TermId acquire_term(const AffinityTerm& term);
  void release_term(TermId term);
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
