#include "extender/simulate/choose.h"

#include <algorithm>

#include "extender/engine/select.h"

namespace winnow {
namespace {

/// An index of the totals. Those are of nodes in order of name.
std::size_t pick(const Pod& pod, const BestNode& best, const ChooseOptions& options) {
  const auto highest = std::ranges::max_element(best.totals);
  if (const auto stays = std::ranges::find(best.nodes, options.stays); stays != best.nodes.end()) {
    const auto place = static_cast<std::size_t>(stays - best.nodes.begin());
    if (best.totals[place] == *highest) return place;
  }
  if (!options.seed) return static_cast<std::size_t>(highest - best.totals.begin());
  return *draw_best<std::int64_t>(best.totals, Draw(*options.seed, pod.metadata.uid));
}

}  // namespace

std::vector<NodeId> nodes_by_name(const View& view) {
  std::vector<NodeId> nodes = view.all_nodes();
  std::ranges::sort(nodes, {}, [&](NodeId id) { return view.node_name(id); });
  return nodes;
}

Choice choose(const Engines& engines, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
              const ChooseOptions& options) {
  const Engine* const engine = engines.find(pod);
  if (!engine) {
    Choice choice;
    choice.why = no_profile_error(pod);
    choice.reasons = {{choice.why, nodes.size()}};
    return choice;
  }
  const std::string& nominated = pod.status.nominated_node_name;
  if (!nominated.empty() && engine->rules().generation == Generation::kToday)
    if (const NodeId node = view.find_node(nominated); node != kNone)
      if (Choice choice = choose_among(*engine, view, pod, {node}, options); choice.node != kNone) {
        choice.nominated = true;
        return choice;
      }
  return choose_among(*engine, view, pod, nodes, options);
}

Choice choose_among(const Engine& engine, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
                    const ChooseOptions& options) {
  const Request request{.pod = pod, .view = view, .nodes = nodes, .accounting = engine.rules().accounting};
  PassTimes unused;
  const Judged judged = judge(request, engine, unused);
  Choice choice;
  choice.engine = &engine;
  const auto fail = [&](std::string error) {
    choice.reasons = {{error, nodes.size()}};
    choice.why = std::move(error);
  };
  if (judged.error) {
    fail(*judged.error);
  } else if (!judged.fits()) {
    choice.refused = true;
    choice.why = why_none_fits(judged.filtered, nodes.size());
    for (const auto& [reason, count] : count_reasons(judged.filtered, nodes.size()))
      choice.reasons.emplace_back(reason, count);
    if (nodes.empty()) choice.reasons = {{choice.why, 0}};
  } else if (auto best = score_fitting(request, judged.filtered, engine, unused); !best) {
    fail(best.error());
  } else {
    choice.best = std::move(*best);
    if (!choice.best.totals.empty()) choice.best.picked = pick(pod, choice.best, options);
    choice.node = choice.best.nodes[choice.best.picked];
  }
  return choice;
}

}  // namespace winnow
