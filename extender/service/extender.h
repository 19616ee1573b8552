// The service: finds who answers a call, and counts, times and logs it.
//
// What is answered on which path is in extender/verbs/routes.h. What the verbs share is in extender/calls.
// extender/service has the Extender, which joins them, and the Recheck of refused pods (recheck.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "extender/calls/options.h"
#include "extender/calls/serving.h"
#include "extender/catch_up/refusals.h"
#include "extender/http/message.h"
#include "extender/metrics/metrics.h"
#include "extender/verbs/routes.h"

namespace winnow {

/// Where a request came in.
enum class Listener : std::uint8_t {
  kMain,
  kHealth,  ///< Only what Port::kBoth says is served.
};

/// Answers requests. Thread-safe; the metrics outlive it.
class Extender {
 public:
  Extender(Serving serving, Metrics& metrics, ExtenderOptions options);

  /// What later requests are answered from; see Decisions::replace. May be called while requests come.
  void replace(Serving serving) { context_.decisions.replace(std::move(serving)); }
  Serving serving() const { return context_.decisions.serving(); }
  /// The pods that were refused and not asked about since.
  Refusals& refusals() { return context_.holds.refusals(); }

  /// The HTTP handler. Counts, times and (at --v=2) logs every call.
  void handle(http::Request& request, http::Response& response, Listener listener = Listener::kMain);

 private:
  const Route* find_route(const http::Request& request, Listener listener, Reply& reply) const;
  void answer(const Route& route, Call& call, Reply& reply);
  void finish(const http::Request& request, const Route* route, const Call& call, const Reply& reply,
              std::size_t bytes_in, double seconds);

  Metrics& metrics_;
  const std::vector<const VerbSeries*> series_;  ///< By the index of the route.
  const VerbSeries* const no_route_;             ///< Of requests that no route was found for.
  VerbContext context_;
};

}  // namespace winnow
