#include "extender/engine/preemption/node_trials.h"

#include <algorithm>

#include "extender/engine/nominated.h"
#include "extender/engine/preemption/rebound_rules.h"
#include "predicates/trials.h"

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
    const predicates::Following* const following = predicates::find_following(configured.bind);
    if (following && !following->make_trial) continue;
    std::unique_ptr<Trial> trial;
    if (following && configured.pre_filters) trial = following->make_trial(request, configured.arguments);
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
    const predicates::Following* const following = predicates::find_following(rules[rule].bind);
    if (!following || following->make_trial || !begun.bound[rule] || !rules[rule].filters) continue;
    std::vector<Verdict> verdicts(nodes.size());
    begun.bound[rule]->map(nodes, verdicts);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (verdicts[i].fits()) nodes[kept++] = nodes[i];
    nodes.resize(kept);
  }
  return nodes;
}

}  // namespace winnow
