#include "cluster/rule/pod_affinity.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cluster/api/selector_errors.h"
#include "cluster/function_ref.h"
#include "cluster/rule/rule.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

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

// One after another: a term may select every namespace, and a pod may have thousands of terms.
void visit_own_terms(const Request& request, TermKind kind, FunctionRef<void(const AffinityTerm&)> visit) {
  for (AffinityTerm& term : affinity_terms(request.pod, kind, Generation::kToday)) {
    request.check_time();
    AffinityTerm resolved = std::move(term);
    select_namespaces(request.view, resolved);
    visit(resolved);
  }
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
