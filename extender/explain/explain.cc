#include "extender/explain/explain.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "cluster/state/name_order.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/engines.h"
#include "extender/engine/not_judged.h"
#include "extender/engine/ruleset.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/find_help.h"
#include "extender/explain/near_refusals.h"
#include "extender/explain/pending_summary.h"
#include "extender/explain/remarks.h"

namespace winnow {
namespace {

/// The nodes of places that are in order, each once.
std::vector<std::string> node_names(const std::vector<HeldPlace>& places) {
  std::vector<std::string> names;
  for (const HeldPlace& place : places)
    if (names.empty() || names.back() != place.node) names.push_back(place.node);
  return names;
}

}  // namespace

void Explainer::ask(const View& view, const Pod& pod, std::vector<NodeId> nodes, PassTimes& times,
                    const Budget* budget) {
  sort_by_name(nodes, [&](NodeId id) { return view.node_name(id); });
  names_.reserve(nodes.size());
  for (const NodeId node : nodes) names_.emplace_back(view.node_name(node));
  pod_ = pod.metadata.namespace_ + '/' + pod.metadata.name;
  gates_ = pod.spec.scheduling_gates;
  not_judged_ = not_judged(engine_.rules(), view, pod);
  remarks_ = remarks_on(view, pod);
  if (!pod.status.nominated_node_name.empty()) nominated_ = pod.status.nominated_node_name;
  if (nominated_ && !pod.status.nominated_by.empty()) nominated_by_ = pod.status.nominated_by;
  if (engine_.rules().generation == Generation::kClassic) error_ = basic_checks(pod, view);
  Request request{
      .pod = pod, .view = view, .nodes = nodes, .accounting = engine_.rules().accounting, .budget = budget};
  filtered_ = engine_.filter(request, /*all_rules=*/true, times);
  if (!error_) error_ = filtered_.error();
  find_causes(request);
  find_devices(filtered_, request, [&](std::size_t i, std::vector<ClaimedDevices> devices) {
    devices_.emplace(i, std::move(devices));
  });
  std::vector<NodeId> feasible;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!filtered_.fits(i)) continue;
    feasible.push_back(nodes[i]);
    feasible_nodes_.push_back(i);
  }
  feasible_ = feasible.size();
  request.nodes = feasible;
  score(request, times);
  nodes_ = std::move(nodes);
}

void Explainer::find_causes(const Request& request) {
  causes_.resize(names_.size());
  find_all_causes(filtered_, request, [&](std::size_t rule, std::size_t i, std::vector<Cause> causes) {
    causes_[i].push_back({rule, std::move(causes)});
  });
}

bool Explainer::ask_preemption(const View& view, const Pod& pod, const PreviewOptions& options) {
  if (error_ || feasible_ > 0 || names_.empty()) return true;
  preemption_ = preview_preemption(engine_, view, pod, names_, filtered_, options);
  return !preemption_->gave_way;
}

void Explainer::ask_held(const View& view, const Pod& pod, const std::vector<HeldPlace>& held,
                         const Budget* budget) {
  if (error_) return;
  std::vector<HeldPlace> counting;
  Overlay without = view.overlay();
  for (const HeldPlace& place : held) {
    const auto at = std::ranges::lower_bound(names_, place.node);
    const bool refuses = at != names_.end() && *at == place.node &&
                         !filtered_.fits(static_cast<std::size_t>(at - names_.begin()));
    const bool counts = place.counted || place.priority >= pod.spec.priority.value_or(0);
    if (!refuses || !counts || place.pod() == pod_) continue;
    if (place.counted) without.remove_pod(place.ns, place.name);
    counting.push_back(place);
  }
  if (counting.empty()) return;
  try {
    const std::vector<std::string> freed =
        fitting_without(View(view.state(), &without), pod, node_names(counting), budget);
    std::erase_if(counting,
                  [&](const HeldPlace& place) { return !std::ranges::contains(freed, place.node); });
    held_ = std::move(counting);
  } catch (const OutOfTime&) {  // The explanation stands without it.
  }
}

void Explainer::ask_help(const View& view, const Pod& pod, const Budget* budget) {
  if (!options_.suggest || error_ || feasible_ > 0 || names_.empty()) return;
  // What a rule says of the pod alone no node can mend.
  if (filtered_.refused_before_nodes()) return;
  const auto causes_of = [&](std::size_t node) {
    std::vector<const Cause*> causes;
    for (const RefusalCauses& refusal : causes_[node])
      for (const Cause& cause : refusal.causes) causes.push_back(&cause);
    return causes;
  };
  help_ = find_help(engine_, view, pod, nodes_, causes_of, budget);
}

