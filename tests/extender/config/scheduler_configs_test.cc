// Holds Winnow against what upstream's own loader, validation and scheduler.New v1.37.0 say of the files in
// scheduler_configs/ (upstream.json, a line for each file, by tests/oracle/check_configs.sh).
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

#include "extender/config/rules.h"
#include "predicates/today/table.h"
#include "priorities/today/table.h"

namespace winnow {
namespace {

using Names = std::vector<std::string>;
using Weights = std::vector<std::pair<std::string, std::int64_t>>;

const std::filesystem::path kConfigs = std::string(WINNOW_ROOT) + "/tests/extender/config/scheduler_configs";

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

/// Upstream knows the plugins that it was built with; a file for another scheduler is accepted, and says so.
bool is_out_of_tree(const rapidjson::Value& upstream) {
  return upstream.HasMember("error") &&
         std::string_view(upstream["error"].GetString()).ends_with("does not exist");
}

void check_file(const rapidjson::Value& upstream) {
  const std::string name = upstream["file"].GetString();
  CAPTURE(name);
  const auto loaded = load_rules(name, read(kConfigs / name), {});
  CHECK(name.starts_with(loaded ? "accepted/" : "refused/"));
  if (!loaded) {
    INFO(loaded.error());
    CHECK(!upstream["accepted"].GetBool());
    CHECK(loaded.error().starts_with(name + ": "));
    CHECK(!loaded.error().contains('\n'));
    return;
  }
  if (is_out_of_tree(upstream)) {
    CHECK(std::ranges::any_of(loaded->warnings, [](const std::string& note) {
      return note.contains("the stock kube-scheduler refuses this file");
    }));
    return;
  }
  REQUIRE(upstream["accepted"].GetBool());
  const auto& profiles = upstream["profiles"].GetArray();
  REQUIRE(loaded->sets.size() == profiles.Size());
  for (std::size_t i = 0; i < loaded->sets.size(); ++i)
    check_profile(loaded->sets[i], profiles[static_cast<rapidjson::SizeType>(i)]);
}

TEST_CASE("configuration files are accepted and refused as upstream does, with the same plugins in order") {
  std::istringstream lines(read(kConfigs / "upstream.json"));
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    rapidjson::Document upstream;
    upstream.Parse(line.c_str());
    REQUIRE(upstream.IsObject());
    seen.insert(upstream["file"].GetString());
    check_file(upstream);
  }
  for (const char* folder : {"accepted", "refused"})
    for (const auto& entry : std::filesystem::directory_iterator(kConfigs / folder))
      CHECK(seen.erase(std::string(folder) + "/" + entry.path().filename().string()) == 1);
  CHECK(seen.empty());
}

}  // namespace
}  // namespace winnow
