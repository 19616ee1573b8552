// The rules' records, for the checks of the lists in tests/oracle: `winnow_records`.
//
// Prints one JSON object. `predicates` and `priorities` are the classic rules, `plugins` those of
// kube-scheduler 1.37, the removed ones and Winnow's own. Names without a value are false or empty.
#include <algorithm>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "cluster/rule/args_schema.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/text/json.h"
#include "extender/config/plugin_table.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

/// A list of objects whose values are texts or true.
class Rows {
 public:
  void begin(std::string_view name) {
    text_ += text_.empty() ? "{" : ",\n {";
    append_quoted(text_, "name");
    text_ += ": ";
    append_quoted(text_, name);
  }
  void add(std::string_view field, std::string_view value) {
    if (value.empty()) return;
    text_ += ", ";
    append_quoted(text_, field);
    text_ += ": ";
    append_quoted(text_, value);
  }
  void add(std::string_view field, bool value) {
    if (!value) return;
    text_ += ", ";
    append_quoted(text_, field);
    text_ += ": true";
  }
  void end() { text_ += '}'; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string_view origin_of(PluginKind kind) {
  return kind == PluginKind::kInWinnow ? "winnow" : kind == PluginKind::kRemoved ? "removed" : "today";
}

bool is_in(Release release, const PluginRow& plugin) {
  return std::ranges::contains(plugins_of(release), plugin.rule, &PluginRow::rule);
}

bool reserves(const PluginRow& plugin) { return plugin.points.has(Point::kReserve); }

/// Whether it checks what a plugin that reserves checks.
bool reserves(const predicates::Record& classic) {
  return std::ranges::any_of(predicates::plugins(), [&classic](const predicates::Record& plugin) {
    return plugin.classic.predicate == classic.name && reserves(*find_plugin_row(plugin.name));
  });
}

std::string predicates_text() {
  Rows rows;
  for (const predicates::Record& record : predicates::classic()) {
    rows.begin(record.name);
    rows.add("alias", record.aliases[0]);
    if (record.argument != nullptr) rows.add("argument", record.argument->name);
    rows.add("turned", !record.follows_by->never());
    rows.add("reserves", reserves(record));
    rows.end();
  }
  return rows.text();
}

std::string priorities_text() {
  Rows rows;
  for (const priorities::Record& record : priorities::classic()) {
    rows.begin(record.name);
    if (record.argument != nullptr) rows.add("argument", record.argument->name);
    rows.end();
  }
  return rows.text();
}

std::string plugins_text() {
  Rows rows;
  for (const PluginRow& plugin : plugin_rows()) {
    if (!runs_here(plugin)) continue;
    const predicates::Record* filter = predicates::find_plugin(plugin.name);
    rows.begin(plugin.name);
    rows.add("origin", origin_of(plugin.kind));
    rows.add("in_1.22", is_in(Release::k1_22, plugin));
    rows.add("in_1.37", is_in(Release::k1_37, plugin));
    rows.add("filters", filter != nullptr);
    rows.add("scores", priorities::find_plugin(plugin.name) != nullptr);
    rows.add("arguments", plugin.args != nullptr);
    rows.add("turned", filter != nullptr && filter->turned_by_eviction != nullptr);
    rows.add("reserves", reserves(plugin));
    rows.end();
  }
  return rows.text();
}

}  // namespace
}  // namespace winnow

int main() {
  std::cout << "{\"predicates\": [\n " << winnow::predicates_text() << "],\n\"priorities\": [\n "
            << winnow::priorities_text() << "],\n\"plugins\": [\n " << winnow::plugins_text() << "]}\n";
}
