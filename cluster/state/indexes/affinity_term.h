// What a pod's affinity says of other pods, term by term, worked out as far as the pod alone allows.
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

enum class TermKind : std::uint8_t {
  kRequiredAffinity,
  kRequiredAntiAffinity,
  kPreferredAffinity,
  kPreferredAntiAffinity,
};
inline constexpr std::size_t kTermKinds = 4;

/// A term: which pods it speaks of, and in which domain of its pod's node. The pod's own namespace is
/// resolved; which namespaces a selector selects changes, and is resolved where the term is asked about.
struct AffinityTerm {
  TermKind kind = TermKind::kRequiredAffinity;
  std::int32_t weight = 0;  ///< Preferred terms only; as written.
  std::string topology_key;
  std::vector<std::string> namespaces;  ///< Sorted, each once; never empty in v1.16.
  /// Or upstream's text for what is wrong with it, or with the other selector.
  std::expected<Selector, std::string> selector;
  /// The namespaces that it speaks of besides, by their labels; nothing in v1.16.
  Selector namespace_selector = Selector::nothing();

  bool operator==(const AffinityTerm&) const = default;
  /// An invalid selector matches nothing.
  /// @param namespace_labels  those of the pod's namespace.
  bool matches(const ObjectMeta& pod, const StringMap& namespace_labels = {}) const;
  /// The pods of `namespaces` that it speaks of, those being deleted too.
  PodQuery query() const;
};
struct AffinityTermHash {
  std::size_t operator()(const AffinityTerm& term) const;
};

/// A term's namespaces and selectors for a pod that carries it. Absent namespaces, and an absent
/// namespaceSelector which v1.16 does not know, are the pod's own.
/// Upstream: priorities/util/topologies.go GetNamespacesFromPodAffinityTerm v1.16.15; kube-scheduler v0.37.0
/// framework/types.go newAffinityTerm.
AffinityTerm resolve(TermKind kind, std::int32_t weight, const PodAffinityTerm& written,
                     const std::string& pod_namespace, Generation generation = Generation::kClassic);

/// All terms of a pod, by kind, in the order written. Today a kind with an invalid term counts as none.
/// Upstream: pkg/scheduler/framework/types.go NewPodInfo v1.37.0.
std::vector<AffinityTerm> affinity_terms(const PodSpec& spec, const std::string& pod_namespace,
                                         Generation generation);
/// Those of one kind.
std::vector<AffinityTerm> affinity_terms(const Pod& pod, TermKind kind,
                                         Generation generation = Generation::kClassic);
/// What is wrong with the terms of a kind; nothing if all are valid.
std::optional<std::string> invalid_term(const PodSpec& spec, TermKind kind);

/// Whether affinity_terms() has any.
bool has_affinity_terms(const PodSpec& spec);

}  // namespace winnow
