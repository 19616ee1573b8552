#include "extender/service/extender.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <memory>
#include <string>

#include "cluster/memory_budget.h"
#include "extender/engine/workers.h"
#include "extender/explain/decision_log.h"
#include "extender/service/authorization/pod_sight.h"
#include "extender/service/http/server.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/recheck.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

std::vector<const VerbSeries*> series_of_routes(Metrics& metrics) {
  std::vector<const VerbSeries*> series;
  for (const Route& route : routes())
    series.push_back(metrics.verb(route.label, route.load == Load::kComputes));
  return series;
}

bool serves(Listener listener, const Route& route) {
  return listener == Listener::kMain || route.port == Port::kBoth;
}

/// Readers and scrapes have slots of their own: kube-scheduler's calls never wait for theirs.
http::Cost cost_of(const Route& route, const ExtenderServices& services) {
  if (route.load == Load::kLong && services.profiler != nullptr) return http::Cost::kLong;
  if (is_kube_schedulers(route)) return http::Cost::kSlot;
  if (route.from == From::kAnyHost) return http::Cost::kLight;
  return route.port == Port::kBoth ? http::Cost::kScrape : http::Cost::kRead;
}

/// Probes are answered without the prefix, too, so that it changes no probe of a manifest.
std::vector<std::string> probes() {
  std::vector<std::string> paths;
  for (const Route& route : routes())
    if (route.from == From::kAnyHost) paths.emplace_back(route.path);
  return paths;
}

/// A request that kube-scheduler would not have sent.
bool is_stray(Result result) {
  return result == Result::kBadRequest || result == Result::kNotFound || result == Result::kMethodNotAllowed;
}

}  // namespace

Extender::Extender(ActiveConfig active, Metrics& metrics, ExtenderOptions options, ExtenderServices services)
    : metrics_(metrics),
      series_(series_of_routes(metrics)),
      no_route_(metrics.verb("other", /*computes=*/false)),
      context_(std::move(active), metrics, std::move(options), std::move(services)) {}

void Extender::add_routes(http::Server& server, Listener listener) {
  if (listener == Listener::kMain) context_.server = &server;
  if (const std::string prefix = prefix_of(listener); !prefix.empty())
    server.set_prefix({.prefix = prefix, .anywhere = probes()});
  for (const Route& route : routes()) {
    if (!serves(listener, route)) continue;
    server.route(
        route.method, route.path,
        [this, listener, &route](http::Request& request, http::Response& response) {
          handle(request, response, listener, &route);
        },
        cost_of(route, context_.services),
        route.by_token == ByToken::kShut ? http::Share::kAll : http::Share::kHalf);
  }
}

void Extender::handle(http::Request& request, http::Response& response, Listener listener) {
  handle(request, response, listener, /*known=*/nullptr);
}

void Extender::handle(http::Request& request, http::Response& response, Listener listener,
                      const Route* known) {
  const LogRequestId in_log(request.id);
  const auto now = std::chrono::steady_clock::now();
  const bool timed = request.arrived != Call::Time();
  const std::size_t bytes_in = request.body.size();
  Call call{.body = {},
            .query = request.query,
            .request_id = request.id,
            .arrived = timed ? request.arrived : now,
            .active = active(),
            .timeout = context_.options.request_timeout,
            .client_gone = request.client_gone,
            .memory = &context_.memory};
  std::unique_ptr<CallMemory> recording;  // Null: the call is not recorded.
  Reply reply{.response = response};
  const Route* route = nullptr;
  try {
    if (now > call.deadline())
      reply.refuse(503, Result::kShed, "overloaded: the request waited too long to be of use to its sender");
    else if (is_reached_by_its_name(request, listener, reply))
      route = known ? known : find_route(request, listener, reply);
    if (route && reply.result == Result::kOk && may_call(*route, request, reply)) {
      if (route->body != Body::kEmpty) call.body = std::move(request.body);
      if (CallTracer* const tracer = context_.services.tracer; tracer != nullptr)
        recording = tracer->begin(context_.memory, route->path, request.query, call.body, call.began);
      if (recording) call.memory = recording.get();
      if (context_.services.sight != nullptr && route->by_token == ByToken::kOpen)
        call.sees_pods = context_.services.sight->of(request, call.deadline());
      answer(*route, call, reply);
      if (const auto wrong = reply.drop_too_large(context_.options.answer_bytes))
        reply.refuse(503, Result::kShed, *wrong);
    }
  } catch (const OutOfTime&) {
    response = http::Response();
    reply.refuse_late();
  } catch (const CacheLost& lost) {
    response = http::Response();
    reply.refuse(503, Result::kInternal, std::string("winnow: ") + lost.what());
  } catch (const MemoryExceeded& exceeded) {
    std::string().swap(response.body);  // Assigning nothing would keep its memory.
    response = http::Response();
    reply.refuse(503, Result::kShed, "too little memory: " + exceeded.text());
    call.memory->set_out_of_time(true);
  } catch (const std::exception& error) {  // Out of memory. No other exception is expected here.
    log_error("request failed", {{"path", request.path}, {"error", error.what()}});
    response = http::Response();
    reply.refuse(500, Result::kInternal, "internal error");
    call.memory->set_out_of_time(true);
  }
  finish(request, route, call, reply, bytes_in,
         std::chrono::duration<double>(std::chrono::steady_clock::now() - call.arrived).count());
  if (!is_stray(reply.result)) warn_of_arrivals(context_.setup, *call.active.cache);
  try {
    call.active.cache->settle();
  } catch (const std::exception& error) {
    log_error("the cache could not take in new queries", {{"error", error.what()}});
  }
  if (DecisionLog* const log = context_.services.decision_log.get(); log != nullptr && route != nullptr)
    response.afterwards = [log, first = std::move(reply.afterwards)] {
      if (first) first();
      log->take_in();
    };
}

