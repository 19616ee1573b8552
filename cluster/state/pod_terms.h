// (Anti-)affinity terms: of one pod, resolved as far as it alone allows, and of the pods on nodes, counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/api/meta.h"
#include "cluster/state/pool.h"
#include "cluster/state/selector_index.h"

namespace winnow {

struct Pod;
struct PodAffinityTerm;
struct PodQuery;
struct PodSpec;

/// The four lists of terms in a pod's affinity and anti-affinity.
enum class TermKind : std::uint8_t {
  kRequiredAffinity,
  kRequiredAntiAffinity,
  kPreferredAffinity,
  kPreferredAntiAffinity,
};
inline constexpr std::size_t kTermKinds = 4;

/// One (anti-)affinity term: the pods that it selects, and the topology key. An absent namespace is resolved
/// to the pod's own. A namespace selector is kept, because the labels of namespaces change.
struct AffinityTerm {
  TermKind kind = TermKind::kRequiredAffinity;
  std::int32_t weight = 0;  ///< As written; 0 for required terms.
  std::string topology_key;
  std::vector<std::string> namespaces;  ///< Sorted, each once; never empty in v1.16.
  /// The selector, or upstream's error text for this selector or for the namespace selector.
  std::expected<Selector, std::string> selector;
  /// Selects further namespaces by their labels; nothing in v1.16.
  Selector namespace_selector = Selector::nothing();

  bool operator==(const AffinityTerm&) const = default;
  /// Whether the term selects the pod. An invalid selector selects none.
  /// @param namespace_labels  the labels of the pod's namespace.
  bool matches(const ObjectMeta& pod, const StringMap& namespace_labels = {}) const;
  /// A query for the pods that the term selects in `namespaces`, including those being deleted.
  PodQuery query() const;
};
struct AffinityTermHash {
  std::size_t operator()(const AffinityTerm& term) const;
};

/// The resolved form of a pod's term. Without namespaces, and without a namespaceSelector (which v1.16
/// ignores), the pod's own namespace holds.
/// Upstream: priorities/util/topologies.go GetNamespacesFromPodAffinityTerm v1.16.15; kube-scheduler v0.37.0
/// framework/types.go newAffinityTerm.
AffinityTerm resolve(TermKind kind, std::int32_t weight, const PodAffinityTerm& written,
                     const std::string& pod_namespace, Generation generation = Generation::kClassic);

/// All terms of a pod, by kind, in the order written. Today a list with an invalid term counts as empty.
/// Upstream: pkg/scheduler/framework/types.go NewPodInfo v1.37.0.
std::vector<AffinityTerm> affinity_terms(const PodSpec& spec, const std::string& pod_namespace,
                                         Generation generation);
/// The terms of one kind.
std::vector<AffinityTerm> affinity_terms(const Pod& pod, TermKind kind,
                                         Generation generation = Generation::kClassic);
/// The error of the first invalid term of a kind, by today's reading; nothing if all are valid.
std::optional<std::string> invalid_term(const PodSpec& spec, TermKind kind);

/// Whether the spec has a term of any kind, valid or not.
bool has_affinity_terms(const PodSpec& spec);

// The (anti-)affinity terms of the pods on nodes, with the number of their pods by node.

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
  /// The same for a list that has a reference. kNone is ignored, here and in release().
  void hold(TermListId list) {
    if (list != kNone) list_ids_.hold(list);
  }
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
  /// Grows whenever a term comes or goes.
  std::uint64_t version() const { return version_; }

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
  std::uint64_t version_ = 0;
  std::array<SelectorIndex<TermId>, kTermKinds> index_;
  std::array<std::set<TermId>, kTermKinds> invalid_;
  Pool<ListKey, ListKeyHash> list_ids_;
  std::vector<std::vector<TermId>> lists_;  ///< By TermListId.
};

}  // namespace winnow
