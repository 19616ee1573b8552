// Holds Winnow against what upstream's own loader, validation and scheduler.New say of the files in
// six folders, each with an upstream.json that has a line for each file (tests/oracle/check_configs.sh).
//
//   scheduler_configs/  v1, asked v1.37.0
//   v1beta3_configs/    v1beta3, asked v1.28.15
//   v1beta2_configs/    v1beta2, asked v1.27.16
//   v1beta1_configs/    v1beta1, asked v1.22.17
//   v1alpha2_configs/, v1alpha1_configs/  v1alpha2 and v1alpha1, asked v1.18.20
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/rule/shared_args.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "predicates/records.h"
#include "priorities/pod_affinity.h"
#include "priorities/records.h"
#include "priorities/resources.h"

namespace winnow {
namespace {

using Names = std::vector<std::string>;
using Weights = std::vector<std::pair<std::string, std::int64_t>>;

const std::filesystem::path kHere = std::string(WINNOW_ROOT) + "/tests/extender/config";

/// The files that upstream refuses and Winnow accepts on purpose, without those that name out-of-tree
/// plugins.
const std::set<std::string> kTakenHere = {
    // Plugins that v1.37 no longer has run here.
    "scheduler_configs/refused/removed_limits_plugin.yaml",
    "scheduler_configs/refused/removed_limits_plugin_at_multi_point.yaml",
    "scheduler_configs/refused/removed_limits_plugin_configured.yaml",
    // v1.37.0 does not serve these, v1.22.17 does not serve v1.
    "scheduler_configs/refused/version_v1alpha1.yaml",
    "scheduler_configs/refused/version_v1alpha2.yaml",
    "v1beta1_configs/refused/v1.yaml",
};

/// Whether an accepted file's rules are a Policy's. Upstream makes plugins of them; Winnow's are classic
/// rules.
bool has_policy(const std::string& name) {
  return name.starts_with("v1alpha1_configs/accepted/policy_") &&
         !name.ends_with("/policy_and_provider.yaml");
}

/// The name of the rule for a plugin; v1.18 has another for one.
const char* rule_name(const rapidjson::Value& plugin) {
  const std::string_view name = plugin.GetString();
  return name == "DefaultPodTopologySpread" ? "SelectorSpread" : plugin.GetString();
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The plugins of a list that Winnow runs.
template <class Find>
Names names_in(const rapidjson::Value& list, Find find) {
  Names names;
  for (const auto& name : list.GetArray())
    if (find(rule_name(name)) != nullptr) names.emplace_back(rule_name(name));
  return names;
}

Weights weights_in(const rapidjson::Value& list) {
  Weights weights;
  for (const auto& plugin : list.GetArray())
    if (priorities::find_plugin(rule_name(plugin["name"])) != nullptr)
      weights.emplace_back(rule_name(plugin["name"]), plugin["weight"].GetInt64());
  return weights;
}

Names pre_filters(const RuleSet& rules) {
  Names names;
  for (std::size_t i = 0; i < rules.predicates.size(); ++i) {
    const std::size_t rule = rules.pre_filter_order.empty() ? i : rules.pre_filter_order[i];
    if (rules.predicates[rule].pre_filters) names.push_back(rules.predicates[rule].name);
  }
  return names;
}

/// Those that v1.18 had at Filter alone; their rules need their PreFilter.
void drop_pre_filters_of_today(Names& names) {
  std::erase_if(
      names, [](const std::string& name) { return name == "VolumeRestrictions" || name == "VolumeBinding"; });
}

Names filters(const RuleSet& rules) {
  Names names;
  for (const ConfiguredPredicate& predicate : rules.predicates)
    if (predicate.filters) names.push_back(predicate.name);
  return names;
}

void check_profile(const RuleSet& rules, const rapidjson::Value& upstream, bool of_118) {
  CHECK(rules.generation == Generation::kToday);
  CHECK(rules.scheduler_name == upstream["name"].GetString());
  Names prepared = pre_filters(rules);
  if (of_118) drop_pre_filters_of_today(prepared);
  CHECK(prepared == names_in(upstream["preFilter"], predicates::find_plugin));
  CHECK(filters(rules) == names_in(upstream["filter"], predicates::find_plugin));
  Weights scores;
  std::set<std::string> pre_scores;
  for (const ConfiguredPriority& priority : rules.priorities) {
    if (priority.scores) scores.emplace_back(priority.name, priority.weight);
    if (!priority.scores) pre_scores.insert(priority.name);
  }
  CHECK(scores == weights_in(upstream["score"]));
  const Names listed = names_in(upstream["preScore"], priorities::find_plugin);
  std::set<std::string> expected(listed.begin(), listed.end());
  for (const auto& [name, weight] : scores) expected.erase(name);
  CHECK(pre_scores == expected);
}

bool has_value(const rapidjson::Value& object, const char* key) {
  return object.HasMember(key) && !object[key].IsNull();
}

std::vector<WeighedResource> resources_in(const rapidjson::Value& args) {
  std::vector<WeighedResource> resources;
  if (has_value(args, "resources"))
    for (const auto& resource : args["resources"].GetArray())
      resources.push_back({resource["name"].GetString(), resource["weight"].GetInt64()});
  return resources;
}

/// As the plugin uses them: of equal names the last counts.
std::map<std::string, std::int64_t> weights_of(const std::vector<WeighedResource>& resources) {
  std::map<std::string, std::int64_t> weights;
  for (const auto& [name, weight] : resources) weights[name] = weight;
  return weights;
}

UtilizationShape shape_in(const rapidjson::Value& args) {
  UtilizationShape shape;
  if (has_value(args, "shape"))
    for (const auto& point : args["shape"].GetArray())
      shape.push_back({point["utilization"].GetInt64(), point["score"].GetInt64()});
  return shape;
}

std::string_view text_in(const rapidjson::Value& object, const char* key) {
  return has_value(object, key) ? object[key].GetString() : "";
}

Names texts_in(const rapidjson::Value& object, const char* key) {
  Names texts;
  if (has_value(object, key))
    for (const auto& text : object[key].GetArray()) texts.emplace_back(text.GetString());
  return texts;
}

void check_constraints(const std::vector<TopologySpreadConstraint>& constraints,
                       const rapidjson::Value& args) {
  const rapidjson::SizeType count =
      has_value(args, "defaultConstraints") ? args["defaultConstraints"].Size() : 0;
  REQUIRE(constraints.size() == count);
  for (rapidjson::SizeType i = 0; i < count; ++i) {
    const rapidjson::Value& upstream = args["defaultConstraints"][i];
    CHECK(constraints[i].max_skew == upstream["maxSkew"].GetInt());
    CHECK(constraints[i].topology_key == text_in(upstream, "topologyKey"));
    CHECK(constraints[i].when_unsatisfiable == text_in(upstream, "whenUnsatisfiable"));
  }
}

void check_fit(const NodeResourcesFitArgs& args, const rapidjson::Value& upstream) {
  CHECK(args.ignored_resources == texts_in(upstream, "ignoredResources"));
  CHECK(args.ignored_resource_groups == texts_in(upstream, "ignoredResourceGroups"));
  if (!has_value(upstream, "scoringStrategy")) return;  // v1.18 has none.
  const rapidjson::Value& strategy = upstream["scoringStrategy"];
  constexpr std::string_view kTypes[] = {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"};
  CHECK(text_in(strategy, "type") == kTypes[static_cast<int>(args.strategy)]);
  CHECK(args.resources == resources_in(strategy));
  if (args.strategy == ScoringStrategy::kRequestedToCapacityRatio)
    CHECK(args.shape == shape_in(strategy["requestedToCapacityRatio"]));
}

std::size_t terms_in(const rapidjson::Value& args) {
  const auto& affinity = args["addedAffinity"];
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  return has_value(affinity, kRequired) ? affinity[kRequired]["nodeSelectorTerms"].Size() : 0;
}

/// Compares all that the plugin uses of its arguments.
void check_arguments(const Arguments& arguments, const rapidjson::Value& upstream) {
  if (const auto* args = arguments.get_if<InterPodAffinityArgs>()) {
    CHECK(args->hard_pod_affinity_weight == upstream["hardPodAffinityWeight"].GetInt64());
    const bool ignores = has_value(upstream, "ignorePreferredTermsOfExistingPods") &&
                         upstream["ignorePreferredTermsOfExistingPods"].GetBool();
    CHECK(args->ignore_preferred_terms_of_existing_pods == ignores);
  }
  if (const auto* args = arguments.get_if<PodTopologySpreadArgs>()) {
    CHECK(args->system_defaulted == (text_in(upstream, "defaultingType") == "System"));
    check_constraints(args->default_constraints, upstream);
  }
  if (const auto* args = arguments.get_if<ResourceScoreArgs>()) {
    CHECK(weights_of(args->resources) == weights_of(resources_in(upstream)));
    CHECK(args->shape == shape_in(upstream));
  }
  if (const auto* args = arguments.get_if<BalancedAllocationArgs>())
    CHECK(args->resources == resources_in(upstream));
  if (const auto* args = arguments.get_if<NodeResourcesFitArgs>()) check_fit(*args, upstream);
  if (const auto* args = arguments.get_if<NodeAffinityArgs>()) {
    CHECK(args->added_affinity.has_value() == has_value(upstream, "addedAffinity"));
    if (args->added_affinity && args->added_affinity->required)
      CHECK(args->added_affinity->required->terms.size() == terms_in(upstream));
  }
  if (const auto* args = arguments.get_if<NodeLabelArgs>()) {
    CHECK(args->present_labels == texts_in(upstream, "presentLabels"));
    CHECK(args->absent_labels == texts_in(upstream, "absentLabels"));
    CHECK(args->present_labels_preference == texts_in(upstream, "presentLabelsPreference"));
    CHECK(args->absent_labels_preference == texts_in(upstream, "absentLabelsPreference"));
  }
  if (const auto* args = arguments.get_if<ServiceAffinityArgs>()) {
    CHECK(args->affinity_labels == texts_in(upstream, "affinityLabels"));
    CHECK(args->anti_affinity_labels_preference == texts_in(upstream, "antiAffinityLabelsPreference"));
  }
}

/// Upstream's arguments have all defaults.
void check_arguments(const RuleSet& rules, const rapidjson::Value& upstream) {
  if (!upstream.HasMember("args")) return;
  const auto& args = upstream["args"];
  const auto check = [&](const std::string& name, const Arguments& arguments) {
    CAPTURE(name);
    if (args.HasMember(name.c_str())) check_arguments(arguments, args[name.c_str()]);
  };
  for (const ConfiguredPredicate& predicate : rules.predicates) check(predicate.name, predicate.arguments);
  for (const ConfiguredPriority& priority : rules.priorities) check(priority.name, priority.arguments);
}

/// Upstream knows the plugins that it was built with; a file for another scheduler is accepted, and says so.
bool is_out_of_tree(const rapidjson::Value& upstream) {
  return upstream.HasMember("error") &&
         std::string_view(upstream["error"].GetString()).ends_with("does not exist");
}

void check_loaded(const std::string& name, const LoadedRules& loaded, const rapidjson::Value& upstream) {
  if (is_out_of_tree(upstream)) {
    CHECK(std::ranges::any_of(loaded.warnings,
                              [](const std::string& note) { return note.contains("refuses this file"); }));
    return;
  }
  CHECK(name.contains("/accepted/"));
  REQUIRE(upstream["accepted"].GetBool());
  if (has_policy(name)) {
    REQUIRE(loaded.sets.size() == 1);
    CHECK(loaded.sets[0].generation == Generation::kClassic);
    return;
  }
  const auto& profiles = upstream["profiles"].GetArray();
  REQUIRE(loaded.sets.size() == profiles.Size());
  for (std::size_t i = 0; i < loaded.sets.size(); ++i) {
    check_profile(loaded.sets[i], profiles[static_cast<rapidjson::SizeType>(i)], name.starts_with("v1alpha"));
    check_arguments(loaded.sets[i], profiles[static_cast<rapidjson::SizeType>(i)]);
  }
}

/// The field that upstream's validation names first, without its path: the error has to name it, too.
void check_field(const std::string& error, const rapidjson::Value& upstream) {
  if (text_in(upstream, "stage") != "validate") return;
  std::string_view path = text_in(upstream, "error");
  if (path.starts_with('[')) return;  // There are several, in any order.
  path = path.substr(0, path.find(": "));
  if (const std::size_t at = path.find(".enabled["); at != std::string_view::npos) path = path.substr(0, at);
  path = path.substr(path.rfind('.') + 1);
  path = path.substr(0, path.find('['));
  CAPTURE(error);
  CHECK(error.contains(path));
}

/// @param name  FOLDER/accepted/FILE
void check_file(const std::string& name, const rapidjson::Value& upstream) {
  CAPTURE(name);
  const auto loaded = load_rules(name, read(kHere / name), {});
  if (kTakenHere.contains(name)) {
    CHECK(loaded.has_value());
    CHECK(!upstream["accepted"].GetBool());
  } else if (loaded) {
    check_loaded(name, *loaded, upstream);
  } else {
    INFO(loaded.error());
    CHECK(name.contains("/refused/"));
    CHECK(!upstream["accepted"].GetBool());
    CHECK(loaded.error().starts_with(name + ": "));
    CHECK(!loaded.error().contains('\n'));
    check_field(loaded.error(), upstream);
  }
}

/// A Policy beside a file is read relative to the working directory.
struct WorkingIn {
  explicit WorkingIn(const std::filesystem::path& folder) { std::filesystem::current_path(folder); }
  ~WorkingIn() { std::filesystem::current_path(before); }
  std::filesystem::path before = std::filesystem::current_path();
};

void check_folder(const std::string& folder) {
  const WorkingIn working(kHere / folder);
  std::istringstream lines(read(kHere / folder / "upstream.json"));
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    rapidjson::Document upstream;
    upstream.Parse(line.c_str());
    REQUIRE(upstream.IsObject());
    seen.insert(upstream["file"].GetString());
    check_file(folder + "/" + upstream["file"].GetString(), upstream);
  }
  for (const char* part : {"accepted", "refused"})
    for (const auto& entry : std::filesystem::directory_iterator(kHere / folder / part))
      CHECK(seen.erase(std::string(part) + "/" + entry.path().filename().string()) == 1);
  CHECK(seen.empty());
}

TEST_CASE("configuration files are accepted and refused as upstream does, with the same plugins in order") {
  check_folder("scheduler_configs");
}

TEST_CASE("files of older versions are read as the last release that served them, with its defaults") {
  for (const char* folder :
       {"v1beta3_configs", "v1beta2_configs", "v1beta1_configs", "v1alpha2_configs", "v1alpha1_configs"})
    check_folder(folder);
}

}  // namespace
}  // namespace winnow
