#include "extender/config/rules_difference.h"

#include <algorithm>
#include <array>
#include <format>
#include <optional>
#include <string_view>
#include <utility>

#include "cluster/rule/expression_args.h"
#include "cluster/rule/shared_args.h"
#include "extender/config/args_text.h"
#include "extender/config/rules_summary.h"
#include "extender/engine/ruleset.h"
#include "predicates/rules.h"
#include "priorities/pod_affinity.h"
#include "priorities/resources.h"
#include "priorities/rules.h"

namespace winnow {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// The fields of the arguments, if they are of one of these types.
template <class... Structs>
std::optional<Fields> fields_of_types(const Arguments& arguments) {
  std::optional<Fields> fields;
  const auto try_one = [&](const auto* of) {
    if (of) fields = args_fields(*of);
  };
  (try_one(arguments.get_if<Structs>()), ...);
  return fields;
}

/// Of a type that is not listed here nothing is known but whether it is the same: rules_difference_test.cc
/// tells of one that is forgotten.
Fields fields_of(const Arguments& arguments) {
  if (arguments.empty()) return {};
  if (auto fields =
          fields_of_types<NodeResourcesFitArgs, NodeAffinityArgs, PodTopologySpreadArgs, NodeLabelArgs,
                          ServiceAffinityArgs, InterPodAffinityArgs, HardPodAffinity, BalancedAllocationArgs,
                          CapacityRatioShape, ResourceScoreArgs, VolumeBindingArgs, DynamicResourcesArgs,
                          LabelPreference, ServiceAntiAffinityLabel, LabelsPresence, ServiceAffinityLabels,
                          ExpressionArgs, AttachLimits, IgnoredResources, FailsWith>(arguments))
    return *std::move(fields);
  Fingerprint fingerprint;
  arguments.add_to(fingerprint);
  return {{"arguments", std::format("{:016x}", fingerprint.hash())}};
}

/// What one profile makes of a rule.
struct RuleUse {
  const ConfiguredPredicate* filter = nullptr;
  const ConfiguredPriority* score = nullptr;

  bool filters() const { return filter && (filter->filters || filter->pre_filters); }
  bool scores() const { return score && score->scores; }
  std::string role() const {
    return filters() && scores() ? "filters and scores" : filters() ? "filters" : scores() ? "scores" : "";
  }
  /// Those of both parts, each field once.
  Fields fields() const {
    Fields all = filter ? fields_of(filter->arguments) : Fields();
    if (score)
      for (auto& field : fields_of(score->arguments))
        if (!std::ranges::contains(all, field.first, &Fields::value_type::first))
          all.push_back(std::move(field));
    return all;
  }
};

template <class Rules>
auto find_rule(const Rules& rules, std::string_view name) {
  const auto found = std::ranges::find_if(rules, [&](const auto& rule) { return rule.name == name; });
  return found == rules.end() ? nullptr : &*found;
}

/// Whether its place in the order can matter.
bool acts(const ConfiguredPredicate& rule) { return rule.filters || rule.pre_filters; }

RuleUse use_of(const RuleSet& rules, std::string_view name) {
  return {find_rule(rules.predicates, name), find_rule(rules.priorities, name)};
}

std::vector<std::string> names_in(const RuleSet& a, const RuleSet& b) {
  std::vector<std::string> names;
  const auto add = [&](const auto& rules) {
    for (const auto& rule : rules)
      if (!std::ranges::contains(names, rule.name)) names.push_back(rule.name);
  };
  for (const RuleSet* const set : {&a, &b}) {
    add(set->predicates);
    add(set->priorities);
  }
  return names;
}

/// Compares two profiles.
class ProfileDifferences {
 public:
  ProfileDifferences(const RuleSet& a, const RuleSet& b, std::string profile,
                     std::vector<RulesDifference>& found)
      : a_(a), b_(b), profile_(std::move(profile)), found_(found) {}

  void find() {
    for (const std::string& name : names_in(a_, b_)) compare_rule(name);
    // Scores are summed: their order changes nothing.
    compare_orders("filters", a_.predicates, b_.predicates);
    const auto flag = [](bool on) { return std::string(on ? "true" : "false"); };
    add(RulesAspect::kSetting, "", "alwaysCheckAllPredicates", flag(a_.always_check_all_predicates),
        flag(b_.always_check_all_predicates));
    add(RulesAspect::kSetting, "", "countsAsV116", flag(a_.accounting != Accounting::kToday),
        flag(b_.accounting != Accounting::kToday));
    add(RulesAspect::kSetting, "", "exactZones", flag(a_.exact_zones), flag(b_.exact_zones));
    add(RulesAspect::kSetting, "", "otherFilters", flag(a_.others_filter), flag(b_.others_filter));
  }

 private:
  void add(RulesAspect aspect, const std::string& rule, const std::string& field, const std::string& a,
           const std::string& b) {
    if (a == b) return;
    found_.push_back({.aspect = aspect, .profile = profile_, .rule = rule, .field = field, .a = a, .b = b});
  }

  void compare_rule(const std::string& name) {
    const RuleUse a = use_of(a_, name), b = use_of(b_, name);
    add(RulesAspect::kRole, name, "", a.role(), b.role());
    if (a.scores() && b.scores())
      add(RulesAspect::kWeight, name, "", std::to_string(a.score->weight), std::to_string(b.score->weight));
    if (!a.role().empty() && !b.role().empty()) compare_fields(name, a.fields(), b.fields());
  }

