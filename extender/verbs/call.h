// One call: what a verb is asked, and what it answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "extender/calls/serving.h"
#include "extender/engine/passes.h"
#include "extender/http/message.h"
#include "extender/metrics/request_record.h"

namespace winnow {

/// kube-scheduler waits 5 s unless told otherwise: what has waited this long is answered to nobody.
inline constexpr std::chrono::milliseconds kCallDeadline{4500};

/// What a verb is asked. It may move the body out.
struct Call {
  using Time = std::chrono::steady_clock::time_point;

  std::string body;
  Time arrived;     ///< The last byte of it.
  Serving serving;  ///< What it is answered from: that of its arrival, or a later one that the verb has moved
                    ///< on to.

  /// After it nobody waits for the answer.
  Time deadline() const { return arrived + kCallDeadline; }
};

/// What a verb answers, and what is counted and logged of the call.
struct Reply {
  http::Response& response;
  Result result = Result::kOk;
  PassTimes times = {};
  std::int64_t nodes = -1;     ///< Asked about; negative: the call asks about none.
  std::int64_t feasible = -1;  ///< Of them; negative: not found out.
  std::uint64_t unknown_nodes = 0;
  std::vector<std::uint32_t> rejected = {};  ///< Nodes, by Engines::predicate_names().
  std::string pod = {};                      ///< Its namespace and name; "": none, or not read.

  /// Answers with a status other than 200, and one line.
  void refuse(int status, Result how, std::string line);
  void refuse_body(const std::string& wrong) {
    refuse(400, Result::kBadRequest, "bad request body: " + wrong);
  }
};

}  // namespace winnow
