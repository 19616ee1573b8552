#include "predicates/metadata.h"

#include <algorithm>

#include "cluster/rule/node_matcher.h"
#include "cluster/rule/spread_constraints.h"

namespace winnow::predicates {
namespace {

template <class Parts>
bool has_invalid_selector(const Parts& parts) {
  return std::ranges::any_of(parts, [](const auto& part) { return !part.selector; });
}

/// Upstream parses a constraint's selector only when it matches it with a pod.
bool spread_fails(const Request& request, const View& view) {
  const std::vector<SpreadConstraint> constraints = spread_constraints(request.pod.spec, kDoNotSchedule);
  if (!has_invalid_selector(constraints)) return false;
  const SpreadNodes counted(view, request.pod.spec, constraints);
  const std::vector<std::int32_t> pods =
      view.count_assigned({{request.pod.metadata.namespace_}, Selector::everything(), true});
  return std::ranges::any_of(view.all_nodes(),
                             [&](NodeId node) { return pods[node] > 0 && counted.contains(node); });
}

/// Whether a term of a pod on some node has an invalid selector.
bool others_fail(const View& view) {
  bool found = false;
  view.visit_invalid_terms(TermKind::kRequiredAntiAffinity, [&](const auto&, const auto&) { found = true; });
  return found;
}

}  // namespace

bool fails_to_be_added(const State& state, const PodRecord& pod) {
  if (pod.assigned || pod.terms == kNone) return false;
  return std::ranges::any_of(state.terms.list(pod.terms), [&](TermId term) {
    return state.terms[term].kind == TermKind::kRequiredAntiAffinity && !state.terms[term].selector;
  });
}

bool lacks_metadata(const Request& request) {
  const Pod& pod = request.pod;
  const View& view = request.before ? *request.before : request.view;
  if (has_invalid_selector(affinity_terms(pod, TermKind::kRequiredAffinity))) return true;
  if (has_invalid_selector(affinity_terms(pod, TermKind::kRequiredAntiAffinity)) && view.has_running_pods())
    return true;
  return others_fail(view) || spread_fails(request, view);
}

}  // namespace winnow::predicates
