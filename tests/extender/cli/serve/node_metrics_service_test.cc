// What /readyz?verbose tells of who measures nodes.
#include "extender/cli/serve/node_metrics_service.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "extender/cli/flags/flags.h"
#include "extender/cli/flags/node_metrics_flags.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/cli/serve/config_source.h"

namespace winnow {
namespace {

using live::NodeMetricsStatus;
using live::PollResult;
using live::ProviderStatus;
using ItemState = ReadyItem::State;

struct ItemLine {
  ItemState state;
  std::string name, why;
};

TEST_CASE("what rules read and nobody measures is warned of, each of its own") {
  const auto warned = [](const std::string& score, std::vector<std::string> sources) {
    CommonFlags common;
    common.config = "rules.yaml";
    ServeFlags flags;
    flags.node_metrics.sources = std::move(sources);
    const ConfigSource source(common, flags);
    const auto rules = source.load(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
        "- schedulerName: default-scheduler\n  plugins: {score: {enabled: [{name: Expression/mine}]}}\n"
        "  pluginConfig: [{name: Expression/mine, args: {score: '" +
        score + "'}}]\n");
    REQUIRE(rules);
    std::string all;
    for (const std::string& one : rules->warnings) all += one + '\n';
    return std::pair(all.contains("nobody measures it"), all.contains("nobody measures them"));
  };
  using Told = std::pair<bool, bool>;
  const std::string usage = "has(node.usage) ? node.usage.cpu : 1.0", metric = "node.metrics.gpu";
  CHECK(warned("1", {}) == Told(false, false));
  CHECK(warned(usage, {}) == Told(true, false));
  CHECK(warned(usage, {"metrics-server"}) == Told(false, false));
  CHECK(warned(usage, {"prometheus=http://p"}) == Told(true, false));
  CHECK(warned(metric, {"metrics-server"}) == Told(false, true));
  CHECK(warned(metric, {"prometheus=http://p"}) == Told(false, false));
}

TEST_CASE("node metrics in /readyz?verbose: who is asked, how many nodes are known, and what ails") {
  const auto ago = live::system_clock().now() - std::chrono::milliseconds(3500);
  struct Row {
    const char* sentence;
    NodeMetricsStatus status;
    std::vector<ItemLine> lines;
  };
  const Row rows[] = {
      {"no rule wants it",
       {.is_asked = false, .providers = {{.name = "metrics-server"}}},
       {{ItemState::kOn, "node-metrics", "nobody is asked, for no rule reads node.usage or node.metrics"}}},
      {"all is well",
       {.is_asked = true,
        .nodes = 12,
        .providers = {{.name = "metrics-server", .nodes = 12, .answered = ago},
                      {.name = "prometheus", .nodes = 11, .answered = ago}},
        .oldest_usage = std::chrono::milliseconds(34'900)},
       {{ItemState::kOn, "node-metrics metrics-server",
         "12 of 12 nodes, answered 3s ago; the oldest usage is 34s old"},
        {ItemState::kOn, "node-metrics prometheus", "11 of 12 nodes, answered 3s ago"}}},
      {"a right is missing",
       {.is_asked = true,
        .nodes = 12,
        .providers = {{.name = "metrics-server", .result = PollResult::kDenied, .error = "403 Forbidden"}}},
       {{ItemState::kDegraded, "node-metrics metrics-server", "0 of 12 nodes; 403 Forbidden"}}},
      {"what is known is too old",
       {.is_asked = true,
        .nodes = 2,
        .providers = {{.name = "metrics-server", .nodes = 1, .too_old = 1, .answered = ago}}},
       {{ItemState::kDegraded, "node-metrics metrics-server", "1 of 2 nodes, answered 3s ago, 1 too old"}}},
      {"its names are no nodes'",
       {.is_asked = true,
        .nodes = 2,
        .providers = {{.name = "prometheus", .unknown = 2, .unknown_name = "a:9100", .answered = ago}}},
       {{ItemState::kDegraded, "node-metrics prometheus",
         "0 of 2 nodes, answered 3s ago, 2 that no node has, as \"a:9100\""}}},
      {"there is no node yet",
       {.is_asked = true, .nodes = 0, .providers = {{.name = "metrics-server"}}},
       {{ItemState::kOn, "node-metrics metrics-server", "0 of 0 nodes"}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::vector<ReadyItem> items = NodeMetricsService::items_of(row.status);
    REQUIRE(items.size() == row.lines.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      CHECK(items[i].name == row.lines[i].name);
      CHECK(items[i].state == row.lines[i].state);
      CHECK(items[i].why == row.lines[i].why);
    }
  }
}

TEST_CASE("node metrics: without the flag, and without a live cluster, there is no service") {
  const auto off = NodeMetricsService::make({}, nullptr);
  REQUIRE(off.has_value());
  CHECK(*off == nullptr);
  const auto files = NodeMetricsService::make({.sources = {"metrics-server"}}, nullptr);
  REQUIRE(files.has_value());
  CHECK(*files == nullptr);
}

}  // namespace
}  // namespace winnow
