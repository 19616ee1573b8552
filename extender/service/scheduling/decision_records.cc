#include "extender/service/scheduling/decision_records.h"

#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decision_record.h"
#include "extender/explain/near_refusals.h"
#include "extender/service/scheduling/feasible_nodes.h"
#include "extender/service/scheduling/node_request.h"

namespace winnow {

DecisionRecord record_of(DecisionVerb verb, const Pod& pod, std::chrono::steady_clock::time_point changed) {
  DecisionRecord record;
  record.pod = pod_name_of(pod);
  record.uid = pod.metadata.uid;
  record.verb = verb;
  record.time = std::chrono::system_clock::now();
  record.cache_age =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - changed);
  record.resource_version = to_number(pod.metadata.resource_version);
  record.known_refusal = hash_of_refusal(pod.status.conditions);
  return record;
}

void add_filtered(DecisionRecord& record, const FilteredNodes& filtered) {
  record.nodes = static_cast<std::uint32_t>(filtered.request.nodes.size() + filtered.unknown_nodes);
  record.unknown_nodes = static_cast<std::uint32_t>(filtered.unknown_nodes);
  if (filtered.nodes.error) {
    record.error = *filtered.nodes.error;
    return;
  }
  record.fits = static_cast<std::uint32_t>(filtered.nodes.feasible);
  record.refused = filtered.refusals.told(filtered.nodes.filtered);
}

void add_nearest(DecisionRecord& record, const FilteredNodes& filtered, const Engine& engine) {
  if (filtered.nodes.error || filtered.nodes.fits()) return;
  const std::vector<NodeId> nearest = nearest_nodes(filtered.request, filtered.nodes.filtered.failed_by);
  record.nearest = near_refusals(engine, filtered.request, nearest);
}

void add_best(DecisionRecord& record, const Request& request, const BestNode& best, const Engine& engine,
              bool given) {
  const auto name_of = [&](std::size_t i) { return request.view.node_name(request.nodes[best.places[i]]); };
  if (best.totals.empty()) return add_only(record, name_of(best.picked), given);
  record.given = given;
  record.scored = static_cast<std::uint32_t>(best.totals.size());
  record.best =
      best_nodes({.totals = best.totals, .scores = best.scores, .rules = engine.rules(), .name_of = name_of},
                 best.picked);
}

void add_scored(DecisionRecord& record, const Request& request, const Scored& scored, const Engine& engine,
                std::optional<std::size_t> picked) {
  record.scored = record.fits = static_cast<std::uint32_t>(scored.totals.size());
  record.given = picked.has_value();
  record.best =
      best_nodes({.totals = scored.totals,
                  .scores = scored.scores,
                  .rules = engine.rules(),
                  .name_of = [&](std::size_t i) { return request.view.node_name(request.nodes[i]); }},
                 picked);
}

void add_only(DecisionRecord& record, std::string_view node, bool given) {
  record.given = given;
  record.best.push_back({.node = utf8_shortened(node, kMostNameBytes), .total = 0, .scores = {}});
}

}  // namespace winnow
