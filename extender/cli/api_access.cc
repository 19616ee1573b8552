#include "extender/cli/api_access.h"

#include <chrono>
#include <random>
#include <utility>

#include "cluster/client/access/client_flags.h"
#include "cluster/client/metrics/metrics_server.h"
#include "cluster/client/servers/pod_events.h"
#include "cluster/client/transport/https_transport.h"
#include "cluster/client/watch/leader_election.h"
#include "cluster/client/watch/reflector.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/metrics/live_metrics.h"

namespace winnow {

std::expected<std::unique_ptr<ApiAccess>, std::string> ApiAccess::make(const CommonFlags& flags,
                                                                       LiveMetrics& metrics) {
  auto config = live::find_client_config(flags.client);
  if (!config) return std::unexpected(std::move(config).error());
  for (const std::string& warning : config->warnings) log_warn("kubeconfig", {{"warning", warning}});
  const std::vector<std::string> servers = config->servers;
  const bool insecure = config->insecure_skip_tls_verify;
  auto transport = live::HttpsTransport::make(std::move(*config), live::system_clock());
  if (!transport) return std::unexpected(std::move(transport).error());
  std::unique_ptr<ApiAccess> source(new ApiAccess(servers, std::move(*transport), metrics));
  source->show_transport(insecure);
  for (const std::string& server : servers) log_info("API server", {{"url", server}});
  if (flags.discover_api_servers) source->discover();
  return source;
}

ApiAccess::ApiAccess(const std::vector<std::string>& servers, std::unique_ptr<live::HttpsTransport> transport,
                     LiveMetrics& metrics)
    : metrics_(metrics),
      // A random start, so that replicas do not all begin with the same server.
      servers_(
          servers, live::system_clock(), std::random_device{}(),
          [this](live::BalancerError why, std::string_view client) { observer_.on_no_server(why, client); }),
      transport_(std::move(transport)),
      observer_(metrics),
      binder_(servers_, *transport_, live::system_clock()),
      reviewer_(servers_, *transport_, live::system_clock()),
      pod_patcher_(servers_, *transport_, live::system_clock()),
      pod_look_up_(servers_, *transport_, live::system_clock()),
      discovery_(servers_, [this](const std::string& what) { observer_.on_skipped_server(what); }) {}

ApiAccess::~ApiAccess() { metrics_.follow_transport(nullptr); }

void ApiAccess::show_transport(bool insecure_skip_tls_verify) {
  transport_->on_credential_failure([](const std::string& failure) {
    log_error("credentials cannot be read again: the old ones stay in use", {{"error", failure}});
  });
  metrics_.follow_transport([transport = transport_.get(), insecure_skip_tls_verify] {
    const live::HttpsTransport::Counts counts = transport->counts();
    const live::Credentials::Counts credentials = transport->credential_counts();
    return TransportFigures{.connections = counts.connections,
                            .connect_failures = counts.failures,
                            .resent_requests = counts.resent,
                            .token_reloads = credentials.token_changes,
                            .authority_reloads = credentials.authority_changes,
                            .client_certificate_reloads = credentials.client_certificate_changes,
                            .token_failures = credentials.token_failures,
                            .certificate_failures = credentials.failures - credentials.token_failures,
                            .unauthorized = counts.unauthorized,
                            .forbidden = counts.forbidden,
                            .insecure_skip_tls_verify = insecure_skip_tls_verify};
  });
}

live::LiveCluster::Shared ApiAccess::shared() {
  return {servers_,
          *transport_,
          live::system_clock(),
          observer_,
          [this](ResourceKind kind, std::string_view message) { observer_.on_undecodable(kind, message); },
          pod_handlers_.empty() ? nullptr : &pod_handlers_,
          node_metrics_};
}

std::unique_ptr<live::MetricsProvider> ApiAccess::make_metrics_server() {
  return std::make_unique<live::MetricsServer>(servers_, *transport_);
}

std::unique_ptr<live::LeaderElection> ApiAccess::make_election(live::LeaderElectionOptions options,
                                                               live::LeaderElectionObserver& observer) {
  return std::make_unique<live::LeaderElection>(servers_, *transport_, live::system_clock(),
                                                std::move(options), observer);
}

void ApiAccess::discover() {
  slice_ = std::make_unique<live::Reflector>(live::api_server_slice(), discovery_, servers_, *transport_,
                                             live::system_clock(), observer_, std::random_device{}());
  discovering_ = std::jthread([this](const std::stop_token& stop) { slice_->run(stop); });
}

std::unique_ptr<live::PodEvents> ApiAccess::make_events(std::string controller) {
  const auto tell = [told = std::make_shared<LogRate>()](const std::string& why) {
    if (const auto left_out = told->next(std::chrono::steady_clock::now()))
      log_warn("an event was not written", {{"error", why}, {"lines_left_out", *left_out}});
  };
  return std::make_unique<live::PodEvents>(
      servers_, *transport_, live::system_clock(),
      live::PodEvents::Options{
          .controller = std::move(controller), .instance = live::election_identity(), .on_failure = tell});
}

}  // namespace winnow
