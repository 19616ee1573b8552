#include "cluster/client/servers/api_servers.h"

#include <algorithm>
#include <utility>

namespace winnow::live {
namespace {

const ServicePortName kService{"default", "kubernetes", "https"};
// Shorter than the balancer's default of three hours. A watch that is alive renews its affinity about once a
// minute, because it gets bookmarks.
constexpr int kTtlSeconds = 600;
constexpr auto kCleanInterval = std::chrono::minutes(1);

Endpoints endpoints_of(const std::vector<std::string>& servers) {
  return {kService.ns, kService.name, {{kService.port, servers}}};
}

std::vector<std::string> each_once(std::vector<std::string> servers) {
  std::vector<std::string> unique;
  for (std::string& server : servers)
    if (!std::ranges::contains(unique, server)) unique.push_back(std::move(server));
  return unique;
}

}  // namespace

ApiServers::ApiServers(std::vector<std::string> servers, Clock& clock, std::uint64_t seed,
                       OnNoServer on_no_server)
    : clock_(clock),
      on_no_server_(std::move(on_no_server)),
      balancer_(clock, seed),
      servers_(each_once(std::move(servers))),
      cleaned_(clock.now()) {
  balancer_.new_service(kService, ServiceAffinity::kClientIp, kTtlSeconds);
  balancer_.on_endpoints_add(endpoints_of(servers_));
}

std::string ApiServers::next(std::string_view client, bool reset) {
  auto server = balancer_.next_endpoint(kService, client, reset);
  if (server) return std::move(*server);
  if (on_no_server_) on_no_server_(server.error(), client);
  return "";
}

std::string ApiServers::choose(std::string_view client) {
  const MutexLock lock(mutex_);
  if (const Clock::Time now = clock_.now(); now - cleaned_ >= kCleanInterval) {
    cleaned_ = now;
    balancer_.clean_up_stale_sticky_sessions(kService);
  }
  return next(client, false);
}

std::string ApiServers::choose_another(std::string_view client, const std::string& failed) {
  const MutexLock lock(mutex_);
  if (std::string current = next(client, false); current != failed) return current;
  std::string server = next(client, true);
  // The turn may have come round to the very server that failed.
  if (server == failed && servers_.size() > 1) server = next(client, true);
  return server;
}

void ApiServers::renew(std::string_view client) {
  const MutexLock lock(mutex_);
  next(client, false);
}

void ApiServers::replace(std::vector<std::string> servers) {
  if (servers.empty()) return;
  const MutexLock lock(mutex_);
  const Endpoints old = endpoints_of(servers_);
  servers_ = each_once(std::move(servers));
  balancer_.on_endpoints_update(old, endpoints_of(servers_));
}

std::vector<std::string> ApiServers::servers() const {
  const MutexLock lock(mutex_);
  return servers_;
}

}  // namespace winnow::live
