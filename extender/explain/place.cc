#include "extender/explain/place.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cluster/rule/rule.h"
#include "cluster/state/name_order.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"

namespace winnow {

Placing::Placing(const Engine& engine, const View& view, std::span<const NodeId> nodes, const Budget* budget)
    : engine_(engine), budget_(budget) {
  nodes_.reserve(nodes.size());
  for (const NodeId node : nodes) nodes_.push_back({std::string(view.node_name(node)), node});
  sort_by_name(nodes_, [](const Node& node) { return std::string_view(node.name); });
}

std::optional<Place> Placing::find(const View& view, const Pod& pod, const std::string& added) const {
  // A row of the state that the view shows is the node that it was. Only what a change hides is sought by
  // name.
  std::vector<std::uint8_t> shown(view.state().nodes().capacity(), 0);
  for (const NodeId node : view.all_nodes())
    if (node < shown.size()) shown[node] = 1;
  std::vector<NodeId> all;
  const auto add = [&](NodeId node) {
    if (node != kNone) all.push_back(node);
  };
  if (!added.empty()) add(view.find_node(added));
  for (const Node& node : nodes_)
    add(node.row < shown.size() && shown[node.row] != 0 ? node.row : view.find_node(node.name));
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
  if (scored) best = scored->totals.first_of_highest();
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
