#include "extender/calls/judge.h"

namespace winnow {

Judged judge(const Request& request, const Engine& engine, PassTimes& times, RefusalCounts* refusals) {
  Judged judged;
  if (engine.rules().generation == Generation::kClassic)
    judged.error = basic_checks(request.pod, request.view);
  if (judged.error) return judged;
  judged.filtered = engine.filter(request, engine.rules().always_check_all_predicates, times);
  judged.error = judged.filtered.error();
  for (std::size_t i = 0; i < request.nodes.size() && !judged.error; ++i)
    if (judged.filtered.fits(i))
      ++judged.feasible;
    else if (refusals)
      refusals->add(judged.filtered.failed_by[i], judged.filtered.verdict[i]);
  return judged;
}

std::expected<BestNode, std::string> pick_best(const Request& request, const Filtered& filtered,
                                               const Engine& engine, const NodePicker& picker,
                                               std::string_view pod_key, PassTimes& times) {
  BestNode best;
  std::vector<NodeId> feasible;
  for (std::size_t i = 0; i < request.nodes.size(); ++i)
    if (filtered.fits(i)) {
      feasible.push_back(request.nodes[i]);
      best.places.push_back(i);
    }
  if (feasible.size() < 2) return best;
  Request scoring = request;
  scoring.nodes = feasible;
  auto scored = engine.prioritize(scoring, /*keep_raw=*/false, times);
  if (!scored) return std::unexpected(std::move(scored).error().text);
  best.totals = std::move(scored->totals);
  best.scores = std::move(scored->scores);
  best.picked = *picker.pick(request.pod, pod_key, request.view, feasible, best.totals);
  return best;
}

std::optional<std::size_t> BestNode::runner_up() const {
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < totals.size(); ++i)
    if (i != picked && (!second || totals[i] > totals[*second])) second = i;
  return second;
}

}  // namespace winnow
