// What a pod's affinity says of other pods, term by term, worked out as far as the pod alone allows.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/model/pod.h"
#include "cluster/state/pod_groups.h"

namespace winnow {

enum class TermKind : std::uint8_t {
  kRequiredAffinity,
  kRequiredAntiAffinity,
  kPreferredAffinity,
  kPreferredAntiAffinity,
};
inline constexpr std::size_t kTermKinds = 4;

/// A term: which pods it speaks of, and in which domain of its pod's node. Namespaces are resolved; today's
/// namespaceSelector would stand beside them, resolved where the term is asked about.
struct AffinityTerm {
  TermKind kind = TermKind::kRequiredAffinity;
  std::int32_t weight = 0;  ///< Preferred terms only; as written.
  std::string topology_key;
  std::vector<std::string> namespaces;  ///< Sorted, each once; never empty.
  /// Or v1.16.15's text for what is wrong with it.
  std::expected<Selector, std::string> selector;

  bool operator==(const AffinityTerm&) const = default;
  /// An invalid selector matches nothing.
  bool matches(const ObjectMeta& pod) const;
  /// The pods that it speaks of, those being deleted too.
  PodQuery query() const;
};
struct AffinityTermHash {
  std::size_t operator()(const AffinityTerm& term) const;
};

/// A term's namespaces and selector for a pod that carries it. Absent namespaces are the pod's own.
/// Upstream: priorities/util/topologies.go GetNamespacesFromPodAffinityTerm v1.16.15.
AffinityTerm resolve(TermKind kind, std::int32_t weight, const PodAffinityTerm& written,
                     const std::string& pod_namespace);

/// All terms of a pod, by kind, in the order written.
std::vector<AffinityTerm> affinity_terms(const PodSpec& spec, const std::string& pod_namespace);
/// Those of one kind.
std::vector<AffinityTerm> affinity_terms(const Pod& pod, TermKind kind);

/// Whether affinity_terms() has any.
bool has_affinity_terms(const PodSpec& spec);

}  // namespace winnow
