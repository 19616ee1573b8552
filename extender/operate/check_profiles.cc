// Checks the plugins that each profile of kube-scheduler still runs, and that Winnow's rules make the other
// checks.
#include <algorithm>
#include <format>

#include "cluster/text/go_format.h"
#include "extender/config/plugin_table.h"
#include "extender/config/rules.h"
#include "extender/config/scheduler_setup.h"
#include "extender/engine/ruleset.h"
#include "extender/operate/cluster_uses.h"
#include "extender/operate/setup_check.h"
#include "predicates/records.h"

namespace winnow {
namespace {

/// A plugin that reserves for the pod what it has filtered. If one of its extension points is off, nothing is
/// reserved.
struct Keeper {
  std::string_view plugin;
  std::string_view otherwise;
  std::string ClusterUses::* used_by;  ///< What of the cluster needs it.
  std::string_view if_unused;
  bool may_be_off = false;  ///< It may be off at all points where nothing is known of the cluster.
};
constexpr Keeper kKeepers[] = {
    {"VolumeBinding", "pods are bound without their volumes", &ClusterUses::late_class,
     "no StorageClass of the cluster binds late"},
    {"DynamicResources", "pods are bound without their devices", &ClusterUses::claims,
     "no pod of the cluster has resource claims", true},
};
constexpr Point kKeeping[] = {Point::kPreFilter, Point::kFilter, Point::kReserve, Point::kPreBind};

class ProfileCheck {
 public:
  ProfileCheck(const CheckInput& all, const SchedulerProfile& profile, Findings& findings)
      : all_(all), profile_(profile), findings_(findings), disabled_(profile.disabled_filters()) {}

  void check() {
    if (const RuleSet* const rules = find_rules()) check_rules(*rules);
    check_own_filters();
    check_sampling();
    check_weight();
    check_keepers();
    check_preemption();
    if (!profile_.runs("SchedulingGates", Point::kPreEnqueue))
      findings_.error(
          at("plugins.preEnqueue"),
          "SchedulingGates is disabled: gated pods are scheduled; switch plugins off by extension "
          "point, not by multiPoint",
          off_no_more("SchedulingGates", Point::kPreEnqueue));
  }

 private:
  bool filters() const { return !all_.winnow.filter_verb.empty(); }
  std::string at(std::string_view field) const { return std::format("{}.{}", profile_.path, field); }

  /// The plugin may be off by multiPoint too; where it is named twice, both go.
  static std::string off_no_more(std::string_view plugin, Point point) {
    return std::format("remove {} from plugins.{}.disabled", plugin, name_of(point).field);
  }

  const RuleSet* find_rules() {
    for (const RuleSet& rules : all_.rules)
      if (rules.scheduler_name.empty() || rules.scheduler_name == profile_.scheduler_name) return &rules;
    findings_.error(
        at("schedulerName"),
        std::format("{}: Winnow's rules have no profile of that name, and calls for its pods fail "
                    "(profile not found)",
                    go_quote(profile_.scheduler_name)),
        std::format("in Winnow's rules, under profiles: - schedulerName: {}", profile_.scheduler_name));
    return nullptr;
  }

  void check_rules(const RuleSet& rules) {
    if (!filters()) {
      for (const std::string_view plugin : disabled_)
        findings_.add(
            !all_.flags.allow_missing_rules, at("plugins.filter"),
            std::format("{} is disabled, and without filterVerb nobody checks what it checks", plugin),
            off_no_more(plugin, Point::kFilter));
      return;
    }
    for (const MissingRule& one : missing_rules(rules, disabled_))
      findings_.add(
          !all_.flags.allow_missing_rules, at("plugins.filter"),
          std::format("{} is disabled, and Winnow has no rule for {}: {}", one.plugin, one.what, one.why),
          off_no_more(one.plugin, Point::kFilter));
  }

  /// Winnow gives a node to a pod that such a filter has let through, whatever pods it counts there itself.
  void check_own_filters() {
    for (const std::string& plugin : all_.flags.scheduler_filters)
      if (!profile_.runs(plugin, Point::kFilter))
        findings_.error(at("plugins.filter"),
                        std::format("{} is not run, and --scheduler-filters tells Winnow that it is: a node "
                                    "may be given to more pods than it has room for",
                                    go_quote(plugin)),
                        off_no_more(plugin, Point::kFilter));
  }

