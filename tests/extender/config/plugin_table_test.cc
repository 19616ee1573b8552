// The table of plugins and the tables of rules go together, and what a file says of a plugin reaches its
// rule.
#include "extender/config/plugin_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/rule/default_profile.h"
#include "extender/config/gates.h"
#include "extender/config/profile.h"
#include "extender/config/rules.h"
#include "extender/config/rules_difference.h"
#include "extender/config/rules_summary.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "predicates/rules.h"
#include "priorities/pod_affinity.h"
#include "priorities/records.h"
#include "priorities/resources.h"
#include "priorities/rules.h"

namespace winnow::test {
namespace {

RuleSet rules_of(const std::string& profile) {
  auto loaded = load_rules("f",
                           "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                           "profiles: [" +
                               profile + "]\n",
                           {});
  INFO(profile);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
  return std::move(loaded->sets.front());
}

/// @param plugins  of the profile.
std::string with_args(std::string_view plugin, std::string_view args, const std::string& plugins) {
  return std::string("{plugins: {" + plugins + "}, pluginConfig: [{name: ")
      .append(plugin)
      .append(", args: ")
      .append(args)
      .append("}]}");
}
std::string entry_of(std::string_view plugin) { return "{name: " + std::string(plugin) + "}"; }
/// Two values of a field of a simple type, as a file has them; {} for other types.
std::vector<std::string> samples_of(const FieldType& type) {
  switch (type.kind) {
    case FieldKind::kString:
      return {"one", "other"};
    case FieldKind::kBool:
      return {"false", "true"};
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return {"3", "4"};
    case FieldKind::kList:
      return type.element->kind == FieldKind::kString ? std::vector<std::string>{"[one]", "[other]"}
                                                      : std::vector<std::string>();
    default:
      return {};
  }
}

/// Arguments with a value for each field of a simple type. @param special  this field has its second value.
std::string sample_args(const FieldType& type, std::string_view special = {}) {
  std::string args;
  for (const Field& field : type.fields)
    if (const auto samples = samples_of(*field.type);
        !samples.empty() && field.name != "kind" && field.name != "apiVersion")
      args.append(args.empty() ? "{" : ", ")
          .append(field.name)
          .append(": ")
          .append(samples[field.name == special ? 1 : 0]);
  return args.empty() ? "{}" : args + "}";
}

/// Whether a file may leave all arguments out.
bool has_defaults(const PluginRow& plugin) {
  static const rapidjson::Value kNothing(rapidjson::kObjectType);
  std::string unused;
  return plugin.args == nullptr || plugin.args->read({Reader(kNothing, nullptr, unused), "args", {}}).sound;
}

/// Arguments that a file must give where it enables the plugin: those that are required.
std::string least_args(std::string_view plugin) {
  if (plugin == "Expression") return "{filter: 'true', score: '1'}";
  if (plugin == "RequestedToCapacityRatio") return "{shape: [{utilization: 0, score: 0}]}";
  const PluginRow& row = *find_plugin_row(plugin);
  return has_defaults(row) ? "{}" : sample_args(row.args->type);
}

bool filters(const PluginRow& plugin) {
  return plugin.points.has(Point::kPreFilter) || plugin.points.has(Point::kFilter);
}
bool scores(const PluginRow& plugin) {
  return plugin.points.has(Point::kPreScore) || plugin.points.has(Point::kScore);
}

/// The rules are those that the plugin's rows have, and no others.
void check_rules_of(const PluginRow& plugin, const RuleSet& rules) {
  CAPTURE(plugin.name);
  REQUIRE(rules.predicates.size() == (filters(plugin) ? 1 : 0));
  REQUIRE(rules.priorities.size() == (scores(plugin) ? 1 : 0));
  if (filters(plugin)) CHECK(rules.predicates[0].bind == predicates::find_plugin(plugin.name)->bind);
  if (scores(plugin)) CHECK(rules.priorities[0].bind == priorities::find_plugin(plugin.name)->bind);
}

/// The fields below an object or a list that have no fields of their own, by path.
void add_leaves(const FieldType& type, const std::string& path, std::set<std::string>& leaves) {
  if (type.kind == FieldKind::kList) return add_leaves(*type.element, path, leaves);
  if (type.kind != FieldKind::kObject) {
    leaves.insert(path);
    return;
  }
  for (const Field& field : type.fields)
    if (field.name != "kind" && field.name != "apiVersion")
      add_leaves(*field.type, path + "." + std::string(field.name), leaves);
}

/// Arguments of a plugin, and a change of one of their fields that the rules must show.
struct Argument {
  std::string field;  ///< PLUGIN.FIELD.FIELD
  std::string args;   ///< "": the field has one value only, or none that a rule reads.
  std::string from, to;
};

std::vector<Argument> arguments() {
  const std::string ratio =
      "{scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: cpu, weight: 3}], "
      "requestedToCapacityRatio: {shape: [{utilization: 5, score: 2}]}}}";
  const std::string ignored = "{ignoredResources: [a.b/c], ignoredResourceGroups: [d.e]}";
  const std::string terms =
      "[{matchExpressions: [{key: pool, operator: In, values: [a]}], "
      "matchFields: [{key: metadata.name, operator: NotIn, values: [a-node]}]}]";
  const std::string required =
      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " + terms + "}}}";
  const std::string preferred =
      "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 7, preference: " +
      terms.substr(1, terms.size() - 2) + "}]}}";
  const std::string spread =
      "{defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: "
      "DoNotSchedule, minDomains: 3, nodeAffinityPolicy: Honor, nodeTaintsPolicy: Ignore, matchLabelKeys: "
      "[app]}]}";
  const std::string shape = "{shape: [{utilization: 5, score: 7}]}";
  const std::string strategy = "NodeResourcesFit.scoringStrategy";
  const std::string term =
      "NodeAffinity.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const std::string preferring = "NodeAffinity.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution";
  const std::string labels =
      "{presentLabels: [a], absentLabels: [b], presentLabelsPreference: [c], absentLabelsPreference: [d]}";
  const std::string services = "{affinityLabels: [rack], antiAffinityLabelsPreference: [zone]}";
  const std::string own =
      "{filter: 'true', reason: hot, score: '50', normalize: linear, onError: refuse, assumeUsage: 0.5, "
      "when: "
      "'pod.spec.priority > 1', params: {least: 1}}";
  const std::string weighed = "{resources: [{name: cpu, weight: 2}]}";
  const std::string old_ratio = "{shape: [{utilization: 5, score: 7}], resources: [{name: cpu, weight: 2}]}";
  const std::string constraint = "PodTopologySpread.defaultConstraints";
  return {
      {"NodeResourcesFit.ignoredResources", ignored, "a.b/c", "a.b/d"},
      {"NodeResourcesFit.ignoredResourceGroups", ignored, "d.e", "d.f"},
      {strategy + ".type", "{scoringStrategy: {type: LeastAllocated}}", "Least", "Most"},
      {strategy + ".resources.name", ratio, "cpu", "memory"},
      {strategy + ".resources.weight", ratio, "weight: 3", "weight: 4"},
      {strategy + ".requestedToCapacityRatio.shape.utilization", ratio, "utilization: 5", "utilization: 6"},
      {strategy + ".requestedToCapacityRatio.shape.score", ratio, "score: 2", "score: 3"},
      {"NodeResourcesBalancedAllocation.resources.name", "{resources: [{name: cpu}]}", "cpu", "memory"},
      {"NodeResourcesBalancedAllocation.resources.weight", "", "", ""},
      {term + ".matchExpressions.key", required, "pool", "pond"},
      {term + ".matchExpressions.operator", required, "operator: In", "operator: NotIn"},
      {term + ".matchExpressions.values", required, "[a]", "[b]"},
      {term + ".matchFields.key", "", "", ""},
      {term + ".matchFields.operator", required, "NotIn", "In"},
      {term + ".matchFields.values", required, "[a-node]", "[b-node]"},
      {preferring + ".weight", preferred, "weight: 7", "weight: 8"},
      {preferring + ".preference.matchExpressions.key", preferred, "pool", "pond"},
      {preferring + ".preference.matchExpressions.operator", preferred, "operator: In", "operator: NotIn"},
      {preferring + ".preference.matchExpressions.values", preferred, "[a]", "[b]"},
      {preferring + ".preference.matchFields.key", "", "", ""},
      {preferring + ".preference.matchFields.operator", preferred, "NotIn", "In"},
      {preferring + ".preference.matchFields.values", preferred, "[a-node]", "[b-node]"},
      {"PodTopologySpread.defaultingType", "{defaultingType: List}", "List", "System"},
      {constraint + ".maxSkew", spread, "maxSkew: 2", "maxSkew: 3"},
      {constraint + ".topologyKey", spread, "zone", "rack"},
      {constraint + ".whenUnsatisfiable", spread, "DoNotSchedule", "ScheduleAnyway"},
      {constraint + ".minDomains", spread, "minDomains: 3", "minDomains: 4"},
      {constraint + ".nodeAffinityPolicy", spread, "Policy: Honor", "Policy: Ignore"},
      {constraint + ".nodeTaintsPolicy", spread, "Policy: Ignore", "Policy: Honor"},
      {constraint + ".matchLabelKeys", spread, "app", "tier"},
      {constraint + ".labelSelector.matchLabels", "", "", ""},
      {constraint + ".labelSelector.matchExpressions.key", "", "", ""},
      {constraint + ".labelSelector.matchExpressions.operator", "", "", ""},
      {constraint + ".labelSelector.matchExpressions.values", "", "", ""},
      {"InterPodAffinity.hardPodAffinityWeight", "{hardPodAffinityWeight: 2}", "2", "3"},
      {"InterPodAffinity.ignorePreferredTermsOfExistingPods", "{ignorePreferredTermsOfExistingPods: true}",
       "true", "false"},
      {"VolumeBinding.shape.utilization", shape, "utilization: 5", "utilization: 6"},
      {"VolumeBinding.shape.score", shape, "score: 7", "score: 8"},
      {"VolumeBinding.bindTimeoutSeconds", "", "", ""},
      {"DynamicResources.filterTimeout", "{filterTimeout: 3s}", "3s", "4s"},
      {"DynamicResources.bindingTimeout", "{bindingTimeout: 3s}", "3s", "4s"},
      {"Expression.filter", own, "true", "false"},
      {"Expression.reason", own, "hot", "cold"},
      {"Expression.score", own, "50", "51"},
      {"Expression.normalize", own, "linear", "reverse"},
      {"Expression.onError", own, "refuse", "fail"},
      {"Expression.when", own, "pod.spec.priority > 1", "pod.spec.priority > 2"},
      {"Expression.params", own, "least: 1", "least: 2"},
      {"Expression.assumeUsage", own, "0.5", "0.25"},
      {"NodeLabel.presentLabels", labels, "[a]", "[x]"},
      {"NodeLabel.absentLabels", labels, "[b]", "[x]"},
      {"NodeLabel.presentLabelsPreference", labels, "[c]", "[x]"},
      {"NodeLabel.absentLabelsPreference", labels, "[d]", "[x]"},
      {"ServiceAffinity.affinityLabels", services, "[rack]", "[row]"},
      {"ServiceAffinity.antiAffinityLabelsPreference", services, "[zone]", "[row]"},
      {"NodeResourcesLeastAllocated.resources.name", weighed, "cpu", "memory"},
      {"NodeResourcesLeastAllocated.resources.weight", weighed, "2", "3"},
      {"NodeResourcesMostAllocated.resources.name", weighed, "cpu", "memory"},
      {"NodeResourcesMostAllocated.resources.weight", weighed, "2", "3"},
      {"RequestedToCapacityRatio.resources.name", old_ratio, "cpu", "memory"},
      {"RequestedToCapacityRatio.resources.weight", old_ratio, "2", "3"},
      {"RequestedToCapacityRatio.shape.utilization", old_ratio, "utilization: 5", "utilization: 6"},
      {"RequestedToCapacityRatio.shape.score", old_ratio, "score: 7", "score: 8"},
  };
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

RuleSet rules_with(std::string_view plugin, const std::string& args) {
  return rules_of(with_args(plugin, args, "multiPoint: {enabled: [" + entry_of(plugin) + "]}"));
}

/// The rules show the change, and so do their differences: a type of arguments that these do not know has no
/// name for it.
void check_arrives(const std::string& plugin, const std::string& args, const std::string& others) {
  const RuleSet a = rules_with(plugin, args), b = rules_with(plugin, others);
  CHECK(fingerprint_of({&a}) != fingerprint_of({&b}));
  const std::vector<RulesDifference> found = differences_of({a}, {b});
  CHECK_FALSE(found.empty());
  for (const RulesDifference& one : found) {
    CHECK(one.aspect == RulesAspect::kArgument);
    CHECK(one.field != "arguments");
  }
}

/// What the plugin's rule is given where nothing is written.
Arguments default_args(const PluginRow& plugin) {
  const Profile profile{};
  return ProfileArgs(profile).of(plugin, plugin.name);
}

PluginArgs read_none(const WrittenArgs& written) { return {{}, required(child(written.path, "labels"), "")}; }
constexpr FieldType kNoFields = fields::object({});
const ArgsSchema kDemanding{kNoFields, read_none};

TEST_SUITE("plugin table") {
  TEST_CASE("each plugin has one row, in order of the names") {
    const auto rows = plugin_rows();
    CHECK(std::ranges::adjacent_find(rows, std::ranges::greater_equal(), &PluginRow::name) == rows.end());
    for (const PluginRow& row : rows) CHECK(find_plugin_row(row.name) == &row);
    CHECK(find_plugin_row("") == nullptr);
    CHECK(find_plugin_row("nodename") == nullptr);
  }

  TEST_CASE("what runs here has a rule for its points, and each rule has a plugin") {
    for (const PluginRow& row : plugin_rows()) {
      CAPTURE(row.name);
      CHECK((predicates::find_plugin(row.name) != nullptr) == (runs_here(row) && filters(row)));
      CHECK((priorities::find_plugin(row.name) != nullptr) == (runs_here(row) && scores(row)));
      CHECK((row.kind == PluginKind::kNotOfNodes) == !(filters(row) || scores(row)));
    }
    for (const auto& rule : predicates::plugins()) CHECK(find_plugin_row(rule.name) != nullptr);
    for (const auto& rule : priorities::plugins()) CHECK(find_plugin_row(rule.name) != nullptr);
  }

  TEST_CASE("Winnow's own filters are known as such in both tables") {
    for (const auto& rule : predicates::plugins()) {
      CAPTURE(rule.name);
      const PluginKind kind = find_plugin_row(rule.name)->kind;
      CHECK((rule.is_own()) == (kind == PluginKind::kInWinnow || kind == PluginKind::kRemoved));
    }
  }

  TEST_CASE("the tables of rules follow the order in which multiPoint enables plugins by default") {
    const auto in_order = [](const auto& rules) {
      std::vector<std::string_view> names;
      for (const std::string_view plugin : default_profile(Release::k1_37).front().plugins)
        if (std::ranges::contains(rules, plugin, [](const auto& rule) { return rule.name; }))
          names.push_back(plugin);
      return names;
    };
    const auto names_of = [](const auto& rules) {
      std::vector<std::string_view> names;
      for (const auto& rule : rules)
        if (is_default(rule.name)) names.push_back(rule.name);
      return names;
    };
    CHECK(names_of(predicates::plugins()) == in_order(predicates::plugins()));
    CHECK(names_of(priorities::plugins()) == in_order(priorities::plugins()));
  }

  TEST_CASE("a profile that enables a plugin under multiPoint or under its points runs it") {
    const std::string nothing_else =
        "disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}";
    for (const PluginRow& row : plugin_rows()) {
      if (!runs_here(row)) continue;
      const std::string entry = entry_of(row.name);
      const auto enabled_by = [&](const std::string& plugins) {
        return rules_of(row.args == nullptr ? "{plugins: {" + plugins + "}}"
                                            : with_args(row.name, least_args(row.name), plugins));
      };
      check_rules_of(row, enabled_by("multiPoint: {" + nothing_else + ", " + entry + "]}"));
      std::string points;
      for (std::size_t i = 0; i < kPoints; ++i)
        if (const Point point = static_cast<Point>(i); row.points.has(point))
          points += ", " + std::string(name_of(point).field) + ": {enabled: [" + entry + "]}";
      check_rules_of(row, enabled_by("multiPoint: {" + nothing_else + "]}" + points));
    }
  }

  TEST_CASE("each argument of a plugin that runs here arrives") {
    std::set<std::string> fields, tried;
    for (const PluginRow& row : plugin_rows())
      if (runs_here(row) && row.args != nullptr) add_leaves(row.args->type, std::string(row.name), fields);
    for (const Argument& argument : arguments()) {
      CAPTURE(argument.field);
      CHECK(tried.insert(argument.field).second);
      if (argument.args.empty()) continue;
      const std::string plugin = argument.field.substr(0, argument.field.find('.'));
      check_arrives(plugin, argument.args, replaced(argument.args, argument.from, argument.to));
    }
    // A field of a simple type, directly in the arguments, needs no row above.
    for (const PluginRow& row : plugin_rows()) {
      if (!runs_here(row) || row.args == nullptr) continue;
      for (const Field& field : row.args->type.fields) {
        const std::string path = std::string(row.name).append(".").append(field.name);
        if (samples_of(*field.type).empty() || !fields.contains(path) || tried.contains(path)) continue;
        CAPTURE(path);
        tried.insert(path);
        check_arrives(std::string(row.name), sample_args(row.args->type),
                      sample_args(row.args->type, field.name));
      }
    }
    for (const std::string& field : fields)
      CHECK_MESSAGE(tried.contains(field), "add a row to arguments() for " << field);
    CHECK(tried.size() == fields.size());
  }

  TEST_CASE("a plugin has arguments exactly if its record has a schema for them") {
    for (const PluginRow& row : plugin_rows()) {
      CAPTURE(row.name);
      CHECK(default_args(row).empty() == !(runs_here(row) && row.args != nullptr));
    }
  }

  TEST_CASE("the two records of a plugin agree on where it comes from, and every plugin is in some release") {
    for (const predicates::Record& filter : predicates::plugins()) {
      CAPTURE(filter.name);
      CHECK(filter.releases.find(Release::k1_37) != nullptr);
      if (const priorities::Record* const score = priorities::find_plugin(filter.name))
        CHECK((score->origin == filter.origin));
    }
    for (const priorities::Record& score : priorities::plugins()) {
      CAPTURE(score.name);
      CHECK(score.releases.find(Release::k1_37) != nullptr);
    }
  }

  TEST_CASE("a required argument that is missing is refused, also where nothing is configured") {
    const PluginRow rows[] = {{"Mine", PointSet(Point::kFilter), PluginKind::kInWinnow, &kDemanding}};
    Profile profile;
    profile.path = "profiles[0]";
    CHECK(ProfileArgs(profile).check(rows).has_value());
    profile.plugins[Point::kFilter].enabled.push_back({.name = "Mine", .index = 0});
    CHECK(ProfileArgs(profile).check(rows).error() ==
          "profiles[0].pluginConfig[Mine].args.labels: Required value");
    profile.configs.push_back({.name = "Mine", .args = {{}, {}}});
    CHECK(ProfileArgs(profile).check(rows).has_value());
    profile.configs[0].args.sound = std::unexpected("said before");
    CHECK(ProfileArgs(profile).check(rows).error() == "said before");
  }

  TEST_CASE("what start-up says of a plugin depends on whose it is") {
    CHECK(enabled_warning("NodeName", find_plugin_row("NodeName")) == "");
    CHECK(enabled_warning("Fairness", nullptr).contains("it stays in kube-scheduler"));
    const PluginRow own{"Mine", PointSet(Point::kFilter), PluginKind::kInWinnow};
    CHECK(enabled_warning("Mine", &own) ==
          "\"Mine\" is Winnow's own plugin: it runs here, and the stock kube-scheduler refuses this file");
    CHECK(runs_here(own));
  }
}

}  // namespace
}  // namespace winnow::test
