// One call: the input and the output of a verb, what verbs share, and the steps that they have in common.
//
// A call of kube-scheduler has the passes decode, locate, decide, choose and encode, in that order. Locate
// locks the cache; it is free again before the answer is encoded.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/rule/budget.h"
#include "extender/engine/engine.h"
#include "extender/service/metrics/request_series.h"
#include "extender/service/page/waiting.h"
#include "extender/service/protocol/args.h"
#include "extender/service/protocol/node_order.h"
#include "extender/service/scheduling/compute_limiter.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/live_memory.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/scheduling/options.h"
#include "extender/service/scheduling/refusal_hold.h"
#include "extender/service/scheduling/services.h"
#include "extender/service/scheduling/time_share.h"
#include "extender/service/setup_notes.h"

namespace winnow {

class Metrics;

namespace http {
class Server;
}

/// What verbs share: settings, services, and the memory between calls. Each member is thread-safe by itself.
/// The metrics must outlive it.
struct VerbContext {
  VerbContext(ActiveConfig active, Metrics& shown, ExtenderOptions given, ExtenderServices offered = {})
      : options(std::move(given)),
        services(std::move(offered)),
        metrics(shown),
        limiter(options.computing),
        decisions(std::move(active), options),
        earlier(options),
        memory(options, services, earlier),
        setup(setup_flags(options)) {}
  VerbContext(const VerbContext&) = delete;
  VerbContext& operator=(const VerbContext&) = delete;

  const ExtenderOptions options;
  const ExtenderServices services;
  const std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  Metrics& metrics;
  ComputeLimiter limiter;
  DecisionLock decisions;
  EarlierCalls earlier;
  LiveMemory memory;
  SamplingWarning sampling;
  SetupNotes setup;
  NodeOrder node_order;
  WaitingGroups waiting;
  /// Of what refused calls leave to be done: a client that asks again and again waits 1 % longer at most.
  TimeShare cause_time{100};
  /// The listener for calls, whose counters /metrics shows. Set before it starts. Null: not shown.
  const http::Server* server = nullptr;

  /// Why a call of kube-scheduler may not be answered now, in one line; "" if it may.
  std::string why_no_answer() const;
};

// One call: the input of a verb, and its output.

/// The input of a verb. The verb may move the body out.
struct Call {
  using Time = std::chrono::steady_clock::time_point;

  std::string body;
  std::string query;            ///< The path's part behind '?', as sent.
  std::string_view request_id;  ///< Of the request, which outlives the call (X-Request-ID).
  Time arrived;                 ///< When its last byte arrived.
  ActiveConfig active;  ///< The active configuration at the call's arrival, or a later one that the verb has
                        ///< changed to.
  std::chrono::milliseconds timeout = kRequestTimeout;
  /// Whether the client has gone away, so that no answer is needed. Called from any thread. Null: not known.
  std::function<bool()> client_gone = nullptr;
  /// When it began, as a recording has it.
  Budget::Wall began = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  /// The time that the call may compute.
  Budget budget{arrived + timeout, client_gone, arrived, began};
  CallMemory* memory = nullptr;  ///< Not null when a verb is called; outlives the call.
  /// Whether the caller may be told the names of a namespace's pods: see PodSight. Null: of all.
  std::function<bool(std::string_view ns)> sees_pods = nullptr;

  /// The time after which kube-scheduler is taken to have given up.
  Time deadline() const { return budget.deadline(); }
};

/// The output of a verb, with what is counted and logged of the call. Used by one thread.
struct Reply {
  http::Response& response;
  Result result = Result::kOk;
  PassTimes times = {};
  std::int64_t nodes = -1;     ///< Of the request; negative: the call has none.
  std::int64_t feasible = -1;  ///< Feasible ones among them; negative: unknown.
  /// Nodes of the request that the cache does not have.
  std::uint64_t unknown_nodes = 0;
  std::vector<std::uint32_t> rejected = {};  ///< Number of nodes, by Engines::predicate_names().
  std::string pod = {};                      ///< NAMESPACE/NAME; "": none, or not read.
  /// What is left to do when the answer has gone out: see http::Response::afterwards. Null: nothing.
  std::function<void()> afterwards = nullptr;

  /// Answers with a status other than 200 and one_line() of the text. @param how  the result that is counted.
  void refuse(int status, Result how, std::string_view line);
  /// Drops the body if it has more bytes than an answer may have (ExtenderOptions::answer_bytes).
  /// @return the line that says so; nothing: the body may be sent.
  std::optional<std::string> drop_too_large(std::size_t most);
  /// The call took longer than it may.
  void refuse_late() { refuse(503, Result::kShed, "overloaded: the answer was not ready in time"); }
  void refuse_body(const std::string& wrong) {
    refuse(400, Result::kBadRequest, "bad request body: " + wrong);
  }
};

// The first two passes of filter, prioritize and explain.

/// Whether a body without nodes is wrong.
enum class Nodes : std::uint8_t { kRequired, kOptional };

/// Decode: reads the body up to the node names.
/// @return false: the body is wrong, and the call has been answered so.
bool decode(RequestReader& reader, Reply& reply);

/// Locate: locks the cache of call.active, and finds the request's nodes there. Notes pod and nodes in the
/// reply.
/// @param nodes  with kRequired, a body without a pod is wrong, and so is one without nodes.
/// @return nothing if the body is wrong; the call has been answered so.
std::optional<LocatedRequest> locate(RequestReader& reader, VerbContext& context, const Call& call,
                                     Reply& reply, IfAssumed if_assumed, Nodes nodes);

// The looks of a call whose refusal may be held until the watch has caught up.

/// When a call looks again whose result is held.
struct Held {
  ChangeNotifier::Count seen;  ///< The cache's count of news before the last look. Later news ends the hold.
  RefusalHold::Time until;     ///< The call looks again then in any case.
};

/// Looks at the cache, and again after each news, until the result is final. Before a later look call.active
/// becomes the active configuration in force. The permit is given back while the call waits.
/// @param look  looks once. Returns a Held, with no lock held; or nothing: the result is final.
template <class Look>
void look_until_final(VerbContext& context, Call& call, Reply& reply, const Look& look) {
  while (const std::optional<Held> held = look()) {
    wait_for_news(call.active, held->seen, held->until, context.decisions, context.limiter);
    reply.times.lap(Pass::kHold);
    call.budget.check();  // The client may have gone meanwhile.
    call.active = context.decisions.active();
  }
}

}  // namespace winnow
