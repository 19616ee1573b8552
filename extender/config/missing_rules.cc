#include "extender/config/missing_rules.h"

#include <algorithm>
#include <format>

namespace winnow {
namespace {

constexpr std::string_view kLeftByBest[] = {
    "NodeName",         "NodeUnschedulable", "TaintToleration",   "NodeAffinity",     "VolumeRestrictions",
    "NodeVolumeLimits", "VolumeZone",        "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures"};

/// What a filter plugin checks, and which classic predicates check it.
struct Check {
  std::string_view plugin;
  std::string_view what;
  std::string_view classic;  ///< The predicate to name; "": there is none.
  std::string_view also;     ///< Another one that does.
  std::string_view beyond;   ///< What of it these do not know; "": nothing.
};
constexpr Check kChecks[] = {
    {"NodeName", "a pod's spec.nodeName", "GeneralPredicates", "HostName", ""},
    {"NodeUnschedulable", "cordoned nodes", "CheckNodeUnschedulable", "CheckNodeCondition", ""},
    {"TaintToleration", "taints NoSchedule and NoExecute", "PodToleratesNodeTaints", "", ""},
    {"NodeAffinity", "nodeSelector and required node affinity", "GeneralPredicates", "MatchNodeSelector", ""},
    {"NodePorts", "host ports", "GeneralPredicates", "PodFitsHostPorts", ""},
    {"NodeResourcesFit", "requests of resources", "GeneralPredicates", "PodFitsResources", ""},
    {"VolumeRestrictions", "inline disks in use and ReadWriteOncePod claims", "NoDiskConflict", "",
     "ReadWriteOncePod claims"},
    {"NodeVolumeLimits", "volume limits of CSI drivers", "MaxCSIVolumeCountPred", "",
     "volumes of in-tree kinds that a CSI driver attaches, and nodes without a volume's CSI driver"},
    {"VolumeBinding", "volumes that are bound, or are to be", "CheckVolumeBinding", "", "CSIStorageCapacity"},
    {"VolumeZone", "zones of volumes", "NoVolumeZoneConflict", "", ""},
    {"PodTopologySpread", "hard topologySpreadConstraints", "EvenPodsSpread", "",
     "minDomains, matchLabelKeys, nodeAffinityPolicy and nodeTaintsPolicy of hard topologySpreadConstraints"},
    {"InterPodAffinity", "required pod affinity and anti-affinity", "MatchInterPodAffinity", "",
     "namespaceSelector of required pod affinity and anti-affinity"},
    {"NodeDeclaredFeatures", "features that nodes declare", "", "", ""},
};

const ConfiguredPredicate* find_classic_rule(const RuleSet& rules, std::string_view name) {
  const predicates::Row* const row = predicates::find_classic(name);
  if (row == nullptr) return nullptr;
  const auto found = std::ranges::find(rules.predicates, row->bind, &ConfiguredPredicate::bind);
  return found == rules.predicates.end() ? nullptr : &*found;
}

/// What a gate takes away from a predicate; "" for nothing.
std::string_view weakened(const RuleSet& rules, const ConfiguredPredicate& rule, std::string_view plugin) {
  const auto* const limits = std::get_if<AttachLimits>(&rule.arguments);
  if (limits != nullptr && !limits->by_node) return "limits nothing at AttachVolumeLimit=false";
  if (plugin == "VolumeZone" && rules.exact_zones) return "reads the beta labels alone at ExactV116=true";
  if (plugin == "NodeResourcesFit" && rules.accounting != Accounting::kToday)
    return "counts requests as v1.16 does at ExactV116=true";
  return {};
}

std::optional<MissingRule> judge_classic(const RuleSet& rules, const Check& check) {
  if (check.classic.empty()) return MissingRule(check.plugin, check.what, "no classic predicate checks that");
  const ConfiguredPredicate* rule = find_classic_rule(rules, check.classic);
  if (rule == nullptr) rule = find_classic_rule(rules, check.also);
  if (rule == nullptr)
    return MissingRule(check.plugin, check.what,
                       std::format("the predicate {} is not among the rules", check.classic));
  if (const std::string_view how = weakened(rules, *rule, check.plugin); !how.empty())
    return MissingRule(check.plugin, check.what, std::format("{} {}", rule->name, how));
  if (check.beyond.empty()) return std::nullopt;
  return MissingRule(check.plugin, check.beyond, std::format("{} does not know that", rule->name));
}

/// Without its PreFilter a plugin checks all the same, or it fails for every pod.
std::optional<MissingRule> judge_today(const RuleSet& rules, const Check& check) {
  const auto rule = std::ranges::find(rules.predicates, check.plugin, &ConfiguredPredicate::name);
  if (rule != rules.predicates.end() && rule->filters) return std::nullopt;
  return MissingRule(check.plugin, check.what,
                     std::format("the plugin is disabled in the rules' profile {}", rules.scheduler_name));
}

}  // namespace

std::string MissingRule::text() const {
  return std::format("no rule for {} (kube-scheduler's {}): {}", what, plugin, why);
}

std::span<const std::string_view> left_to_winnow_by_best() { return kLeftByBest; }

std::vector<MissingRule> missing_rules(const RuleSet& rules, std::span<const std::string_view> plugins) {
  const auto judge = rules.generation == Generation::kToday ? judge_today : judge_classic;
  std::vector<MissingRule> all;
  for (const Check& check : kChecks) {
    if (std::ranges::find(plugins, check.plugin) == plugins.end()) continue;
    if (auto one = judge(rules, check)) all.push_back(std::move(*one));
  }
  return all;
}

std::vector<MissingRule> missing_for_best(const LoadedRules& loaded) {
  std::vector<MissingRule> all;
  for (const RuleSet& rules : loaded.sets)
    std::ranges::move(missing_rules(rules, left_to_winnow_by_best()), std::back_inserter(all));
  return all;
}

}  // namespace winnow
