#include "cluster/state/indexes/pod_terms.h"

namespace winnow {

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
  const AffinityTerm what = terms_[term];
  if (terms_.release(term)) file(what, term, /*add=*/false);
}

}  // namespace winnow
