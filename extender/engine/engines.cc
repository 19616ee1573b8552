#include "extender/engine/engines.h"

#include <algorithm>

#include "cluster/api/pod.h"
#include "cluster/text/go_format.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

std::string_view scheduler_name(const Pod& pod) {
  return pod.spec.scheduler_name.empty() ? kDefaultSchedulerName : std::string_view(pod.spec.scheduler_name);
}

RuleNames names_of(const RuleSet& rules) {
  RuleNames names;
  for (const ConfiguredPredicate& rule : rules.predicates) names.predicates.push_back(rule.name);
  for (const ConfiguredPriority& rule : rules.priorities) names.priorities.push_back(rule.name);
  return names;
}

}  // namespace

RuleReads reads_of(const RuleSet& rules) {
  RuleReads reads;
  const auto note = [&](std::vector<Reads>& list, const auto* record, const Arguments& arguments,
                        bool reads_devices = false) {
    list.push_back(Reads::kCluster);
    if (record && !reads_devices)
      list.back() = record->reads_by ? record->reads_by(arguments) : record->reads;
    if (reads_single_nodes(list.back())) reads.kinds |= static_cast<WatchedKinds>(record->needs);
    if (list.back() == Reads::kRows) reads.kinds_of_rows |= static_cast<WatchedKinds>(record->needs);
  };
  for (const ConfiguredPredicate& rule : rules.predicates)
    note(reads.predicates, predicates::find_record(rule.bind), rule.arguments);
  for (const ConfiguredPriority& rule : rules.priorities) {
    const auto* const record = priorities::find_record(rule.bind);
    note(reads.priorities, record, rule.arguments,
         record && record->reads_devices && record->reads_devices(rule.arguments));
  }
  return reads;
}

Engines::Engines(const std::vector<RuleSet>& sets, Workers& workers, const ReuseOptions& reuse) {
  for (const RuleSet& rules : sets) {
    kept_.push_back(std::make_unique<KeptAnswers>(reads_of(rules), reuse));
    engines_.emplace_back(rules, workers, reuse.enabled ? kept_.back().get() : nullptr);
    rule_names_.push_back(std::make_shared<const RuleNames>(names_of(rules)));
    std::vector<std::size_t>& indices = indices_.emplace_back();
    for (const ConfiguredPredicate& rule : rules.predicates) {
      const auto known = std::ranges::find(names_, rule.name);
      indices.push_back(static_cast<std::size_t>(known - names_.begin()));
      if (known == names_.end()) names_.push_back(rule.name);
    }
  }
}

const Engine* Engines::find(const Pod& pod) const {
  for (const Engine& engine : engines_)
    if (const std::string& name = engine.rules().scheduler_name; name.empty() || name == scheduler_name(pod))
      return &engine;
  return nullptr;
}

std::vector<const RuleSet*> Engines::sets() const {
  std::vector<const RuleSet*> sets;
  for (const Engine& engine : engines_) sets.push_back(&engine.rules());
  return sets;
}

ReuseCounts Engines::reuse_counts() const {
  ReuseCounts counts;
  for (const auto& kept : kept_) counts += kept->counts();
  return counts;
}

std::string no_profile_error(const Pod& pod) {
  return "profile not found for scheduler name " + go_quote(scheduler_name(pod));
}

}  // namespace winnow