  void compare_fields(const std::string& name, const Fields& a, const Fields& b) {
    const auto value = [](const Fields& fields, const std::string& field) {
      const auto found = std::ranges::find(fields, field, &Fields::value_type::first);
      return found == fields.end() ? std::string() : found->second;
    };
    for (const auto& [field, of_a] : a) add(RulesAspect::kArgument, name, field, of_a, value(b, field));
    for (const auto& [field, of_b] : b)
      if (value(a, field).empty()) add(RulesAspect::kArgument, name, field, "", of_b);
  }

  /// The order of the rules that both have.
  template <class Rules>
  void compare_orders(const std::string& field, const Rules& a, const Rules& b) {
    const auto common = [](const Rules& rules, const Rules& others) {
      std::string names;
      for (const auto& rule : rules)
        if (const auto* const other = find_rule(others, rule.name); other && acts(rule) && acts(*other))
          names += (names.empty() ? "" : ", ") + rule.name;
      return names;
    };
    add(RulesAspect::kOrder, "", field, common(a, b), common(b, a));
  }

  const RuleSet& a_;
  const RuleSet& b_;
  const std::string profile_;
  std::vector<RulesDifference>& found_;
};

std::string kind_of_rules(const RuleSet& rules) {
  return rules.generation == Generation::kClassic ? "Policy" : "KubeSchedulerConfiguration";
}

const RuleSet* find_profile(const std::vector<RuleSet>& sets, const std::string& name) {
  const auto found = std::ranges::find(sets, name, &RuleSet::scheduler_name);
  return found == sets.end() ? nullptr : &*found;
}

std::string fingerprint(const std::vector<RuleSet>& sets) {
  std::vector<const RuleSet*> all;
  for (const RuleSet& set : sets) all.push_back(&set);
  return fingerprint_of(all);
}

}  // namespace

std::vector<RulesDifference> differences_of(const std::vector<RuleSet>& a, const std::vector<RuleSet>& b) {
  std::vector<RulesDifference> found;
  if (fingerprint(a) == fingerprint(b)) return found;
  if (a.front().generation != b.front().generation)
    return {{.aspect = RulesAspect::kKind,
             .profile = {},
             .rule = {},
             .field = {},
             .a = kind_of_rules(a.front()),
             .b = kind_of_rules(b.front())}};
  const bool one = a.size() == 1 && b.size() == 1;
  const auto note_profile = [&](const std::string& name, const char* of_a, const char* of_b) {
    found.push_back(
        {.aspect = RulesAspect::kProfile, .profile = name, .rule = {}, .field = {}, .a = of_a, .b = of_b});
  };
  for (const RuleSet& set : a)
    if (const RuleSet* const other = find_profile(b, set.scheduler_name))
      ProfileDifferences(set, *other, one ? "" : set.scheduler_name, found).find();
    else
      note_profile(set.scheduler_name, "yes", "");
  for (const RuleSet& set : b)
    if (!find_profile(a, set.scheduler_name)) note_profile(set.scheduler_name, "", "yes");
  if (found.empty())
    found.push_back({.aspect = RulesAspect::kOrder,
                     .profile = {},
                     .rule = {},
                     .field = "profiles, or checks before a node is looked at",
                     .a = "one order",
                     .b = "another"});
  return found;
}

std::string_view to_string(RulesAspect aspect) {
  constexpr std::array<std::string_view, 7> kWords = {"kind",     "profile", "role",   "weight",
                                                      "argument", "order",   "setting"};
  return kWords[static_cast<std::size_t>(aspect)];
}

namespace {

/// "NodeAffinity filters and scores under A, and does nothing under B"
std::string role_text(const RulesDifference& one) {
  if (one.b.empty()) return std::format("{} {} under A only", one.rule, one.a);
  if (one.a.empty()) return std::format("{} {} under B only", one.rule, one.b);
  return std::format("{} {} under A, and {} under B", one.rule, one.a, one.b);
}

std::string value_text(const std::string& value) { return value.empty() ? "none" : value; }

std::string bare_text(const RulesDifference& one) {
  switch (one.aspect) {
    case RulesAspect::kKind:
      return std::format("A is a {}, and B a {}", one.a, one.b);
    case RulesAspect::kProfile:
      return std::format("profile {} is in {} only", one.profile, one.a.empty() ? "B" : "A");
    case RulesAspect::kRole:
      return role_text(one);
    case RulesAspect::kWeight:
      return std::format("{} weighs {} under A, {} under B", one.rule, one.a, one.b);
    case RulesAspect::kArgument:
      return std::format("{}: {} is {} under A, {} under B", one.rule, one.field, value_text(one.a),
                         value_text(one.b));
    case RulesAspect::kOrder:
      return std::format("the order of {}: {} under A; {} under B", one.field, one.a, one.b);
    case RulesAspect::kSetting:
      return std::format("{} is {} under A, {} under B", one.field, one.a, one.b);
  }
  return {};
}

}  // namespace

std::string to_text(const RulesDifference& difference) {
  const bool of_profile = !difference.profile.empty() && difference.aspect != RulesAspect::kProfile;
  return (of_profile ? "profile " + difference.profile + ": " : "") + bare_text(difference);
}

}  // namespace winnow
