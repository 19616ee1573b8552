#include "extender/compare/pod_detail.h"

#include <algorithm>

#include "cluster/api/store.h"

namespace winnow {
namespace {

/// The side's rules that score, added to the rows.
void add_scores(std::vector<ScoreRow>& rows, std::size_t side, const Asked& asked,
                const std::vector<std::string>& nodes) {
  if (!asked.choice.engine) return;
  const auto& rules = asked.choice.engine->rules().priorities;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (!rules[rule].scores) continue;
    auto row = std::ranges::find(rows, rules[rule].name, &ScoreRow::rule);
    if (row == rows.end()) row = rows.emplace(rows.end(), rules[rule].name);
    row->weight[side] = rules[rule].weight;
    for (std::size_t node = 0; node < nodes.size(); ++node)
      row->scores[side][node] = weighted_score(asked, rule, nodes[node]);
  }
}

std::optional<std::int64_t> total_of(const Asked& asked, const std::string& node) {
  const BestNode& best = asked.choice.best;
  const auto found = std::ranges::find(best.nodes, asked.view.find_node(node));
  if (found == best.nodes.end() || best.totals.empty()) return std::nullopt;
  return best.totals[static_cast<std::size_t>(found - best.nodes.begin())];
}

}  // namespace

PodDetail detail_of(const Pod& pod, const Asked& a, const Asked& b, std::vector<std::string> nodes) {
  PodDetail detail;
  detail.pod = key_of(pod.metadata);
  std::erase(nodes, "");
  if (nodes.size() == 2 && nodes.front() == nodes.back()) nodes.pop_back();
  if (nodes.size() == 1 && nodes.front() == a.node())
    if (const auto second = a.choice.best.runner_up())
      nodes.emplace_back(a.view.node_name(a.choice.best.nodes[*second]));
  detail.nodes = std::move(nodes);
  detail.said.resize(detail.nodes.size());
  const Asked* const asked[] = {&a, &b};
  for (const std::size_t side : {kA, kB}) {
    const Asked& one = *asked[side];
    detail.chosen[side] = one.node();
    if (one.node().empty()) detail.why[side] = one.choice.why;
    for (std::size_t node = 0; node < detail.nodes.size(); ++node) {
      NodeSaid& said = detail.said[node][side];
      said.refusals = refusals_of(one.choice.engine, one.view, pod, detail.nodes[node]);
      said.total = total_of(one, detail.nodes[node]);
    }
    add_scores(detail.scores, side, one, detail.nodes);
  }
  return detail;
}

}  // namespace winnow
