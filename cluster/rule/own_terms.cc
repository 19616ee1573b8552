#include "cluster/rule/own_terms.h"

#include <algorithm>
#include <array>

#include "cluster/api/selector_errors.h"

namespace winnow {
namespace {

void select_namespaces(const View& view, AffinityTerm& term) {
  if (term.namespace_selector.is_nothing() || term.namespace_selector.is_everything()) return;
  for (const auto& [name, object] : view.objects().of<Namespace>())
    if (term.namespace_selector.matches(object.metadata.labels)) term.namespaces.push_back(name);
  std::ranges::sort(term.namespaces);
  const auto repeated = std::ranges::unique(term.namespaces);
  term.namespaces.erase(repeated.begin(), repeated.end());
  term.namespace_selector = Selector::nothing();
}

}  // namespace

std::vector<AffinityTerm> own_terms(const Request& request, TermKind kind) {
  std::vector<AffinityTerm> terms = affinity_terms(request.pod, kind, Generation::kToday);
  for (AffinityTerm& term : terms) select_namespaces(request.view, term);
  return terms;
}

PodQuery query_of(const AffinityTerm& own_term) {
  PodQuery query = own_term.query();
  if (own_term.namespace_selector.is_everything())
    query.namespaces.clear();  // In a query, no namespaces are all namespaces.
  else if (query.namespaces.empty())
    query.selector = Selector::nothing();
  return query;
}

std::optional<std::string> invalid_terms_error(const PodSpec& pod) {
  constexpr std::array<std::pair<TermKind, const char*>, kTermKinds> kNames = {{
      {TermKind::kRequiredAffinity, "requiredAffinityTerms"},
      {TermKind::kRequiredAntiAffinity, "requiredAntiAffinityTerms"},
      {TermKind::kPreferredAffinity, "preferredAffinityTerms"},
      {TermKind::kPreferredAntiAffinity, "preferredAntiAffinityTerms"},
  }};
  std::vector<std::string> errors;
  for (const auto& [kind, name] : kNames)
    if (const auto error = invalid_term(pod, kind)) errors.push_back(std::string(name) + ": " + *error);
  if (errors.empty()) return std::nullopt;
  return aggregate(errors);
}

}  // namespace winnow
