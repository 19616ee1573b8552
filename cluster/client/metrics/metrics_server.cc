#include "cluster/client/metrics/metrics_server.h"

#include <cstddef>
#include <format>
#include <string>

#include "cluster/api/decode.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/json_scan.h"

namespace winnow::live {
namespace {

constexpr std::string_view kMetricsClient = "node-metrics";  ///< Of the balancer.

/// Whether a node can have used so much. What is written into the cache must fit its notation.
bool is_sound(const NodeUsage& usage) {
  constexpr double kMostCores = 1e6, kMostBytes = 1e17;
  return usage.cpu >= 0 && usage.cpu <= kMostCores && usage.memory >= 0 && usage.memory <= kMostBytes;
}

/// Takes one item in. @return what is wrong with it; "": nothing.
std::string take_item(std::string_view json, Polled& polled) {
  auto measured = decode<NodeMetrics>(json);
  if (!measured) return measured.error().message;
  if (measured->metadata.name.empty()) return "an item has no name";
  if (!measured->usage || measured->usage->taken == 0)
    return measured->metadata.name + " has no usage with a timestamp";
  if (!is_sound(*measured->usage)) return measured->metadata.name + " has a usage that no node can have";
  polled.usage.insert_or_assign(std::move(measured->metadata.name), *measured->usage);
  return {};
}

}  // namespace

Polled read_node_metrics_list(std::string_view json) {
  JsonScan scan(json);
  Polled polled;
  std::string kind, wrong;
  std::size_t items = 0, unread = 0;
  read_members(scan, [&](std::string_view key) {
    if (key == "kind") {
      kind = string_text(scan);
    } else if (key == "items") {
      read_elements(scan, [&] {
        const std::string_view item = scan.value();
        if (++items > kMostMeasured) return;
        const std::string error = take_item(item, polled);
        if (error.empty()) return;
        ++unread;
        if (wrong.empty()) wrong = error;
      });
    } else {
      scan.value();
    }
  });
  if (!scan.expect_end() || kind != "NodeMetricsList") {
    polled = {};
    polled.result = PollResult::kFailed;
    polled.error = "the answer is no NodeMetricsList";
  } else if (items > kMostMeasured) {
    polled.result = PollResult::kPartly;
    polled.error = std::format("the answer has {} items, and {} are taken", items, kMostMeasured);
  } else if (unread > 0) {
    polled.result = PollResult::kPartly;
    polled.error = std::format("{} of {} items cannot be read: {}", unread, items, wrong);
  }
  return polled;
}

Polled MetricsServer::poll(const std::stop_token& stop) {
  const ApiRequest request{.path = "/apis/metrics.k8s.io/v1beta1/nodes", .answer = AnswerOf::kList};
  Polled polled;
  const std::size_t servers = servers_.servers().size();
  for (std::size_t asked = 0; asked < servers && !stop.stop_requested(); ++asked) {
    const std::string server = servers_.choose(kMetricsClient);
    if (server.empty()) return failed_poll({WatchError::kUnreachable, "there is no API server to ask"});
    const auto answer = transport_.call(server, request, kLimit, stop);
    if (answer && answer->status == 200) {
      servers_.renew(kMetricsClient);
      return read_node_metrics_list(answer->body);
    }
    polled = failed_poll(answer ? failure_of(*answer) : failure_of(answer.error()));
    if (answer) polled.retry_after = answer->retry_after;
    servers_.choose_another(kMetricsClient, server);
  }
  return polled;
}

}  // namespace winnow::live
