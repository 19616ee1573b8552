#include "cluster/client/servers/load_balancer_rr.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>

#include "cluster/client/transport/transport.h"

namespace winnow::live {

std::string_view to_string(BalancerError balancer_error) {
  static constexpr std::array<std::string_view, kBalancerErrors> kNames = {"missing_service",
                                                                           "missing_endpoints"};
  return kNames[static_cast<std::size_t>(balancer_error)];
}

LoadBalancerRR::Service& LoadBalancerRR::service_made(const ServicePortName& service,
                                                      ServiceAffinity affinity, int ttl_seconds) {
  const auto [found, made] = services_.try_emplace(service);
  Service& state = found->second;
  if (made) state.ttl = std::chrono::seconds(ttl_seconds == 0 ? kDefaultTtlSeconds : ttl_seconds);
  if (affinity != ServiceAffinity::kUnset) state.affinity = affinity;
  return state;
}

void LoadBalancerRR::new_service(const ServicePortName& service, ServiceAffinity affinity, int ttl_seconds) {
  const MutexLock lock(mutex_);
  service_made(service, affinity, ttl_seconds);
}

std::expected<std::string, BalancerError> LoadBalancerRR::next_endpoint(const ServicePortName& service,
                                                                        std::string_view client, bool reset) {
  const MutexLock lock(mutex_);
  const auto found = services_.find(service);
  if (found == services_.end()) return std::unexpected(BalancerError::kErrMissingServiceEntry);
  Service& state = found->second;
  if (state.endpoints.empty()) return std::unexpected(BalancerError::kErrMissingEndpoints);

  const bool sticky = state.affinity == ServiceAffinity::kClientIp;
  const auto known = sticky ? state.clients.find(client) : state.clients.end();
  const Clock::Time now = clock_.now();
  if (known != state.clients.end() && !reset && now - known->second.last_used < state.ttl) {
    known->second.last_used = now;
    return known->second.endpoint;
  }
  const std::string& endpoint = state.endpoints[state.index];
  state.index = (state.index + 1) % state.endpoints.size();
  if (known != state.clients.end()) {
    known->second = {endpoint, now};
  } else if (sticky) {
    state.clients.emplace(client, Client{endpoint, now});
  }
  return endpoint;
}

/// Replaces the endpoints of a service, which is made if there is none.
void LoadBalancerRR::replace(const ServicePortName& service, const std::vector<std::string>& endpoints) {
  Service& state = service_made(service, ServiceAffinity::kUnset, 0);
  const std::set<std::string_view> staying(endpoints.begin(), endpoints.end());
  std::erase_if(state.clients, [&](const auto& client) { return !staying.contains(client.second.endpoint); });
  state.endpoints = endpoints;
  std::ranges::shuffle(state.endpoints, random_);
  state.index = 0;
}

void LoadBalancerRR::reset(const ServicePortName& service) {
  const auto found = services_.find(service);
  if (found == services_.end()) return;
  found->second.endpoints.clear();
  found->second.index = 0;
  found->second.clients.clear();
}

void LoadBalancerRR::on_endpoints_add(const Endpoints& endpoints) {
  const MutexLock lock(mutex_);
  for (const auto& [port, list] : endpoints.ports) {
    const ServicePortName service{endpoints.ns, endpoints.name, port};
    if (!list.empty() || !services_.contains(service)) replace(service, list);
  }
}

void LoadBalancerRR::on_endpoints_update(const Endpoints& old_endpoints, const Endpoints& endpoints) {
  const MutexLock lock(mutex_);
  for (const auto& [port, list] : endpoints.ports) {
    const ServicePortName service{endpoints.ns, endpoints.name, port};
    const auto found = services_.find(service);
    if (found == services_.end() || !std::ranges::is_permutation(found->second.endpoints, list))
      replace(service, list);
  }
  for (const std::string& port : old_endpoints.ports | std::views::keys)
    if (!endpoints.ports.contains(port)) reset({old_endpoints.ns, old_endpoints.name, port});
}

void LoadBalancerRR::clean_up_stale_sticky_sessions(const ServicePortName& service) {
  const MutexLock lock(mutex_);
  const auto found = services_.find(service);
  if (found == services_.end()) return;
  Service& state = found->second;
  const Clock::Time now = clock_.now();
  std::erase_if(state.clients,
                [&](const auto& client) { return now - client.second.last_used >= state.ttl; });
}

std::size_t LoadBalancerRR::clients(const ServicePortName& service) const {
  const MutexLock lock(mutex_);
  const auto found = services_.find(service);
  return found == services_.end() ? 0 : found->second.clients.size();
}

void RestingServers::heard(const std::string& server, const ApiResponse& answer) {
  if (!answer.retry_after || (answer.status != 429 && answer.status / 100 != 5)) return;
  const Clock::Time now = clock_.now();
  const MutexLock lock(mutex_);
  std::erase_if(until_, [&](const auto& rest) { return rest.second <= now; });
  Clock::Time& until = until_[server];
  until = std::max(until, now + std::clamp(*answer.retry_after, kShortest, kLongest));
}

Clock::Time RestingServers::until(const std::string& server) const {
  const MutexLock lock(mutex_);
  const auto rest = until_.find(server);
  return rest == until_.end() ? Clock::Time::min() : rest->second;
}

}  // namespace winnow::live
