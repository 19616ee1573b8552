#include "extender/cli/flags/node_metrics_flags.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>

#include "cluster/client/access/server_url.h"
#include "cluster/text/go_format.h"
#include "extender/cli/flags/flag_kinds.h"

namespace winnow {
namespace {

constexpr std::string_view kMetricsServer = "metrics-server";
constexpr std::string_view kPrometheus = "prometheus=";
constexpr std::chrono::seconds kShortestPeriod{1};

void add_node_metrics_flags(CLI::App& app, NodeMetricsFlags& flags) {
  add_list(&app, "--node-metrics", flags.sources, "A,B",
           "Who measures nodes: metrics-server,\nprometheus=URL, or both [nobody]");
  app.add_option("--node-metrics-queries", flags.queries_file,
                 "What is asked of Prometheus, by name: YAML or JSON")
      ->type_name("FILE");
  app.add_option("--node-metrics-token-file", flags.token_file,
                 "A bearer token for Prometheus; over https alone [none]")
      ->type_name("FILE");
  app.add_option("--node-metrics-ca-file", flags.ca_file,
                 "Whose certificates Prometheus may show [the system's]")
      ->type_name("FILE");
  add_duration(&app, "--node-metrics-period", flags.period, "How often they are asked");
  add_duration(&app, "--node-metrics-max-age", flags.max_age,
               "What is older is forgotten: no expression sees it");
}

/// The error in one value of --node-metrics; "": none.
std::string wrong_source(const std::string& source) {
  if (source == kMetricsServer) return {};
  if (!source.starts_with(kPrometheus))
    return std::format("--node-metrics: found {}, expected metrics-server or prometheus=URL",
                       go_quote(source));
  const auto url = live::parse_server_url(source.substr(kPrometheus.size()));
  return url ? "" : "--node-metrics: prometheus: " + url.error();
}

std::string wrong_sources(const std::vector<std::string>& sources) {
  for (const std::string& source : sources)
    if (std::string wrong = wrong_source(source); !wrong.empty()) return wrong;
  const auto is_prometheus = [](const std::string& source) { return source.starts_with(kPrometheus); };
  const auto of_prometheus = std::ranges::count_if(sources, is_prometheus);
  if (of_prometheus > 1) return "--node-metrics: expected one prometheus=URL, found several";
  if (std::ssize(sources) - of_prometheus > 1) return "--node-metrics: metrics-server is there twice";
  return {};
}

}  // namespace

bool NodeMetricsFlags::asks_metrics_server() const { return std::ranges::contains(sources, kMetricsServer); }

std::string NodeMetricsFlags::prometheus() const {
  for (const std::string& source : sources)
    if (source.starts_with(kPrometheus)) return source.substr(kPrometheus.size());
  return {};
}

void add_node_metrics(CLI::App& serve, NodeMetricsFlags& flags) {
  add_with_own_help(serve, flags, add_node_metrics_flags,
                    {"--help-node-metrics", "Measure how much of nodes is used, for expressions that read it",
                     "winnow serve --node-metrics=metrics-server"});
}

std::string wrong_node_metrics_flags(const NodeMetricsFlags& flags, bool live) {
  if (!flags.sources.empty() && !live) return "--node-metrics needs a live cluster, and --cluster is not one";
  if (std::string wrong = wrong_sources(flags.sources); !wrong.empty()) return wrong;
  const std::string prometheus = flags.prometheus();
  const std::pair<const char*, bool> need_prometheus[] = {
      {"--node-metrics-queries", !flags.queries_file.empty()},
      {"--node-metrics-token-file", !flags.token_file.empty()},
      {"--node-metrics-ca-file", !flags.ca_file.empty()},
  };
  for (const auto& [flag, given] : need_prometheus)
    if (given && prometheus.empty()) return std::format("{} needs --node-metrics=prometheus=URL", flag);
  if (!prometheus.empty() && flags.queries_file.empty())
    return "--node-metrics=prometheus=URL needs --node-metrics-queries";
  if (!flags.token_file.empty() && !prometheus.starts_with("https:"))
    return "--node-metrics-token-file: no token is sent over http: expected "
           "--node-metrics=prometheus=https://…";
  if (flags.period < kShortestPeriod) return "--node-metrics-period: expected 1s or more";
  if (flags.max_age <= flags.period)
    return "--node-metrics-max-age: expected more than --node-metrics-period, or all that is measured is too "
           "old";
  return {};
}

}  // namespace winnow