  /// With --nominate-refused Winnow nominates pods that only a node outside the sample fits.
  void check_sampling() {
    if (!filters() || profile_.percentage == 100 || mends_samples(all_.flags)) return;
    findings_.error(
        "percentageOfNodesToScore",
        std::format("{}: from 100 nodes on kube-scheduler shows Winnow a part of the nodes, and a pod "
                    "that fits none of them waits; expected percentageOfNodesToScore: 100, or "
                    "--nominate-refused (profile {})",
                    profile_.percentage == 0 ? "is missing" : std::to_string(profile_.percentage),
                    go_quote(profile_.scheduler_name)),
        "percentageOfNodesToScore: 100");
  }

  /// Winnow's score of 10 adds 100 × its weight. Each scoring plugin adds at most 100 × its own.
  void check_weight() {
    const ExtenderStanza& winnow = all_.winnow;
    const bool names_one = all_.flags.answer == AnswerMode::kOne && !winnow.prioritize_verb.empty();
    if (!names_one || winnow.weight > profile_.score_weights) return;
    findings_.warning(
        winnow.path + ".weight",
        std::format("{}: kube-scheduler's own scorers may outvote the node that --answer=one names; "
                    "expected {} or more, or --answer=complete with --score-scale=mean",
                    winnow.weight, profile_.score_weights + 1),
        std::format("weight: {}", profile_.score_weights + 1));
  }

  void check_keepers() {
    for (const Keeper& keeper : kKeepers) {
      const auto runs = [&](Point point) { return profile_.runs(keeper.plugin, point); };
      const auto off = std::ranges::find_if_not(kKeeping, runs);
      if (off == std::end(kKeeping)) continue;
      const bool is_off = std::ranges::none_of(kKeeping, runs);
      const std::string* const user = all_.uses == nullptr ? nullptr : &(all_.uses->*keeper.used_by);
      const bool may_be_off = user == nullptr ? keeper.may_be_off : user->empty();
      std::string why = std::format("{} is disabled: {}, for Winnow does not reserve them", keeper.plugin,
                                    keeper.otherwise);
      if (user != nullptr && user->empty())
        why += std::format("; {}", keeper.if_unused);
      else
        why += (user == nullptr ? "" : "; so is " + *user) + "; leave it on";
      findings_.add(!is_off || !may_be_off, at("plugins." + std::string(name_of(*off).field)), why,
                    off_no_more(keeper.plugin, *off));
    }
  }

  void check_preemption() {
    if (!profile_.runs("DefaultPreemption", Point::kPostFilter)) {
      findings_.warning(at("plugins.postFilter"), "DefaultPreemption is disabled: no pod preempts another",
                        off_no_more("DefaultPreemption", Point::kPostFilter));
      return;
    }
    if (!filters()) return;
    for (const predicates::Record& plugin : predicates::plugins())
      if (preempts_in_best(plugin) && std::ranges::contains(disabled_, plugin.name))
        findings_.warning(at("plugins.filter"),
                          std::format("{} is disabled: up to kube-scheduler 1.37, and later without "
                                      "--failed-nodes=judged, a pod that it keeps out preempts nobody",
                                      plugin.name),
                          off_no_more(plugin.name, Point::kFilter));
    if (profile_.min_candidate_percentage != 100)
      findings_.warning(at("pluginConfig"),
                        std::format("DefaultPreemption's minCandidateNodesPercentage is {}: Winnow is asked "
                                    "about so many nodes (100 at least) where evictions might help, taken at "
                                    "random; expected 100",
                                    profile_.min_candidate_percentage),
                        "- {name: DefaultPreemption, args: {minCandidateNodesPercentage: 100}}");
  }

  const CheckInput& all_;
  const SchedulerProfile& profile_;
  Findings& findings_;
  const std::vector<std::string_view> disabled_;
};

/// Warns of a profile in Winnow's rules for which kube-scheduler has no pods.
void check_idle_rules(const CheckInput& all, Findings& findings) {
  for (const RuleSet& rules : all.rules)
    if (!rules.scheduler_name.empty() &&
        std::ranges::find(all.setup.profiles, rules.scheduler_name, &SchedulerProfile::scheduler_name) ==
            all.setup.profiles.end())
      findings.warning("profiles",
                       std::format("none has the schedulerName {}, which Winnow's rules have a "
                                   "profile for",
                                   go_quote(rules.scheduler_name)),
                       "remove that profile from Winnow's rules");
}

}  // namespace

void check_profiles(const CheckInput& all, Findings& findings) {
  for (const SchedulerProfile& profile : all.setup.profiles) ProfileCheck(all, profile, findings).check();
  check_idle_rules(all, findings);
}

}  // namespace winnow
