// The (anti-)affinity terms of a pod, resolved as far as the pod alone allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/api/pod.h"
#include "cluster/state/indexes/pod_groups.h"

namespace winnow {

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

}  // namespace winnow
