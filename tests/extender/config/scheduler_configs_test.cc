// Holds Winnow against what upstream's own loader, validation and scheduler.New say of the files in three
// folders, each with an upstream.json that has a line for each file.
//
//   scheduler_configs/  v1, asked v1.37.0 (tests/oracle/check_configs.sh)
//   v1beta3_configs/    v1beta3, asked v1.28.15
//   removed_configs/    v1beta2 and v1beta1, asked v1.22.17 (tests/oracle/check_configs.sh)
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rule/arguments.h"
#include "extender/config/rules.h"
#include "predicates/today/table.h"
#include "priorities/today/table.h"

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
    // v1.22.17 does not serve v1.
    "removed_configs/refused/v1.yaml",
};

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
    if (find(name.GetString()) != nullptr) names.emplace_back(name.GetString());
  return names;
}

Weights weights_in(const rapidjson::Value& list) {
  Weights weights;
  for (const auto& plugin : list.GetArray())
    if (priorities::today::find_plugin(plugin["name"].GetString()) != nullptr)
      weights.emplace_back(plugin["name"].GetString(), plugin["weight"].GetInt64());
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

Names filters(const RuleSet& rules) {
  Names names;
  for (const ConfiguredPredicate& predicate : rules.predicates)
    if (predicate.filters) names.push_back(predicate.name);
  return names;
}

void check_profile(const RuleSet& rules, const rapidjson::Value& upstream) {
  CHECK(rules.generation == Generation::kToday);
  CHECK(rules.scheduler_name == upstream["name"].GetString());
  CHECK(pre_filters(rules) == names_in(upstream["preFilter"], predicates::today::find_plugin));
  CHECK(filters(rules) == names_in(upstream["filter"], predicates::today::find_plugin));
  Weights scores;
  std::set<std::string> pre_scores;
  for (const ConfiguredPriority& priority : rules.priorities) {
    if (priority.scores) scores.emplace_back(priority.name, priority.weight);
    if (!priority.scores) pre_scores.insert(priority.name);
  }
  CHECK(scores == weights_in(upstream["score"]));
  const Names listed = names_in(upstream["preScore"], priorities::today::find_plugin);
  std::set<std::string> expected(listed.begin(), listed.end());
  for (const auto& [name, weight] : scores) expected.erase(name);
  CHECK(pre_scores == expected);
}

template <class Values>
std::vector<WeighedResource> resources_in(const Values& args) {
  std::vector<WeighedResource> resources;
  if (args.HasMember("resources"))
    for (const auto& resource : args["resources"].GetArray())
      resources.push_back({resource["name"].GetString(), resource["weight"].GetInt64()});
  return resources;
}

std::string_view text_in(const rapidjson::Value& object, const char* key) {
  return object.HasMember(key) ? object[key].GetString() : "";
}

Names texts_in(const rapidjson::Value& object, const char* key) {
  Names texts;
  if (object.HasMember(key))
    for (const auto& text : object[key].GetArray()) texts.emplace_back(text.GetString());
  return texts;
}

/// Compares the arguments whose defaults are not the same in all versions.
void check_arguments(const Arguments& arguments, const rapidjson::Value& upstream) {
  if (const auto* args = std::get_if<InterPodAffinityArgs>(&arguments))
    CHECK(args->hard_pod_affinity_weight == upstream["hardPodAffinityWeight"].GetInt64());
  if (const auto* args = std::get_if<PodTopologySpreadArgs>(&arguments))
    CHECK(args->system_defaulted == (text_in(upstream, "defaultingType") == "System"));
  if (const auto* args = std::get_if<ResourceScoreArgs>(&arguments))
    CHECK(args->resources == resources_in(upstream));
  if (const auto* args = std::get_if<BalancedAllocationArgs>(&arguments))
    CHECK(args->resources == resources_in(upstream));
  if (const auto* args = std::get_if<NodeResourcesFitArgs>(&arguments)) {
    constexpr std::string_view kTypes[] = {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"};
    CHECK(text_in(upstream["scoringStrategy"], "type") == kTypes[static_cast<int>(args->strategy)]);
    CHECK(args->resources == resources_in(upstream["scoringStrategy"]));
    CHECK(args->ignored_resources == texts_in(upstream, "ignoredResources"));
    CHECK(args->ignored_resource_groups == texts_in(upstream, "ignoredResourceGroups"));
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
  const auto& profiles = upstream["profiles"].GetArray();
  REQUIRE(loaded.sets.size() == profiles.Size());
  for (std::size_t i = 0; i < loaded.sets.size(); ++i) {
    check_profile(loaded.sets[i], profiles[static_cast<rapidjson::SizeType>(i)]);
    check_arguments(loaded.sets[i], profiles[static_cast<rapidjson::SizeType>(i)]);
  }
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
  }
}

void check_folder(const std::string& folder) {
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
  check_folder("v1beta3_configs");
  check_folder("removed_configs");
}

}  // namespace
}  // namespace winnow
