// kube-scheduler's files in manifests/ switch off what the rules' records leave to Winnow, and nothing else.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/rule/default_profile.h"
#include "cluster/text/json_document.h"
#include "extender/config/plugin_table.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"

namespace winnow {
namespace {

using Json = rapidjson::Value;
using Names = std::set<std::string>;

// What kube-scheduler keeps of its filters.

bool reserves(const predicates::Record& plugin) {
  return find_plugin_row(plugin.name)->points.has(Point::kReserve);
}
bool keeps_all(const predicates::Record&) { return true; }
bool keeps_what_best_leaves(const predicates::Record& plugin) { return !plugin.left_to_winnow(); }
bool keeps_what_reserves(const predicates::Record& plugin) { return reserves(plugin); }
bool keeps_what_evictions_turn(const predicates::Record& plugin) {
  return plugin.turned_by_eviction != nullptr || reserves(plugin);
}

/// The way of a file, and where the record says it.
struct Way {
  const char* file;
  bool (*keeps)(const predicates::Record& plugin);
  const char* said_by;
  /// What reserves is off too, at all points at once: with one point off nothing would be reserved.
  bool reserves_nothing = false;
};

constexpr Way kWays[] = {
    {"kube-scheduler-best.yaml", keeps_what_best_leaves, "Record::best"},
    {"kube-scheduler-best-1.38.yaml", keeps_what_reserves, "the point kReserve"},
    {"kube-scheduler-best-no-filters.yaml", keeps_what_reserves, "the point kReserve", true},
    {"kube-scheduler-everything.yaml", keeps_what_evictions_turn,
     "Record::turned_by_eviction and the point kReserve"},
    {"kube-scheduler-scores.yaml", keeps_all, "its way: Winnow only scores"},
    {"kube-scheduler-scores-tls.yaml", keeps_all, "its way: Winnow only scores"},
    {"scheduler-config.yaml", keeps_all, "its way: both filter"},
    {"second-scheduler.yaml", keeps_what_best_leaves, "Record::best"},
};

/// The points at which a file may switch plugins off.
constexpr std::string_view kPointsOff[] = {"preFilter", "filter", "preScore", "score"};

/// Filters that a file switches off, and whose PreFilter it leaves on.
struct OnAtPreFilter {
  std::string_view plugin;
  const char* why;
};
constexpr OnAtPreFilter kOnAtPreFilter[] = {
    {"NodeAffinity", "it names the one node of a DaemonSet's pod, and Winnow is then asked about that one"},
    {"NodeName", "it does nothing at the default gates of 1.37, and older releases have none"},
    {"NodeUnschedulable", "as NodeName"},
    {"TaintToleration", "as NodeName"},
};

bool stays_on(const predicates::Record& plugin, Point point) {
  return point == Point::kPreFilter &&
         std::ranges::contains(kOnAtPreFilter, plugin.name, &OnAtPreFilter::plugin);
}

/// The filters of the default profile of 1.37 that the file switches off at the point.
Names wanted(const Way& way, Point point) {
  Names names;
  for (const predicates::Record& plugin : predicates::plugins()) {
    if (plugin.is_own() || !is_default(plugin.name) || way.keeps(plugin)) continue;
    if (!stays_on(plugin, point) && find_plugin_row(plugin.name)->points.has(point))
      names.emplace(plugin.name);
  }
  return names;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The names below profiles[].plugins.POINT.disabled, of all profiles.
Names disabled(const Json& config, const char* point) {
  Names names;
  for (const Json& profile : config["profiles"].GetArray()) {
    if (!profile.HasMember("plugins") || !profile["plugins"].HasMember(point)) continue;
    for (const Json& plugin : profile["plugins"][point]["disabled"].GetArray())
      names.emplace(plugin["name"].GetString());
  }
  return names;
}

/// Takes each KubeSchedulerConfiguration of the text that calls extenders. A ConfigMap may hold one.
template <class Take>
void for_each_scheduler(const std::string& text, Take take) {
  DocumentReader reader(text);
  rapidjson::Document document;
  while (true) {
    const auto more = reader.next(document);
    REQUIRE_MESSAGE(more.has_value(), text);
    if (!*more) return;
    if (!document.IsObject() || !document.HasMember("kind")) continue;
    const std::string_view kind = document["kind"].GetString();
    if (kind == "KubeSchedulerConfiguration" && document.HasMember("extenders")) take(document);
    if (kind == "ConfigMap" && document.HasMember("data"))
      for (const auto& file : document["data"].GetObject()) {
        const std::string_view inner = file.value.GetString();
        if (inner.contains("kind: KubeSchedulerConfiguration")) for_each_scheduler(std::string(inner), take);
      }
  }
}

/// The names between commas.
Names names_in(std::string_view list) {
  Names names;
  for (const auto name : std::views::split(list, ',')) names.emplace(std::string_view(name));
  return names;
}

const Way* way_of(const std::string& file) {
  const auto* const way = std::ranges::find(kWays, file, &Way::file);
  return way == std::end(kWays) ? nullptr : way;
}

void check_file(const Way& way, const Json& config) {
  for (const Json& profile : config["profiles"].GetArray()) {
    if (!profile.HasMember("plugins")) continue;
    for (const auto& point : profile["plugins"].GetObject())
      CHECK_MESSAGE((std::ranges::contains(kPointsOff, std::string_view(point.name.GetString())) ||
                     (way.reserves_nothing && std::string_view(point.name.GetString()) == "multiPoint")),
                    "manifests/" << way.file << " changes plugins." << point.name.GetString()
                                 << ", which this test does not read");
  }
  Names reserving;
  for (const PluginRow& row : plugin_rows())
    if (way.reserves_nothing && is_default(row.name) && row.points.has(Point::kFilter) &&
        row.points.has(Point::kReserve))
      reserving.emplace(row.name);
  CHECK(disabled(config, "multiPoint") == reserving);
  const std::pair<Point, const char*> points[] = {{Point::kPreFilter, "preFilter"},
                                                  {Point::kFilter, "filter"}};
  for (const auto& [point, field] : points) {
    const Names there = disabled(config, field), right = wanted(way, point);
    const std::string list = std::string("manifests/") + way.file + ": plugins." + field + ".disabled ";
    for (const std::string& name : right) {
      const std::string message =
          list + "lacks the line - {name: " + name + "}. Its record leaves it to Winnow, by " + way.said_by;
      CHECK_MESSAGE(there.contains(name), message);
    }
    for (const std::string& name : there) {
      const std::string message =
          list + "has the line - {name: " + name + "}, but no record leaves it to Winnow, by " + way.said_by;
      CHECK_MESSAGE(right.contains(name), message);
    }
  }
}

}  // namespace

TEST_SUITE("manifests: kube-scheduler's plugins") {
  TEST_CASE("each file switches off the filters that its way leaves to Winnow, and no other") {
    Names found;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(WINNOW_ROOT) + "/manifests")) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string file = entry.path().filename();
      for_each_scheduler(text_of(entry.path()), [&](const Json& config) {
        const Way* const way = way_of(file);
        found.insert(file);
        CHECK_MESSAGE(way != nullptr,
                      "manifests/" << file << " calls extenders, and kWays has no row for it");
        if (way != nullptr) check_file(*way, config);
      });
    }
    for (const Way& way : kWays)
      CHECK_MESSAGE(found.contains(way.file),
                    "manifests/" << way.file << " is in kWays, and calls no extender");
  }

  TEST_CASE("where Winnow decides alone, no in-tree score counts") {
    for (const Way& way : kWays) {
      CAPTURE(way.file);
      for_each_scheduler(text_of(std::string(WINNOW_ROOT) + "/manifests/" + way.file),
                         [&](const Json& config) {
                           const Names all = way.keeps == keeps_all ? Names() : Names{"*"};
                           CHECK(disabled(config, "preScore") == all);
                           CHECK(disabled(config, "score") == all);
                         });
    }
  }

  TEST_CASE(
      "each --scheduler-filters names the filters that every way but 1.38's keeps, and that evictions turn") {
    Names kept;
    for (const predicates::Record& plugin : predicates::plugins())
      if (preempts_in_best(plugin)) kept.emplace(plugin.name);
    constexpr std::string_view kFlag = "--scheduler-filters=";
    int flags = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(WINNOW_ROOT) + "/manifests")) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string text = text_of(entry.path());
      for (std::size_t at = 0; (at = text.find(kFlag, at)) != text.npos; ++flags) {
        at += kFlag.size();
        const std::string value = text.substr(at, text.find_first_of("\" \n", at) - at);
        CAPTURE(entry.path().filename().string());
        CHECK(names_in(value) == kept);
      }
    }
    CHECK(flags > 0);
  }

  TEST_CASE("a PreFilter that stays on is one of a filter that some file switches off") {
    for (const OnAtPreFilter& row : kOnAtPreFilter) {
      CAPTURE(row.plugin);
      CHECK(find_plugin_row(row.plugin)->points.has(Point::kPreFilter));
      CHECK(wanted(kWays[0], Point::kFilter).contains(std::string(row.plugin)));
    }
  }

  TEST_CASE("no record leaves to Winnow what must reserve") {
    for (const predicates::Record& plugin : predicates::plugins()) {
      CAPTURE(plugin.name);
      if (!plugin.is_own() && reserves(plugin)) CHECK_FALSE(plugin.left_to_winnow());
    }
  }
}

}  // namespace winnow
