#include "extender/engine/preemption_candidates.h"

#include <algorithm>
#include <tuple>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/nominated.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"

namespace winnow {
namespace {

bool fits_beside(const Trial& rule, const std::vector<PodId>& promised) {
  const std::unique_ptr<Trial> more = rule.copy();
  for (const PodId pod : promised) more->change(pod, +1);
  return more->fits();
}

}  // namespace

NodeTrials::NodeTrials(const Engine& engine, const Filtered& begun, const Request& request)
    : view_(request.view), pod_(request.pod) {
  const RuleSet& rules = engine.rules();
  std::vector<std::size_t> rebound;
  for (std::size_t rule = 0; rule < rules.predicates.size(); ++rule) {
    const ConfiguredPredicate& configured = rules.predicates[rule];
    if (!configured.filters) continue;
    if (rules.generation == Generation::kToday && configured.pre_filters && !begun.bound[rule]) continue;
    const predicates::Record* const record = predicates::find_record(configured.bind);
    if (record && record->follows_by->never()) continue;
    MakeTrial* const make_trial = record ? record->follows_by->make_trial() : nullptr;
    std::unique_ptr<Trial> trial;
    if (make_trial && configured.pre_filters) trial = make_trial(request, configured.arguments);
    if (trial)
      rules_.push_back(std::move(trial));
    else
      rebound.push_back(rule);
  }
  if (!rebound.empty())
    rules_.push_back(
        std::make_unique<ReboundRules>(engine, begun, request.pod, request.view, std::move(rebound)));
}

NodeTrials::NodeTrials(const NodeTrials& other)
    : view_(other.view_), pod_(other.pod_), promised_(other.promised_) {
  for (const auto& rule : other.rules_) rules_.push_back(rule->copy());
}

void NodeTrials::begin(NodeId node) {
  promised_.clear();
  if (!view_.state().nominated().empty()) promised_ = promised_ids(view_, pod_, view_.node_name(node));
  for (const auto& rule : rules_) rule->begin(node);
}

void NodeTrials::change(PodId pod, std::int32_t by) {
  for (const auto& rule : rules_) rule->change(pod, by);
}

bool NodeTrials::fits() const {
  return std::ranges::all_of(rules_, [this](const auto& rule) {
    return rule->fits() && (promised_.empty() || fits_beside(*rule, promised_));
  });
}

std::vector<NodeId> passing_others(const Engine& engine, const Filtered& begun, std::vector<NodeId> nodes) {
  const std::vector<ConfiguredPredicate>& rules = engine.rules().predicates;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    const predicates::Record* const record = predicates::find_record(rules[rule].bind);
    if (!record || !record->follows_by->never() || !begun.bound[rule] || !rules[rule].filters) continue;
    std::vector<Verdict> verdicts(nodes.size());
    begun.bound[rule]->map(nodes, verdicts);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (verdicts[i].fits()) nodes[kept++] = nodes[i];
    nodes.resize(kept);
  }
  return nodes;
}

void ReboundRules::begin(NodeId node) {
  overlay_.return_to(unchanged_);
  has_nominated_ = false;
  node_name_ = View(overlay_.state(), &overlay_).node_name(node);
}

void ReboundRules::change(PodId pod, std::int32_t by) {
  const State& state = overlay_.state();
  const PodRecord& record = state.pod(pod);
  if (!record.assigned) {
    overlay_.add_nominated_pod(as_promised(state, pod, node_name_));
    has_nominated_ = true;
  } else if (by < 0) {
    overlay_.remove_pod(state.pod_namespace(record), record.name);
  } else {
    overlay_.restore_pod(state.pod_namespace(record), record.name);
  }
}

bool ReboundRules::fits() const {
  const View view(overlay_.state(), &overlay_);
  const NodeId node = view.find_node(node_name_);
  const Request request{.pod = pod_,
                        .view = view,
                        .nodes = {&node, 1},
                        .accounting = view.state().options().accounting,
                        .before = &before_};
  return engine_.passes_anew(begun_, rules_, request, has_nominated_);
}

