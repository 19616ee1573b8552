// The service: routes a call to its verb, and counts, times and logs it.
//
// The table of routes is in extender/service/verbs/routes.h. State that verbs share is in
// extender/service/scheduling. extender/service has the Extender, which joins them, and the Recheck of
// refused pods (recheck.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extender/service/recheck.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/options.h"
#include "extender/service/scheduling/services.h"
#include "extender/service/verbs/call.h"

namespace winnow::http {

class Server;

}  // namespace winnow::http

namespace winnow {

class Metrics;
struct Route;

/// The listener of a request.
enum class Listener : std::uint8_t {
  kMain,
  kHealth,  ///< Serves only routes of Port::kBoth.
};

/// The handler of all requests. Thread-safe. The metrics must outlive it.
class Extender {
 public:
  Extender(ActiveConfig active, Metrics& metrics, ExtenderOptions options, ExtenderServices services = {});

  /// Exchanges the active configuration for later calls; see DecisionLock::replace. May be called while calls
  /// are answered.
  void replace(ActiveConfig active) { context_.decisions.replace(std::move(active)); }
  ActiveConfig active() const { return context_.decisions.active(); }
  /// What the nominator shares with calls: who decides, and which picks came to nothing.
  DecisionLock& decisions() { return context_.decisions; }
  NodePicker& picker() { return context_.earlier.picker; }
  /// The pods that were refused and not asked about since.
  UnschedulableRecords& refusals() { return context_.earlier.holds.refusals(); }

  /// Adds the listener's routes to a server. The server's other requests are for handle(). /metrics shows the
  /// counters of the main listener's server, while that lives.
  void add_routes(http::Server& server, Listener listener);
  /// Answers a request by the listener's table of routes. Counts and times every call, and logs it at --v=2.
  void handle(http::Request& request, http::Response& response, Listener listener = Listener::kMain);

 private:
  /// @param known  the request's route, if that has been found.
  void handle(http::Request& request, http::Response& response, Listener listener, const Route* known);
  /// The path prefix of a listener; "": none. The health listener, which no proxy is before, has none.
  std::string prefix_of(Listener listener) const;
  const Route* find_route(const http::Request& request, Listener listener, Reply& reply) const;
  bool is_reached_by_its_name(const http::Request& request, Listener listener, Reply& reply) const;
  std::optional<SenderRefused> refuse_sender(const Route& route, const http::Request& request) const;
  bool may_call(const Route& route, const http::Request& request, Reply& reply) const;
  void answer(const Route& route, Call& call, Reply& reply);
  void finish(const http::Request& request, const Route* route, const Call& call, const Reply& reply,
              std::size_t bytes_in, double seconds);

  Metrics& metrics_;
  const std::vector<const VerbSeries*> series_;  ///< Indexed by route.
  const VerbSeries* const no_route_;             ///< For requests without a route.
  VerbContext context_;
};

}  // namespace winnow
