#include "extender/explain/place.h"

#include <algorithm>

#include "cluster/rule/rule.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"

namespace winnow {

Placing::Placing(const Engine& engine, const View& view, std::span<const NodeId> nodes, const Budget* budget)
    : engine_(engine), budget_(budget) {
  for (const NodeId node : nodes) names_.emplace_back(view.node_name(node));
  std::ranges::sort(names_);
}

std::optional<Place> Placing::find(const View& view, const Pod& pod, const std::string& added) const {
  std::vector<NodeId> all;
  const auto add = [&](const std::string& name) {
    if (const NodeId node = view.find_node(name); node != kNone) all.push_back(node);
  };
  if (!added.empty()) add(added);
  for (const std::string& name : names_) add(name);
  PassTimes unused;
  Request request{
      .pod = pod, .view = view, .nodes = all, .accounting = engine_.rules().accounting, .budget = budget_};
  const Filtered filtered = engine_.filter(request, /*all_rules=*/false, unused);
  if (filtered.error()) return std::nullopt;
  std::vector<NodeId> feasible;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (filtered.fits(i)) feasible.push_back(all[i]);
  if (feasible.empty()) return std::nullopt;
  request.nodes = feasible;
  const auto scored = engine_.prioritize(request, /*keep_raw=*/false, unused);
  // Upstream scores only if there is more than one node; the pod goes nowhere if that fails.
  if (!scored && feasible.size() > 1) return std::nullopt;
  std::size_t best = 0;
  if (scored)
    best = static_cast<std::size_t>(std::ranges::max_element(scored->totals) - scored->totals.begin());
  return Place{std::string(view.node_name(feasible[best])), feasible.size()};
}

bool Placing::fits(const View& view, const Pod& pod, const std::string& node) const {
  const NodeId nodes[] = {view.find_node(node)};
  if (nodes[0] == kNone) return false;
  PassTimes unused;
  const Filtered filtered = engine_.filter(
      {.pod = pod, .view = view, .nodes = nodes, .accounting = engine_.rules().accounting, .budget = budget_},
      /*all_rules=*/false, unused);
  return !filtered.error() && filtered.fits(0);
}

}  // namespace winnow
