#include "extender/config/policy.h"

#include <cstdint>
#include <format>
#include <utility>

#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/policy_file.h"
#include "extender/config/policy_rules.h"
#include "predicates/records.h"
#include "predicates/rules.h"
#include "priorities/pod_affinity.h"
#include "priorities/records.h"

namespace winnow {
namespace {

constexpr std::int64_t kMaxHardWeight = 100;

/// Makes the gate AttachVolumeLimit an argument of the rules that limit volumes.
void put_attach_limits(const Gates& gates, RuleSet& rules) {
  if (gates.attach_volume_limit) return;
  for (const char* name : {"MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred",
                           "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount"})
    for (ConfiguredPredicate& predicate : rules.predicates)
      if (predicate.bind == predicates::find_classic(name)->bind) predicate.arguments = AttachLimits{false};
}

void apply(const Gates& gates, RuleSet& rules, Notes& notes) {
  put_attach_limits(gates, rules);
  if (gates.exact_v116) {
    rules.accounting = gates.pod_overhead ? Accounting::kV116WithOverhead : Accounting::kV116;
    rules.exact_zones = true;
    return;
  }
  notes.emplace_back(
      "pods' requests and zone labels are read as kube-scheduler reads them today; --feature-gates "
      "ExactV116=true reads them as v1.16");
}

/// Makes the policy's weight an argument of the one rule that uses it.
void put_hard_weight(std::int64_t weight, RuleSet& rules) {
  const priorities::Record* const row = priorities::find_classic("InterPodAffinityPriority");
  for (ConfiguredPriority& priority : rules.priorities)
    if (priority.bind == row->bind) priority.arguments = HardPodAffinity{weight};
}

/// Makes the resources that only extenders count an argument of the rules that check resources.
void put_ignored_resources(const std::vector<std::string>& names, RuleSet& rules) {
  for (const char* name : {"PodFitsResources", "GeneralPredicates"})
    for (ConfiguredPredicate& predicate : rules.predicates)
      if (predicate.bind == predicates::find_classic(name)->bind)
        predicate.arguments = IgnoredResources{names};
}

std::expected<LoadedRules, std::string> make_rules(PolicyFile file, const Gates& gates) {
  LoadedRules loaded{
      .sets = {RuleSet()}, .notes = std::move(file.notes), .warnings = std::move(file.warnings)};
  RuleSet& rules = loaded.sets.front();
  // 0 means absent. Upstream cannot tell the two apart either.
  const std::int64_t hard = file.hard_pod_affinity_symmetric_weight;
  if (hard < 0 || hard > kMaxHardWeight) {
    return std::unexpected(
        std::format("hardPodAffinitySymmetricWeight: {} is out of range (1 to {})", hard, kMaxHardWeight));
  }
  rules.always_check_all_predicates = file.always_check_all_predicates;
  if (file.predicates) {
    auto made = make_predicates(std::move(*file.predicates), gates, loaded.notes);
    if (!made) return std::unexpected(std::move(made).error());
    rules.predicates = std::move(*made);
  } else {
    rules.predicates = default_predicates(gates);
  }
  if (file.priorities) {
    auto made = make_priorities(std::move(*file.priorities), gates, loaded.notes);
    if (!made) return std::unexpected(std::move(made).error());
    rules.priorities = std::move(*made);
  } else {
    rules.priorities = default_priorities(gates);
  }
  if (hard != 0) put_hard_weight(hard, rules);
  if (!file.ignored_resources.empty()) put_ignored_resources(file.ignored_resources, rules);
  if (std::string note = extenders_note(file.extenders); !note.empty())
    loaded.notes.push_back(std::move(note));
  for (const std::string& name : file.ignored_resources)
    loaded.notes.push_back(ignored_note(name, "PodFitsResources"));
  apply(gates, rules, loaded.notes);
  return loaded;
}

}  // namespace

std::expected<LoadedRules, std::string> load_policy(ConfigDocument& document, const Gates& gates) {
  auto file = read_policy_file(document);
  return file ? make_rules(std::move(*file), gates) : std::unexpected(std::move(file).error());
}

LoadedRules default_policy(const Gates& gates) {
  LoadedRules loaded{.sets = {RuleSet()}, .notes = {}};
  RuleSet& rules = loaded.sets.front();
  rules.predicates = default_predicates(gates);
  rules.priorities = default_priorities(gates);
  apply(gates, rules, loaded.notes);
  return loaded;
}

}  // namespace winnow
