#include "cluster/state/affinity_term.h"

#include <algorithm>

namespace winnow {
namespace {

const PodAffinity* affinity_of(const PodSpec& spec, TermKind kind) {
  if (!spec.affinity) return nullptr;
  const bool is_anti = kind == TermKind::kRequiredAntiAffinity || kind == TermKind::kPreferredAntiAffinity;
  const std::optional<PodAffinity>& affinity =
      is_anti ? spec.affinity->pod_anti_affinity : spec.affinity->pod_affinity;
  return affinity ? &*affinity : nullptr;
}

void add_terms(const PodSpec& spec, const std::string& ns, TermKind kind, std::vector<AffinityTerm>& terms) {
  const PodAffinity* affinity = affinity_of(spec, kind);
  if (!affinity) return;
  if (kind == TermKind::kRequiredAffinity || kind == TermKind::kRequiredAntiAffinity) {
    for (const PodAffinityTerm& term : affinity->required) terms.push_back(resolve(kind, 0, term, ns));
  } else {
    for (const WeightedPodAffinityTerm& term : affinity->preferred)
      terms.push_back(resolve(kind, term.weight, term.term, ns));
  }
}

}  // namespace

bool AffinityTerm::matches(const ObjectMeta& pod) const {
  return selector && std::ranges::binary_search(namespaces, pod.namespace_) && selector->matches(pod.labels);
}

PodQuery AffinityTerm::query() const { return {namespaces, selector.value_or(Selector::nothing()), true}; }

std::size_t AffinityTermHash::operator()(const AffinityTerm& term) const {
  std::size_t seed = hash_mix(static_cast<std::size_t>(term.kind), static_cast<std::size_t>(term.weight));
  seed = hash_mix(seed, StringHash{}(term.topology_key));
  for (const std::string& ns : term.namespaces) seed = hash_mix(seed, StringHash{}(ns));
  return hash_mix(seed, term.selector ? term.selector->hash() : StringHash{}(term.selector.error()));
}

AffinityTerm resolve(TermKind kind, std::int32_t weight, const PodAffinityTerm& written,
                     const std::string& pod_namespace) {
  AffinityTerm term{kind, weight, written.topology_key, written.namespaces,
                    parse_label_selector(written.label_selector)};
  if (term.namespaces.empty()) term.namespaces.push_back(pod_namespace);
  std::ranges::sort(term.namespaces);
  const auto repeated = std::ranges::unique(term.namespaces);
  term.namespaces.erase(repeated.begin(), repeated.end());
  return term;
}

std::vector<AffinityTerm> affinity_terms(const PodSpec& spec, const std::string& pod_namespace) {
  std::vector<AffinityTerm> terms;
  for (std::size_t kind = 0; kind < kTermKinds; ++kind)
    add_terms(spec, pod_namespace, static_cast<TermKind>(kind), terms);
  return terms;
}

std::vector<AffinityTerm> affinity_terms(const Pod& pod, TermKind kind) {
  std::vector<AffinityTerm> terms;
  add_terms(pod.spec, pod.metadata.namespace_, kind, terms);
  return terms;
}

bool has_affinity_terms(const PodSpec& spec) {
  for (const TermKind kind : {TermKind::kRequiredAffinity, TermKind::kRequiredAntiAffinity})
    if (const PodAffinity* affinity = affinity_of(spec, kind))
      if (!affinity->required.empty() || !affinity->preferred.empty()) return true;
  return false;
}

}  // namespace winnow
