// The API servers that there are, and whom a client asks.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/live/clock.h"
#include "cluster/live/load_balancer_rr.h"

namespace winnow::live {

/// The endpoints of the service default/kubernetes:https, over a LoadBalancerRR with affinity: each client (a
/// resource, by its name; a bind, by its pod's key) stays with its server as long as it uses it. Thread-safe.
class ApiServers {
 public:
  /// @param servers  URLs, at least one; see ApiTransport. The clock outlives this. @param seed  of their
  /// order.
  ApiServers(std::vector<std::string> servers, Clock& clock, std::uint64_t seed = 1);

  /// The client's server. Renews its affinity.
  std::string choose(std::string_view client);
  /// The client's server, which is now another than `failed` (the same where there is one only): that one has
  /// failed, or is behind. Where the client has left it already, another thread of its name has: it stays
  /// with what that one chose.
  std::string choose_another(std::string_view client, const std::string& failed);
  /// The client still hears from its server: its affinity is renewed.
  void renew(std::string_view client);

  /// Takes new servers, as the EndpointSlice says: clients stay with those that stay. None is ignored.
  void replace(std::vector<std::string> servers);
  std::vector<std::string> servers() const;

 private:
  std::string next(std::string_view client, bool reset);

  Clock& clock_;
  LoadBalancerRR balancer_;
  mutable std::mutex mutex_;          ///< Held over what takes several steps of the balancer.
  std::vector<std::string> servers_;  ///< Guarded by mutex_, each once.
  Clock::Time cleaned_;               ///< Guarded by mutex_: when stale clients were last forgotten.
};

}  // namespace winnow::live
