// The known API servers, and the choice of one for each client.
//
// cluster/client/servers is what a client needs, beside a transport, where there are several API servers.
// This header and load_balancer_rr.h choose the server. api_status.h says what went wrong.
// backoff.h says how long to wait. binder.h binds pods.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/load_balancer_rr.h"
#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

/// The endpoints of the service default/kubernetes:https, over a LoadBalancerRR with affinity. A client is
/// any name. Each watched resource is a client of its own. Binds share 16, to which pods are hashed, and so
/// do patches: see PodWrite. A client stays with its server as long as it uses it. Thread-safe.
class ApiServers {
 public:
  /// Is told that there is no server for a client. Calls nothing of this.
  using OnNoServer = std::function<void(BalancerError why, std::string_view client)>;

  /// @param servers  URLs, at least one; see ApiTransport. @param clock  outlives this.
  /// @param seed  of the order in which servers are tried. @param on_no_server  null: nobody is told.
  ApiServers(std::vector<std::string> servers, Clock& clock, std::uint64_t seed = 1,
             OnNoServer on_no_server = {});

  /// The client's server; "" if there is none. Renews its affinity.
  std::string choose(std::string_view client);
  /// Moves the client to another server than `failed`, which has failed or is behind. With one server it
  /// stays there. If another thread with the same client name has left `failed` already, its choice is kept.
  std::string choose_another(std::string_view client, const std::string& failed);
  /// Renews the client's affinity. Called while its server still answers.
  void renew(std::string_view client);

  /// Takes new servers, as the EndpointSlice lists them. Clients of a server that stays keep it. An empty
  /// list is ignored.
  void replace(std::vector<std::string> servers);
  std::vector<std::string> servers() const;

 private:
  std::string next(std::string_view client, bool reset);

  Clock& clock_;
  const OnNoServer on_no_server_;
  LoadBalancerRR balancer_;
  mutable Mutex mutex_;  ///< Held across calls of the balancer that belong together.
  std::vector<std::string> servers_ WINNOW_GUARDED_BY(mutex_);  ///< Each once.
  Clock::Time cleaned_ WINNOW_GUARDED_BY(mutex_);               ///< : when stale clients were last forgotten.
};

}  // namespace winnow::live
