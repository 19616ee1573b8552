// One call: the input of a verb, and its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/budget.h"
#include "extender/calls/options.h"
#include "extender/calls/serving.h"
#include "extender/calls/tape.h"
#include "extender/engine/passes.h"
#include "extender/http/message.h"
#include "extender/metrics/request_record.h"

namespace winnow {

/// The input of a verb. The verb may move the body out.
struct Call {
  using Time = std::chrono::steady_clock::time_point;

  std::string body;
  std::string query;  ///< The path's part behind '?', as sent.
  Time arrived;       ///< When its last byte arrived.
  Serving serving;    ///< The serving at the call's arrival, or a later one that the verb has changed to.
  std::chrono::milliseconds timeout = kRequestTimeout;
  /// Whether the client has gone away, so that no answer is needed. Called from any thread. Null: not known.
  std::function<bool()> client_gone = nullptr;
  /// The time that the call may compute.
  Budget budget{arrived + timeout, client_gone, arrived};
  std::unique_ptr<Tape> tape = nullptr;  ///< Null: the call is neither recorded nor replayed.

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
  /// Nodes of the request that the picture does not have.
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

}  // namespace winnow
