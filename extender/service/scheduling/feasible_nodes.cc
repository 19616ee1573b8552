#include "extender/service/scheduling/feasible_nodes.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>

#include "cluster/api/pod.h"
#include "extender/engine/engine.h"
#include "extender/engine/engines.h"
#include "extender/explain/decision_record.h"
#include "extender/service/scheduling/pick_history.h"

namespace winnow {

FeasibleNodes find_feasible_nodes(const Request& request, const Engine& engine, PassTimes& times,
                                  RefusalCounts* refusals) {
  FeasibleNodes found;
  if (engine.rules().generation == Generation::kClassic)
    found.error = basic_checks(request.pod, request.view);
  if (found.error) return found;
  found.filtered = engine.filter(request, engine.rules().always_check_all_predicates, times);
  if (const auto& fitting = found.filtered.fitting; fitting && !refusals) {
    found.feasible = static_cast<std::int64_t>(fitting->places.size());
    if (fitting->errors != 0) found.error = found.filtered.error();
    return found;
  }
  found.error = found.filtered.error();
  for (std::size_t i = 0; i < request.nodes.size() && !found.error; ++i)
    if (found.filtered.fits(i))
      ++found.feasible;
    else if (refusals)
      refusals->add(found.filtered.failed_by[i], found.filtered.verdict[i]);
  return found;
}

std::map<std::string_view, std::size_t> count_reasons(const Filtered& filtered, std::size_t nodes) {
  // Many nodes, few verdicts: the texts of each are looked up once.
  struct Same {
    Verdict verdict;
    std::size_t nodes = 0;
  };
  std::map<std::pair<std::size_t, std::uint64_t>, Same> verdicts;
  auto last = verdicts.end();  // Neighbours are often refused for the same reason.
  const auto count = [&](std::size_t rule, Verdict verdict) {
    const std::pair key(rule, verdict.bits());
    if (last == verdicts.end() || last->first != key) last = verdicts.try_emplace(key, verdict, 0).first;
    ++last->second.nodes;
  };
  const bool every_failure = filtered.rules->always_check_all_predicates;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (filtered.fits(node)) continue;
    if (!every_failure) count(filtered.failed_by[node], filtered.verdict[node]);
    for (std::size_t rule = 0; every_failure && rule < filtered.bound.size(); ++rule)
      if (const Verdict verdict = filtered.matrix[rule * nodes + node]; !verdict.fits()) count(rule, verdict);
  }
  std::map<std::string_view, std::size_t> counts;
  for (const auto& [verdict, same] : verdicts)
    for (const std::string_view reason : filtered.reasons(verdict.first, same.verdict))
      counts[reason] += same.nodes;
  return counts;
}

std::string why_none_fits(const Filtered& filtered, std::size_t nodes) {
  if (nodes == 0) return "no nodes available to schedule pods";
  if (filtered.refused_before_nodes()) {
    std::string list;
    for (const std::string_view reason :
         filtered.reasons(filtered.failed_by.front(), filtered.verdict.front()))
      list.append(list.empty() ? "" : ", ").append(reason);
    return std::format("0/{} nodes are available: {}.", nodes, list);
  }
  return fit_error(count_reasons(filtered, nodes), nodes);
}

std::expected<BestNode, std::string> score_fitting(const Request& request, const Filtered& filtered,
                                                   const Engine& engine, PassTimes& times) {
  BestNode best;
  FittingNodes fitting = filtered.fitting ? *filtered.fitting : fitting_of(filtered, request.nodes);
  best.nodes = std::move(fitting.nodes);
  best.places = std::move(fitting.places);
  if (best.nodes.size() < 2) return best;
  Request scoring = request;
  scoring.nodes = best.nodes;
  auto scored = engine.prioritize(scoring, /*keep_raw=*/false, times);
  if (!scored) return std::unexpected(std::move(scored).error().text);
  best.totals = std::move(scored->totals);
  best.scores = std::move(scored->scores);
  return best;
}

std::expected<BestNode, std::string> pick_best(const Request& request, const Filtered& filtered,
                                               const Engine& engine, const NodePicker& picker,
                                               std::string_view pod_key, PassTimes& times) {
  auto best = score_fitting(request, filtered, engine, times);
  if (!best || best->totals.empty()) return best;
  best->picked = *picker.pick(request.pod, pod_key, request.view, best->nodes, best->totals);
  return best;
}

std::optional<std::size_t> BestNode::runner_up() const {
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < totals.size(); ++i)
    if (i != picked && (!second || totals[i] > totals[*second])) second = i;
  return second;
}

namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";

std::string_view scheduler_of(const Pod& pod) {
  return pod.spec.scheduler_name.empty() ? kDefaultScheduler : std::string_view(pod.spec.scheduler_name);
}

}  // namespace

const Engine* engine_for(const Engines& engines, const Pod& pod, const std::vector<std::string>& schedulers) {
  const std::string_view name = scheduler_of(pod);
  const std::string& first = engines.sets().front()->scheduler_name;
  if (schedulers.empty()) {
    const bool is_policy = first.empty();
    return is_policy && name != kDefaultScheduler ? nullptr : engines.find(pod);
  }
  if (!std::ranges::contains(schedulers, name)) return nullptr;
  if (const Engine* const engine = engines.find(pod)) return engine;
  Pod as_first = pod;
  as_first.spec.scheduler_name = first;
  return engines.find(as_first);
}

}  // namespace winnow
