// The table of all rules in docs/rules.md is what the rules' records say.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/args_schema.h"
#include "cluster/rule/default_profile.h"
#include "cluster/rule/policy_argument.h"
#include "extender/config/gates.h"
#include "extender/config/plugin_table.h"
#include "extender/config/policy_rules.h"
#include "extender/config/removed_plugins.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow::test {
namespace {

/// One row: `NodeAffinity | v1.37 | filter, score | addedAffinity | 2`. The last cell is the default weight.
using Rules = std::set<std::string>;

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string all;
  for (const std::string& word : words) (all += all.empty() ? "" : separator) += word;
  return all;
}

/// The argument of a classic rule, or of another record that binds the same function.
template <class Record>
std::string argument_of(const Record& record, std::span<const Record> all) {
  for (const Record& other : all)
    if (other.argument != nullptr && (&other == &record || (!record.argument && other.bind == record.bind)))
      return std::string(other.argument->name);
  return "";
}

void add_classic(Rules& rules) {
  for (const auto& row : predicates::classic()) {
    rules.insert(joined(
        {std::string(row.name), "v1.16", "predicate", argument_of(row, predicates::classic()), ""}, " | "));
  }
  const std::vector<ConfiguredPriority> provider = default_priorities(Gates{});
  for (const auto& row : priorities::classic()) {
    const auto found = std::ranges::find(provider, row.name, &ConfiguredPriority::name);
    rules.insert(joined({row.name.empty() ? "a name of your own" : std::string(row.name), "v1.16", "priority",
                         argument_of(row, priorities::classic()),
                         found == provider.end() ? "" : std::to_string(found->weight)},
                        " | "));
  }
}

std::string arguments_of(const PluginRow& plugin) {
  std::vector<std::string> names;
  if (plugin.args != nullptr)
    for (const Field& field : plugin.args->type.fields) names.emplace_back(field.name);
  std::erase_if(names, [](const std::string& name) { return name == "kind" || name == "apiVersion"; });
  std::ranges::sort(names);
  return joined(names, ", ");
}

/// The release whose rule it is. What v1beta1 does not have was in v1.18 last.
std::string_view generation_of(const PluginRow& plugin) {
  if (plugin.kind == PluginKind::kInWinnow) return "Winnow";
  if (plugin.kind != PluginKind::kRemoved) return "v1.37";
  return removed_plugin(plugin.name).starts_with("was removed in v1beta1") ? "v1.18" : "v1.22";
}

void add_plugins(Rules& rules) {
  for (const PluginRow& plugin : plugin_rows()) {
    if (!runs_here(plugin)) continue;
    const bool filters = predicates::find_plugin(plugin.name) != nullptr;
    const bool scores = priorities::find_plugin(plugin.name) != nullptr;
    // A plugin that scores weighs 1 where the default configuration gives it no weight.
    const auto weight = !scores || !is_default(plugin.name) ? "" : std::to_string(std::max(1, plugin.weight));
    rules.insert(joined({std::string(plugin.name), std::string(generation_of(plugin)),
                         filters && scores ? "filter, score"
                         : filters         ? "filter"
                                           : "score",
                         arguments_of(plugin), weight},
                        " | "));
  }
}

/// The cells of a row of a table.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line.remove_prefix(1);
  for (std::size_t end; (end = line.find('|')) != line.npos; line.remove_prefix(end + 1)) {
    std::string_view cell = line.substr(0, end);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.emplace_back(cell);
  }
  return cells;
}

/// The lines of the section's table, without its two lines of heading.
std::vector<std::vector<std::string>> documented_rows() {
  std::ifstream file(std::string(WINNOW_ROOT) + "/docs/rules.md", std::ios::binary);
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## All rules";
    if (inside && line.starts_with("|")) rows.push_back(cells_of(line));
  }
  if (rows.size() >= 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

/// The names between backticks, by name: "`b`, `a`" gives "a, b".
std::string sorted_names(std::string cell) {
  std::erase(cell, '`');
  std::vector<std::string> names;
  for (std::size_t end; !cell.empty(); cell.erase(0, end == cell.npos ? end : end + 2)) {
    end = cell.find(", ");
    names.push_back(cell.substr(0, end));
  }
  std::ranges::sort(names);
  return joined(names, ", ");
}

TEST_CASE("docs/rules.md has one table with each rule") {
  Rules in_code;
  add_classic(in_code);
  add_plugins(in_code);

  Rules documented;
  for (const auto& cells : documented_rows()) {
    REQUIRE(cells.size() == 7);
    const std::string &name = cells[0], &points = cells[2], &score = cells[5];
    CAPTURE(name);
    CHECK(!cells[3].empty());
    CHECK((cells[1] == "Winnow" || cells[6].contains(".go")));
    const std::string range = score.substr(0, score.find(" × "));
    const std::string weight = range == score ? "" : score.substr(score.find(" × ") + 4);
    CHECK(range.empty() == !(points.contains("score") || points == "priority"));
    if (points.contains("score")) CHECK((range == "0–100" || range == "0–1"));
    // A classic rule of Winnow's own has a row like v1.16's.
    const bool is_classic = points == "predicate" || points == "priority";
    const std::string generation = is_classic && cells[1] == "Winnow" ? "v1.16" : cells[1];
    const bool is_new =
        documented.insert(joined({name, generation, points, sorted_names(cells[4]), weight}, " | ")).second;
    CHECK(is_new);
  }
  for (const std::string& rule : in_code)
    CHECK_MESSAGE(documented.contains(rule), "docs/rules.md, All rules, lacks a row for: " << rule);
  for (const std::string& rule : documented)
    CHECK_MESSAGE(in_code.contains(rule), "no record says this row of docs/rules.md: " << rule);
}

}  // namespace
}  // namespace winnow::test
