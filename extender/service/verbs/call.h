// One call: the input and the output of a verb, the state that verbs share, and the reading of the body.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/rule/budget.h"
#include "extender/engine/engine.h"
#include "extender/service/http/message.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/metrics/request_series.h"
#include "extender/service/page/waiting.h"
#include "extender/service/protocol/args.h"
#include "extender/service/scheduling/call_trace.h"
#include "extender/service/scheduling/compute_limiter.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/scheduling/options.h"
#include "extender/service/scheduling/pick_history.h"
#include "extender/service/scheduling/refusal_hold.h"
#include "extender/service/setup_notes.h"

namespace winnow {

/// The options, and the memory between calls. Each member is thread-safe by itself. The metrics must outlive
/// it.
struct VerbContext {
  VerbContext(ActiveConfig active, Metrics& shown, ExtenderOptions given)
      : options(std::move(given)),
        metrics(shown),
        limiter(options.computing),
        decisions(std::move(active), options),
        holds(options.catch_up, std::chrono::steady_clock::now()),
        picker(options.seed, options.drawn),
        setup(setup_flags(options)) {}

  const ExtenderOptions options;
  const std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  Metrics& metrics;
  ComputeLimiter limiter;
  DecisionLock decisions;
  RefusalHolds holds;
  NodePicker picker;
  VictimHistory named_victims;
  PromisedNodes promised_nodes;
  SamplingWarning sampling;
  SetupNotes setup;
  NodeOrder node_order;
  WaitingGroups waiting;
};

// One call: the input of a verb, and its output.

/// The input of a verb. The verb may move the body out.
struct Call {
  using Time = std::chrono::steady_clock::time_point;

  std::string body;
  std::string query;    ///< The path's part behind '?', as sent.
  Time arrived;         ///< When its last byte arrived.
  ActiveConfig active;  ///< The active configuration at the call's arrival, or a later one that the verb has
                        ///< changed to.
  std::chrono::milliseconds timeout = kRequestTimeout;
  /// Whether the client has gone away, so that no answer is needed. Called from any thread. Null: not known.
  std::function<bool()> client_gone = nullptr;
  /// The time that the call may compute.
  Budget budget{arrived + timeout, client_gone, arrived};
  std::unique_ptr<CallTrace> trace = nullptr;  ///< Null: the call is neither recorded nor replayed.

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

// The first step of filter, prioritize and explain: reading the body.

/// Whether a body without nodes is wrong.
enum class Nodes : std::uint8_t { kRequired, kOptional };

/// Reads the request, locates it in the cache of call.active, and notes pod and nodes in the reply.
/// @param nodes  with kRequired, a body without a pod is wrong, and so is one without nodes.
/// @return nothing if the body is wrong; the call has been answered with the error then.
std::optional<LockedRequest> read_question(NodeRequest& question, VerbContext& context, const Call& call,
                                           Reply& reply, IfAssumed if_assumed, Nodes nodes);

}  // namespace winnow
