// kube-proxy's round robin with client affinity, and the API servers that have asked for patience.
//
// The idea: a service has a ring of endpoints. A client that is new gets the next endpoint of the ring, and
// keeps it for as long as it comes back within the ttl. When the endpoint fails, the client asks for a reset
// and gets the next one. Other clients keep theirs. So clients spread over the endpoints, and each stays
// where it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

struct ApiResponse;

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

/// Whether clients keep their endpoint. kUnset in new_service() leaves a service's affinity as it is.
enum class ServiceAffinity : std::uint8_t { kUnset, kNone, kClientIp };

enum class BalancerError : std::uint8_t { kErrMissingServiceEntry, kErrMissingEndpoints };
inline constexpr std::size_t kBalancerErrors = 2;
std::string_view to_string(BalancerError balancer_error);  ///< As a metric's label has it.

/// A port of upstream's balancer, with one difference: a client is any text, compared byte by byte. Upstream
/// takes the client's address and compares its IP. Thread-safe.
/// Upstream: pkg/proxy/userspace/roundrobin.go v1.16.15.
class LoadBalancerRR {
 public:
  static constexpr int kDefaultTtlSeconds = 10800;

  /// @param clock  outlives the balancer. @param seed  of the shuffled order of endpoints.
  explicit LoadBalancerRR(Clock& clock, std::uint64_t seed = 1) : clock_(clock), random_(seed) {}

  /// Makes a service. If it exists already, because endpoints have made it, only its affinity changes: it
  /// keeps its endpoints, its clients and its ttl. Never fails.
  /// @param ttl_seconds  0: kDefaultTtlSeconds.
  void new_service(const ServicePortName& service, ServiceAffinity affinity, int ttl_seconds);

  /// The client's endpoint, if affinity is on and its last use is less than the ttl ago; this call counts as
  /// a use. Otherwise the next endpoint in turn, which becomes the client's.
  /// @param reset  the client's endpoint has failed: it gets the next in turn, which may be the same one.
  std::expected<std::string, BalancerError> next_endpoint(const ServicePortName& service,
                                                          std::string_view client, bool reset = false);

  /// Replaces the endpoints of each port that has some, shuffles them, and begins the turn anew. Clients keep
  /// an endpoint that stays, and lose one that goes.
  void on_endpoints_add(const Endpoints& endpoints);
  /// Does the same, but a port with unchanged endpoints keeps its order and turn. A port that only
  /// `old_endpoints` has loses its endpoints and its clients, and keeps its affinity.
  void on_endpoints_update(const Endpoints& old_endpoints, const Endpoints& endpoints);

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

  Service& service_made(const ServicePortName& service, ServiceAffinity affinity, int ttl_seconds)
      WINNOW_REQUIRES(mutex_);
  void replace(const ServicePortName& service, const std::vector<std::string>& endpoints)
      WINNOW_REQUIRES(mutex_);
  void reset(const ServicePortName& service) WINNOW_REQUIRES(mutex_);

  Clock& clock_;
  mutable Mutex mutex_;
  std::mt19937_64 random_ WINNOW_GUARDED_BY(mutex_);
  std::map<ServicePortName, Service> services_ WINNOW_GUARDED_BY(mutex_);
};

// The API servers that have asked for patience, and until when.

/// Requests that share this leave a server alone for as long as it has asked one of them to. Thread-safe.
class RestingServers {
 public:
  static constexpr std::chrono::seconds kShortest{1};  ///< As RetryAfter's.
  static constexpr std::chrono::seconds kLongest{60};

  /// @param clock  outlives this.
  explicit RestingServers(Clock& clock) : clock_(clock) {}

  /// Takes note of an answer: a 429, or a 5xx, with a Retry-After.
  void heard(const std::string& server, const ApiResponse& answer);
  /// The time until which a server is left alone; in the past: it may be asked.
  Clock::Time until(const std::string& server) const;

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, Clock::Time> until_ WINNOW_GUARDED_BY(mutex_);  ///< Without those that are over.
};

}  // namespace winnow::live