/// The nodes that the pod fits in the view, where no nominated pod counts.
std::vector<std::string> Explainer::fitting_without(const View& view, Pod pod,
                                                    const std::vector<std::string>& names,
                                                    const Budget* budget) const {
  // None counts for a pod that is more important than all of them.
  pod.spec.priority = std::numeric_limits<std::int32_t>::max();
  const std::vector<NodeId> nodes = find_nodes(view, names);
  PassTimes unused;
  const Filtered filtered = engine_.filter(
      {.pod = pod, .view = view, .nodes = nodes, .accounting = engine_.rules().accounting, .budget = budget},
      /*all_rules=*/false, unused);
  std::vector<std::string> fitting;
  if (filtered.error()) return fitting;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (filtered.fits(i)) fitting.emplace_back(view.node_name(nodes[i]));
  return fitting;
}

void Explainer::score(const Request& request, PassTimes& times) {
  const std::span<const NodeId> feasible = request.nodes;
  auto scored = engine_.prioritize(request, /*keep_raw=*/true, times);
  if (!scored) {
    // Upstream scores only if there is more than one node.
    if (feasible.size() == 1) {
      selected_ = 0;
      unscored_ = {engine_.rules().priorities[scored.error().rule].name, scored.error().text};
    }
    if (!error_ && feasible.size() > 1) error_ = scored.error().text;
    return;
  }
  scored_ = std::move(*scored);
  answers_ = scale_answers(*scored_, engine_.rules(), options_.scale);
  if (!feasible.empty()) selected_ = choose(request.pod);
  times.lap(Pass::kSelect);
  if (options_.facts) find_facts(request);
}

void Explainer::find_facts(const Request& request) {
  const auto& rules = engine_.rules().priorities;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (!rules[rule].scores || scored_->skipped[rule]) continue;
    winnow::find_facts(rules[rule], request, [&](std::size_t i, std::vector<Cause> facts) {
      if (!facts.empty()) facts_[rule * feasible_ + i] = std::move(facts);
    });
  }
}

std::size_t Explainer::choose(const Pod& pod) const {
  const NodeTotals& totals = scored_->totals;
  if (!options_.seed) return totals.first_of_highest();
  return *draw_best(totals, Draw(*options_.seed, pod.metadata.uid));  // As NodePicker does.
}

Explanation Explainer::tell() {
  Explanation result = outline();
  for (NodeExplanation& node : result.nodes) complete(node);
  return result;
}

Explanation Explainer::outline() {
  Explanation result;
  result.pod = pod_;
  result.rules = engine_.rules().source;
  result.error = error_;
  result.nominated = nominated_;
  result.nominated_by = nominated_by_;
  if (!error_ && filtered_.refused_before_nodes()) {
    result.pre_filter.emplace();
    for (const std::string_view reason :
         filtered_.reasons(filtered_.failed_by.front(), filtered_.verdict.front()))
      result.pre_filter->append(result.pre_filter->empty() ? "" : ", ").append(reason);
  }
  result.gates = gates_;
  result.not_judged = not_judged_;
  result.remarks = remarks_;
  result.preemption = preemption_;
  result.held = held_;
  result.help = help_;
  if (!error_) result.feasible = static_cast<std::int64_t>(feasible_);
  const std::size_t rules = engine_.rules().predicates.size();
  std::size_t fitting = 0;
  result.nodes.reserve(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    NodeExplanation& node = result.nodes.emplace_back();
    node.name = names_[i];
    node.fits = filtered_.fits(i);
    if (!node.fits) {
      for (std::size_t rule = 0; rule < rules; ++rule)
        if (!filtered_.matrix[rule * names_.size() + i].fits())
          node.filters.push_back(refusal_entry(rule, i));
      continue;
    }
    if (!error_ && selected_ == fitting) result.selected = node.name;
    node.scored = scored_.has_value();
    node.score_error = unscored_;
    if (node.scored) {
      node.total = scored_->totals[fitting];
      node.answer = answers_[fitting];
    }
    ++fitting;
  }
  result.summary = summarize(result);
  result.kept_out = winnow::kept_out(result);
  return result;
}

void Explainer::complete(NodeExplanation& node) const {
  const std::size_t rules = engine_.rules().predicates.size(), place = place_of(node);
  std::vector<FilterEntry> entries;
  entries.reserve(rules);
  auto refusal = node.filters.begin();
  for (std::size_t rule = 0; rule < rules; ++rule) {
    if (refusal != node.filters.end() && refusal->place == rule)
      entries.push_back(std::move(*refusal++));
    else
      entries.push_back(entry_of(rule));
  }
  node.filters = std::move(entries);
  if (const auto found = devices_.find(place); found != devices_.end()) node.devices = found->second;
  if (node.fits && node.scored) put_scores(node, feasible_place(place));
}

