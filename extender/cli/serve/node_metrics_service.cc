#include "extender/cli/serve/node_metrics_service.h"

#include <chrono>
#include <cstddef>
#include <format>
#include <random>
#include <stop_token>
#include <utility>

#include "cluster/client/access/client_config.h"
#include "cluster/client/metrics/prometheus.h"
#include "cluster/client/transport/https_transport.h"
#include "cluster/text/go_format.h"
#include "cluster/text/source.h"
#include "extender/cli/api_access.h"
#include "extender/cli/flags/node_metrics_flags.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/metrics/live_metrics.h"

namespace winnow {
namespace {

using Queries = std::vector<live::PrometheusQuery>;

constexpr std::size_t kMostAnswerBytes = std::size_t{16} << 20;

std::expected<Queries, std::string> read_queries(const std::string& file) {
  auto text = read_source(file, kMaxConfigBytes);
  if (!text) return std::unexpected(file + ": " + text.error());
  auto queries = live::parse_prometheus_queries(std::move(*text));
  if (!queries) return std::unexpected(file + ": " + queries.error());
  return queries;
}

std::expected<std::unique_ptr<live::HttpsTransport>, std::string> transport_to(
    const std::string& url, const NodeMetricsFlags& flags) {
  live::ClientConfig config{.servers = {url},
                            .certificate_authority = {.file = flags.ca_file, .data = {}},
                            .token_file = flags.token_file};
  auto transport = live::HttpsTransport::make(std::move(config), live::system_clock(),
                                              {.connections = 2, .body_bytes = kMostAnswerBytes});
  if (!transport) return std::unexpected("--node-metrics: prometheus: " + transport.error());
  (*transport)->on_credential_failure([](const std::string& failure) {
    log_error("the token or the certificate authority for Prometheus cannot be read again: the old one stays",
              {{"error", failure}});
  });
  return transport;
}

std::string whole_seconds(std::chrono::nanoseconds time) {
  return std::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

ReadyItem item_of(const live::ProviderStatus& provider, const live::NodeMetricsStatus& status) {
  std::string text = std::format("{} of {} nodes", provider.nodes, status.nodes);
  if (provider.answered)
    text += ", answered " + whole_seconds(live::system_clock().now() - *provider.answered) + " ago";
  if (provider.too_old > 0) text += std::format(", {} too old", provider.too_old);
  if (provider.unknown > 0)
    text += std::format(", {} that no node has, as {}", provider.unknown, go_quote(provider.unknown_name));
  if (!provider.error.empty()) text += "; " + provider.error;
  const bool is_well = provider.result == live::PollResult::kGood && provider.too_old == 0 &&
                       (provider.nodes > 0 || status.nodes == 0);
  return {.name = "node-metrics " + provider.name,
          .state = is_well ? ReadyItem::State::kOn : ReadyItem::State::kDegraded,
          .why = std::move(text)};
}

}  // namespace

void NodeMetricsLog::on_result(std::string_view provider, live::PollResult result, std::string_view error) {
  if (result == live::PollResult::kGood)
    log_info("nodes are measured again", {{"source", provider}});
  else if (result == live::PollResult::kPartly)
    log_warn("some of what measures nodes cannot be used", {{"source", provider}, {"error", error}});
  else
    log_warn("nodes are not measured: what is known of them is used until it is too old",
             {{"source", provider}, {"result", to_string(result)}, {"error", error}});
}

NodeMetricsService::NodeMetricsService(std::unique_ptr<live::HttpsTransport> prometheus,
                                       std::vector<std::unique_ptr<live::MetricsProvider>> providers,
                                       const live::NodeMetricsOptions& options)
    : prometheus_(std::move(prometheus)),
      source_(std::move(providers), options, live::system_clock(), std::chrono::system_clock::now, log_),
      thread_([this](const std::stop_token& stop) { source_.run(stop); }) {}

NodeMetricsService::~NodeMetricsService() = default;

std::expected<std::unique_ptr<NodeMetricsService>, std::string> NodeMetricsService::make(
    const NodeMetricsFlags& flags, ApiAccess* access) {
  if (access == nullptr || flags.sources.empty()) return nullptr;
  std::vector<std::unique_ptr<live::MetricsProvider>> providers;
  if (flags.asks_metrics_server()) providers.push_back(access->make_metrics_server());
  std::unique_ptr<live::HttpsTransport> prometheus;
  if (const std::string url = flags.prometheus(); !url.empty()) {
    auto queries = read_queries(flags.queries_file);
    if (!queries) return std::unexpected("--node-metrics-queries: " + queries.error());
    auto transport = transport_to(url, flags);
    if (!transport) return std::unexpected(transport.error());
    prometheus = std::move(*transport);
    providers.push_back(std::make_unique<live::Prometheus>(url, std::move(*queries), *prometheus));
  }
  const live::NodeMetricsOptions options{
      .period = flags.period, .max_age = flags.max_age, .seed = std::random_device{}()};
  std::unique_ptr<NodeMetricsService> service(
      new NodeMetricsService(std::move(prometheus), std::move(providers), options));
  access->feed_by(service->source_);
  return service;
}

std::vector<ReadyItem> NodeMetricsService::items_of(const live::NodeMetricsStatus& status) {
  if (!status.is_asked)
    return {{.name = "node-metrics",
             .state = ReadyItem::State::kOn,
             .why = "nobody is asked, for no rule reads node.usage or node.metrics"}};
  std::vector<ReadyItem> items;
  for (const live::ProviderStatus& provider : status.providers) items.push_back(item_of(provider, status));
  if (status.oldest_usage && !items.empty())
    items.front().why += "; the oldest usage is " + whole_seconds(*status.oldest_usage) + " old";
  return items;
}

void NodeMetricsService::before_scrape(LiveMetrics& metrics) const {
  const live::NodeMetricsStatus status = source_.status();
  NodeMetricsFigures figures{.sources = {}, .oldest_seconds = 0};
  if (status.oldest_usage)
    figures.oldest_seconds = std::chrono::duration<double>(*status.oldest_usage).count();
  if (status.is_asked)
    for (const live::ProviderStatus& provider : status.providers)
      figures.sources.push_back({provider.name, provider.nodes, provider.polls});
  metrics.set_node_metrics(figures);
}

}  // namespace winnow
