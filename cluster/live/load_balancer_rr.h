// kube-proxy's round robin with client affinity.
//
// cluster/live is the cluster as its API servers tell it: load_balancer_rr.h and api_servers.h choose the
// server, client_config.h says who we are (kubeconfig.h, service_account.h) and credentials.h keeps it fresh,
// https_transport.h sends requests over transport.h's interface (server_url.h, resolver.h, connection.h,
// connection_pool.h and http_exchange.h are its parts), reflector.h keeps one resource (lister.h and
// watcher.h ask, watch_stream.h, list_page.h and api_status.h read the answers; doubt.h tells a restored etcd
// from a server that is behind), object_sink.h is where its objects go, and picture_sink.h is the way from
// there into the picture. live_cluster.h has a reflector for each resource, discovery.h finds API servers,
// binder.h binds.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/live/clock.h"

namespace winnow::live {

/// A port of a service: "default/kubernetes:https".
struct ServicePortName {
  std::string ns, name, port;
  auto operator<=>(const ServicePortName&) const = default;
};

/// The endpoints of a service, by the names of its ports. An endpoint is any text: "10.0.0.1:6443", a URL.
struct Endpoints {
  std::string ns, name;
  std::map<std::string, std::vector<std::string>> ports;
};

/// By what a client keeps its endpoint. kUnset in new_service() leaves a service's affinity as it is.
enum class ServiceAffinity : std::uint8_t { kUnset, kNone, kClientIp };

enum class BalancerError : std::uint8_t { kErrMissingServiceEntry, kErrMissingEndpoints };
std::string_view to_string(BalancerError error);  ///< "missing service entry", "missing endpoints"

/// Upstream: pkg/proxy/userspace/roundrobin.go v1.16.15, but for the client: there its address, the IP of
/// which counts (and a malformed one is an error); here any text, compared byte by byte. Thread-safe.
class LoadBalancerRR {
 public:
  static constexpr int kDefaultTtlSeconds = 10800;

  /// @param seed  of the order that endpoints are put in. The clock outlives the balancer.
  explicit LoadBalancerRR(Clock& clock, std::uint64_t seed = 1) : clock_(clock), random_(seed) {}

  /// Makes the service if there is none; of one that is there (endpoints may have made it) only the affinity
  /// is changed: it keeps its endpoints, its clients and its ttl. Never fails. @param ttl_seconds  0: the
  /// default.
  void new_service(const ServicePortName& service, ServiceAffinity affinity, int ttl_seconds);
  void delete_service(const ServicePortName& service);
  bool service_has_endpoints(const ServicePortName& service) const;

  /// The client's endpoint while affinity is on and its last use is less than the ttl ago, which this use
  /// renews; else the next endpoint in turn, which becomes the client's.
  /// @param reset  the client's endpoint failed: the next one in turn (which may be the same) becomes its
  /// own.
  std::expected<std::string, BalancerError> next_endpoint(const ServicePortName& service,
                                                          std::string_view client, bool reset = false);

  /// For each port with endpoints: they replace the port's own, in a shuffled order that begins anew. Clients
  /// keep an endpoint that stays, and lose one that goes.
  void on_endpoints_add(const Endpoints& endpoints);
  /// The same, but the order goes on where a port's endpoints are the same as before; a port that only the
  /// old endpoints have loses its endpoints and its clients, and keeps its affinity.
  void on_endpoints_update(const Endpoints& old_endpoints, const Endpoints& endpoints);
  /// All their ports lose their endpoints and their clients.
  void on_endpoints_delete(const Endpoints& endpoints);

  /// Forgets the clients whose ttl has passed.
  void clean_up_stale_sticky_sessions(const ServicePortName& service);
  /// How many clients the service remembers.
  std::size_t clients(const ServicePortName& service) const;

 private:
  struct Client {
    std::string endpoint;
    Clock::Time last_used;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Service {
    std::vector<std::string> endpoints;
    std::size_t index = 0;  ///< Of the next endpoint in turn.
    ServiceAffinity affinity = ServiceAffinity::kUnset;
    Clock::Duration ttl{};
    std::unordered_map<std::string, Client, Hash, std::equal_to<>> clients;
  };

  Service& service_made(const ServicePortName& service, ServiceAffinity affinity, int ttl_seconds);
  void replace(const ServicePortName& service, const std::vector<std::string>& endpoints);
  void reset(const ServicePortName& service);

  Clock& clock_;
  mutable std::mutex mutex_;
  std::mt19937_64 random_;                       ///< Guarded by mutex_, as
  std::map<ServicePortName, Service> services_;  ///< the services are.
};

}  // namespace winnow::live
