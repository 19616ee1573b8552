#include "cluster/state/pod_terms.h"

#include <algorithm>

#include "cluster/api/pod.h"
#include "cluster/api/selector_errors.h"
#include "cluster/state/pod_groups.h"

namespace winnow {
namespace {

const PodAffinity* affinity_of(const PodSpec& spec, TermKind kind) {
  if (!spec.affinity) return nullptr;
  const bool is_anti = kind == TermKind::kRequiredAntiAffinity || kind == TermKind::kPreferredAntiAffinity;
  const std::optional<PodAffinity>& affinity =
      is_anti ? spec.affinity->pod_anti_affinity : spec.affinity->pod_affinity;
  return affinity ? &*affinity : nullptr;
}

void add_terms(const PodSpec& spec, const std::string& ns, TermKind kind, Generation generation,
               std::vector<AffinityTerm>& terms) {
  const PodAffinity* affinity = affinity_of(spec, kind);
  if (!affinity || (generation == Generation::kToday && invalid_term(spec, kind))) return;
  if (kind == TermKind::kRequiredAffinity || kind == TermKind::kRequiredAntiAffinity) {
    for (const PodAffinityTerm& term : affinity->required)
      terms.push_back(resolve(kind, 0, term, ns, generation));
  } else {
    for (const WeightedPodAffinityTerm& term : affinity->preferred)
      terms.push_back(resolve(kind, term.weight, term.term, ns, generation));
  }
}

}  // namespace

bool AffinityTerm::matches(const ObjectMeta& pod, const StringMap& namespace_labels) const {
  return selector &&
         (std::ranges::binary_search(namespaces, pod.namespace_) ||
          namespace_selector.matches(namespace_labels)) &&
         selector->matches(pod.labels);
}

PodQuery AffinityTerm::query() const { return {namespaces, selector.value_or(Selector::nothing()), true}; }

std::size_t AffinityTermHash::operator()(const AffinityTerm& term) const {
  std::size_t seed = hash_mix(static_cast<std::size_t>(term.kind), static_cast<std::size_t>(term.weight));
  seed = hash_mix(seed, TextHash{}(term.topology_key));
  for (const std::string& ns : term.namespaces) seed = hash_mix(seed, TextHash{}(ns));
  seed = hash_mix(seed, term.namespace_selector.hash());
  return hash_mix(seed, term.selector ? term.selector->hash() : TextHash{}(term.selector.error()));
}

AffinityTerm resolve(TermKind kind, std::int32_t weight, const PodAffinityTerm& written,
                     const std::string& pod_namespace, Generation generation) {
  AffinityTerm term{kind, weight, written.topology_key, written.namespaces,
                    parse_label_selector(written.label_selector)};
  if (generation == Generation::kToday && !term.selector)
    term.selector = std::unexpected(label_selector_error(*written.label_selector));
  if (generation == Generation::kToday && written.namespace_selector) {
    auto selector = parse_label_selector(*written.namespace_selector);
    if (selector)
      term.namespace_selector = std::move(*selector);
    else if (term.selector)
      term.selector = std::unexpected(label_selector_error(*written.namespace_selector));
  } else if (term.namespaces.empty()) {
    term.namespaces.push_back(pod_namespace);
  }
  std::ranges::sort(term.namespaces);
  const auto repeated = std::ranges::unique(term.namespaces);
  term.namespaces.erase(repeated.begin(), repeated.end());
  return term;
}

std::vector<AffinityTerm> affinity_terms(const PodSpec& spec, const std::string& pod_namespace,
                                         Generation generation) {
  std::vector<AffinityTerm> terms;
  for (std::size_t kind = 0; kind < kTermKinds; ++kind)
    add_terms(spec, pod_namespace, static_cast<TermKind>(kind), generation, terms);
  return terms;
}

std::vector<AffinityTerm> affinity_terms(const Pod& pod, TermKind kind, Generation generation) {
  std::vector<AffinityTerm> terms;
  add_terms(pod.spec, pod.metadata.namespace_, kind, generation, terms);
  return terms;
}

std::optional<std::string> invalid_term(const PodSpec& spec, TermKind kind) {
  const PodAffinity* affinity = affinity_of(spec, kind);
  if (!affinity) return std::nullopt;
  const auto error_of = [&](const PodAffinityTerm& written) -> std::optional<std::string> {
    const AffinityTerm term = resolve(kind, 0, written, "", Generation::kToday);
    return term.selector ? std::nullopt : std::optional(term.selector.error());
  };
  if (kind == TermKind::kRequiredAffinity || kind == TermKind::kRequiredAntiAffinity) {
    for (const PodAffinityTerm& term : affinity->required)
      if (auto error = error_of(term)) return error;
  } else {
    for (const WeightedPodAffinityTerm& term : affinity->preferred)
      if (auto error = error_of(term.term)) return error;
  }
  return std::nullopt;
}

bool has_affinity_terms(const PodSpec& spec) {
  for (const TermKind kind : {TermKind::kRequiredAffinity, TermKind::kRequiredAntiAffinity})
    if (const PodAffinity* affinity = affinity_of(spec, kind))
      if (!affinity->required.empty() || !affinity->preferred.empty()) return true;
  return false;
}

TermListId PodTerms::acquire(const std::string& ns, std::uint32_t spec_id, const PodSpec& spec) {
  if (!has_affinity_terms(spec)) return kNone;
  const std::size_t known = list_ids_.size();
  const TermListId id = list_ids_.acquire(ListKey{ns, spec_id});
  if (list_ids_.size() == known) return id;
  if (lists_.size() <= id) lists_.resize(id + 1);
  for (const AffinityTerm& term : affinity_terms(spec, ns, generation_))
    lists_[id].push_back(acquire_term(term));
  return id;
}

void PodTerms::release(TermListId list) {
  if (list == kNone || !list_ids_.release(list)) return;
  for (const TermId term : lists_[list]) release_term(term);
  lists_[list].clear();
}

void PodTerms::change(TermListId list, NodeId node, std::int32_t by) {
  if (list == kNone) return;
  for (const TermId term : lists_[list]) counts_[term].change(node, by);
}

TermId PodTerms::acquire_term(const AffinityTerm& term) {
  const std::size_t known = terms_.size();
  const TermId id = terms_.acquire(term);
  if (terms_.size() == known) return id;
  if (counts_.size() <= id) counts_.resize(id + 1);
  file(term, id, /*add=*/true);
  return id;
}

/// A term with a namespace selector is filed for all namespaces, since their labels change.
void PodTerms::file(const AffinityTerm& what, TermId term, bool add) {
  ++version_;
  const auto kind = static_cast<std::size_t>(what.kind);
  const bool is_everywhere = !what.namespace_selector.is_nothing();
  if (!what.selector) {
    add ? static_cast<void>(invalid_[kind].insert(term)) : static_cast<void>(invalid_[kind].erase(term));
  } else if (is_everywhere || !what.namespaces.empty()) {
    const std::span<const std::string> namespaces =
        is_everywhere ? std::span<const std::string>() : std::span(what.namespaces);
    add ? index_[kind].insert(namespaces, *what.selector, term)
        : index_[kind].erase(namespaces, *what.selector, term);
  }
}

void PodTerms::release_term(TermId term) {
  if (const std::optional<AffinityTerm> what = terms_.take(term)) file(*what, term, /*add=*/false);
}

}  // namespace winnow