std::int64_t Explainer::weighted_score(std::string_view rule, const NodeExplanation& node) const {
  const auto& rules = engine_.rules().priorities;
  const auto found = std::ranges::find(rules, rule, &ConfiguredPriority::name);
  if (found == rules.end() || !found->scores || !node.fits || !node.scored) return 0;
  const auto place = static_cast<std::size_t>(found - rules.begin());
  return scored_->scores(place, feasible_place(place_of(node))) * found->weight;
}

/// Where the node is among the names, which are in order.
std::size_t Explainer::place_of(const NodeExplanation& node) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(names_, node.name) - names_.begin());
}

std::size_t Explainer::feasible_place(std::size_t node) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(feasible_nodes_, node) - feasible_nodes_.begin());
}

/// The entry of a rule that accepts a node.
FilterEntry Explainer::entry_of(std::size_t rule) const {
  FilterEntry entry;
  entry.rule = engine_.rules().predicates[rule].name;
  entry.place = rule;
  entry.skipped = engine_.rules().predicates[rule].may_skip && !filtered_.bound[rule];
  return entry;
}

FilterEntry Explainer::refusal_entry(std::size_t rule, std::size_t node) {
  const std::size_t place = rule * names_.size() + node;
  const Verdict verdict = filtered_.matrix[place];
  FilterEntry entry = entry_of(rule);
  entry.fits = false;
  entry.resolvable = verdict.fit() == Fit::kUnschedulable;
  const auto found = std::ranges::find(causes_[node], rule, &RefusalCauses::rule);
  if (found != causes_[node].end()) entry.causes = std::move(found->causes);
  for (const std::string_view reason : filtered_.reasons(rule, verdict)) {
    if (verdict.fit() == Fit::kError)
      entry.error = reason;
    else
      entry.reasons.emplace_back(reason);
  }
  return entry;
}

void Explainer::put_scores(NodeExplanation& node, std::size_t i) const {
  const auto& rules = engine_.rules().priorities;
  node.scores.reserve(rules.size());
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (!rules[rule].scores) continue;
    ScoreEntry& score = node.scores.emplace_back();
    score.rule = rules[rule].name;
    score.skipped = rules[rule].may_skip && scored_->skipped[rule];
    if (rules[rule].has_map && !score.skipped) score.raw = scored_->raw[rule * feasible_ + i];
    score.score = scored_->scores(rule, i);
    score.weight = rules[rule].weight;
    if (const auto facts = facts_.find(rule * feasible_ + i); facts != facts_.end())
      score.facts = facts->second;
  }
}

Explanation explain_no_profile(const Pod& pod) {
  Explanation result;
  result.pod = pod.metadata.namespace_ + '/' + pod.metadata.name;
  result.error = no_profile_error(pod);
  result.remarks.push_back("another scheduler decides this pod: these rules are for others");
  result.gates = pod.spec.scheduling_gates;
  return result;
}

namespace {

Explanation explain(const Engines& engines, const View& view, const Pod& pod, std::vector<NodeId> nodes,
                    const ExplainOptions& options, bool has_node) {
  const Engine* const engine = engines.find(pod);
  if (!engine) return explain_no_profile(pod);
  PassTimes times;
  Explainer explainer(*engine, options);
  explainer.ask(view, pod, std::move(nodes), times);
  explainer.ask_held(view, pod, held_places(view.state(), nullptr, options.clocks));
  if (!has_node) explainer.ask_preemption(view, pod, {});
  explainer.ask_help(view, pod);
  return explainer.tell();
}

}  // namespace

Explanation explain(const Engines& engines, const View& view, const Pod& pod, std::vector<NodeId> nodes,
                    const ExplainOptions& options) {
  return explain(engines, view, pod, std::move(nodes), options, /*has_node=*/!pod.spec.node_name.empty());
}

Explanation explain_known(const Engines& engines, const State& state, PodId id,
                          const std::optional<std::vector<std::string>>& node_names,
                          const ExplainOptions& options) {
  Pod pod = state.to_pod(id);
  const std::string node = pod.spec.node_name;
  std::optional<Overlay> overlay;
  if (!node.empty()) {
    overlay.emplace(state).remove_pod(pod.metadata.namespace_, pod.metadata.name);
    pod.spec.node_name.clear();
  }
  const View view(state, overlay ? &*overlay : nullptr);
  std::vector<NodeId> nodes = node_names ? find_nodes(view, *node_names) : view.all_nodes();
  Explanation result = explain(engines, view, pod, std::move(nodes), options, /*has_node=*/!node.empty());
  if (!node.empty()) result.node = node;
  return result;
}

std::vector<NodeId> find_nodes(const View& view, const std::vector<std::string>& names) {
  std::vector<NodeId> nodes;
  for (const std::string& name : names)
    if (const NodeId id = view.find_node(name); id != kNone && !std::ranges::contains(nodes, id))
      nodes.push_back(id);
  return nodes;
}

}  // namespace winnow
