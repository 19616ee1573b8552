#include "extender/explain/remarks.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/rule/known_labels.h"
#include "cluster/rule/pod_affinity.h"
#include "cluster/rule/rule.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {
namespace {

/// Finds out why selectors find no pod. All pods are looked at where one finds none.
class Selectors {
 public:
  Selectors(const View& view, const Pod& pod) : view_(view), pod_(pod) {}

  /// Adds the line, if the query finds neither a pod nor this one.
  void look(const std::string& what, const PodQuery& query, std::vector<std::string>& lines) {
    if (query.matches(pod_.metadata.namespace_, pod_.metadata.labels, /*is_deleting=*/false)) return;
    const std::vector<std::int32_t> there = view_.count_pods(query);
    if (std::ranges::any_of(there, [](std::int32_t pods) { return pods > 0; })) return;
    // What pods of other namespaces are called is not for everybody.
    const bool is_own = query.namespaces == std::vector{pod_.metadata.namespace_};
    if (!pods_) pods_.emplace(view_.state());
    const std::string& why = pods_->why_none(query);
    if (!why.empty()) lines.push_back(what + (is_own ? ": " + why : " in its namespaces"));
  }

 private:
  const View& view_;
  const Pod& pod_;
  std::optional<MatchedPods> pods_;
};

}  // namespace

std::vector<std::string> remarks_on(const View& view, const Pod& pod) {
  std::vector<std::string> lines;
  Selectors selectors(view, pod);
  for (const TopologySpreadConstraint& one : pod.spec.topology_spread_constraints)
    if (auto selector = parse_label_selector(one.label_selector))
      selectors.look(std::format("the spread over {} counts no pod", one.topology_key),
                     {{pod.metadata.namespace_}, *std::move(selector), true}, lines);
  if (!has_affinity_terms(pod.spec)) return lines;
  constexpr std::pair<TermKind, const char*> kLists[] = {
      {TermKind::kPreferredAffinity, "preferred podAffinity"},
      {TermKind::kRequiredAntiAffinity, "podAntiAffinity"},
      {TermKind::kPreferredAntiAffinity, "preferred podAntiAffinity"},
  };
  const Request request{.pod = pod, .view = view, .nodes = {}};
  for (const auto& [kind, name] : kLists)
    visit_own_terms(request, kind, [&](const AffinityTerm& term) {
      if (term.selector)
        selectors.look(std::format("{} by {} meets no pod", name, term.topology_key), query_of(term), lines);
    });
  return lines;
}

}  // namespace winnow