std::string Extender::prefix_of(Listener listener) const {
  return listener == Listener::kMain ? context_.options.path_prefix : "";
}

/// @return the route; null if the path has none. For an unknown path or a wrong method the call has been
///   answered.
const Route* Extender::find_route(const http::Request& request, Listener listener, Reply& reply) const {
  const Route* found = nullptr;
  for (const Route& route : routes())
    if (serves(listener, route) && route.path == request.path && !request.outside) found = &route;
  const std::string prefix = prefix_of(listener);
  if (request.outside && request.path == prefix) {
    reply.response.headers.emplace_back("Location", prefix + '/');
    reply.refuse(301, Result::kNotFound, "the page is at " + prefix + '/');
  } else if (!found) {
    std::string paths;
    for (const Route& route : routes())
      if (serves(listener, route)) paths.append(paths.empty() ? "" : ", ").append(prefix).append(route.path);
    reply.refuse(404, Result::kNotFound, "no such path; there are " + paths);
  } else if (found->method != request.method) {
    reply.response.headers.emplace_back("Allow", found->method == "GET" ? "GET, HEAD" : "POST");
    reply.refuse(405, Result::kMethodNotAllowed,
                 prefix + std::string(found->path) + " takes " + std::string(found->method) + " only");
  }
  return found;
}

/// A page of another name can have its visitor's browser reach a listener of the visitor's machine. The name
/// is the Host then, also of a path that there is not: that answer names those that there are.
/// @return false: the sender has been refused.
bool Extender::is_reached_by_its_name(const http::Request& request, Listener listener, Reply& reply) const {
  const ExtenderOptions& options = context_.options;
  const auto refused =
      check_host(request.host, listener == Listener::kMain ? options.loopback : options.health_loopback);
  const bool any_host =
      refused && std::ranges::any_of(routes(), [&](const Route& route) {
        return route.from == From::kAnyHost && route.path == request.path && !request.outside;
      });
  if (!refused || any_host) return true;
  reply.refuse(refused->status, Result::kBadRequest, refused->line);
  return false;
}

/// @return false: the sender has been refused.
bool Extender::may_call(const Route& route, const http::Request& request, Reply& reply) const {
  if (request.body.size() > most_bytes(route.body) && route.body != Body::kEmpty) {
    reply.refuse(413, Result::kBadRequest,
                 std::format("the body has {} bytes; {} takes at most {}", request.body.size(), route.path,
                             most_bytes(route.body)));
    return false;
  }
  const auto refused = refuse_sender(route, request);
  if (refused) reply.refuse(refused->status, Result::kBadRequest, refused->line);
  return !refused;
}

std::optional<SenderRefused> Extender::refuse_sender(const Route& route, const http::Request& request) const {
  const ExtenderOptions& options = context_.options;
  const Sender sender{request.content_type, request.origin, request.host, request.sec_fetch_site};
  if (route.from == From::kNoBrowser || (route.from == From::kDecider && remembers_choices(options)))
    return check_sender(sender, options.loopback);
  return route.body == Body::kEmpty && route.load != Load::kLong ? std::nullopt : check_reader(sender);
}

void Extender::answer(const Route& route, Call& call, Reply& reply) {
  if (!is_kube_schedulers(route)) {
    const Workers::Alone alone;  // The helpers are kube-scheduler's.
    return route.answer(context_, call, reply);
  }
  if (route.load == Load::kLight) return route.answer(context_, call, reply);
  const Permit permit(context_.limiter);
  route.answer(context_, call, reply);
}

void Extender::finish(const http::Request& request, const Route* route, const Call& call, const Reply& reply,
                      std::size_t bytes_in, double seconds) {
  metrics_.observe({.verb = route ? series_[static_cast<std::size_t>(route - routes().data())] : no_route_,
                    .result = reply.result,
                    .seconds = seconds,
                    .pass_seconds = reply.times.seconds(),
                    .nodes = reply.nodes,
                    .feasible = reply.feasible,
                    .unknown_nodes = reply.unknown_nodes,
                    .rejected = reply.rejected,
                    .rules = call.active.rejections.get()});
  if (const auto& end = request.client_certificate_end)
    metrics_.live().observe_client_certificate(
        std::chrono::duration<double>(*end - std::chrono::system_clock::now()).count());
  call.memory->answered(reply.response.status, reply.response.body);
  if (!log_enabled(2)) return;
  log_info("request", {{"method", request.method},
                       {"path", request.path},
                       {"remote", request.remote},
                       {"status", reply.response.status},
                       {"result", to_string(reply.result)},
                       {"pod", reply.pod},
                       {"nodes", reply.nodes},
                       {"feasible", reply.feasible},
                       {"bytes_in", bytes_in},
                       {"bytes_out", reply.response.body.size()},
                       {"seconds", seconds}});
}

}  // namespace winnow