namespace {

std::int32_t priority_of(const Pod& pod) { return pod.spec.priority.value_or(0); }

bool is_victim(const State& state, PodId pod, std::int32_t below, std::span<const PodId> spared) {
  return priority_of(state, pod) < below && !std::ranges::binary_search(spared, pod);
}

bool has_victims(const State& state, const std::string& name, std::int32_t below,
                 std::span<const PodId> spared) {
  const NodeId node = state.find_node(name);
  if (node == kNone || !state.has_lower_priority(node, below)) return false;
  return spared.empty() || std::ranges::any_of(state.pods_on(node), [&](PodId pod) {
           return is_victim(state, pod, below, spared);
         });
}

/// Walks the node's pods, and is therefore called for the chosen nodes only.
std::vector<Victim> victims_on(const State& state, const std::string& name, std::int32_t below,
                               std::span<const PodId> spared) {
  std::vector<Victim> victims;
  for (const PodId pod : state.pods_on(state.find_node(name)))
    if (is_victim(state, pod, below, spared)) victims.push_back({.pod = pod, .given = std::nullopt});
  std::ranges::sort(victims, {}, [&](const Victim& victim) {
    return std::tuple(-std::int64_t{priority_of(state, victim.pod)}, state.pod(victim.pod).start_time,
                      full_name(state, victim.pod));
  });
  return victims;
}

}  // namespace

bool may_help(const Filtered& filtered, std::size_t node) {
  if (!filtered.rules->always_check_all_predicates)
    return filtered.verdict[node].fit() == Fit::kUnschedulable;
  if (filtered.fits(node)) return false;
  const std::size_t nodes = filtered.verdict.size();
  for (std::size_t rule = 0; rule < filtered.bound.size(); ++rule) {
    const Verdict verdict = filtered.matrix[rule * nodes + node];
    if (!verdict.fits() && verdict.fit() != Fit::kUnschedulable) return false;
  }
  return true;
}

PreemptionCandidates find_preemption_candidates(const View& view, const Pod& pod,
                                                std::span<const std::string> names, const Filtered& filtered,
                                                std::size_t most, std::span<const PodId> spared) {
  const std::int32_t priority = priority_of(pod);
  PreemptionCandidates found;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!may_help(filtered, i))
      ++found.beyond_help;
    else if (!has_victims(view.state(), names[i], priority, spared))
      ++found.without_victims;
    else
      all.push_back(i);
  }
  found.all = all.size();
  const std::size_t count = std::min(all.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = names[all[i * all.size() / count]];
    found.chosen.push_back(
        {.node_name = name, .victims = victims_on(view.state(), name, priority, spared), .named = false});
  }
  return found;
}

std::string not_eligible(const View& view, const Pod& pod, const Filtered& filtered,
                         std::optional<std::size_t> nominated) {
  // v1.16 reads the policy at the alpha gate NonPreemptingPriority only; an API server gives it since v1.19.
  if (pod.spec.preemption_policy == "Never") return "not eligible due to preemptionPolicy=Never.";
  if (!nominated) return "";
  const bool is_today = filtered.rules->generation == Generation::kToday;
  if (is_today && !may_help(filtered, *nominated)) return "";
  const State& state = view.state();
  const NodeId node = state.find_node(pod.status.nominated_node_name);
  if (node == kNone) return "";
  const bool one_ends = std::ranges::any_of(state.pods_on(node), [&](PodId other) {
    const PodRecord& record = state.pod(other);
    return priority_of(state, other) < priority_of(pod) &&
           (is_today ? record.preempted : state.groups[record.group].deleting);
  });
  return one_ends ? "not eligible due to a terminating pod on the nominated node." : "";
}

std::int32_t priority_of(const State& state, PodId pod) {
  return state.spec(state.pod(pod)).priority.value_or(0);
}

std::string full_name(const State& state, PodId pod) {
  return std::string(state.pod_namespace(state.pod(pod))) + '/' + state.pod(pod).name;
}

}  // namespace winnow
