// The service: what is answered on which path.
//
// extender/service holds the routes (extender.cc), the verbs, one a file (filter.cc, prioritize.cc,
// explain.cc, preempt.cc), the Question that they share, and what is remembered between calls (picks.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/state/picture.h"
#include "extender/engine/engines.h"
#include "extender/engine/select.h"
#include "extender/http/message.h"
#include "extender/metrics/metrics.h"
#include "extender/protocol/node_order.h"
#include "extender/service/picks.h"

namespace winnow {

/// What filter and prioritize tell kube-scheduler (--answer).
enum class AnswerMode : std::uint8_t {
  kComplete,  ///< Every feasible node, every host scored.
  kBest,      ///< filter answers the one best node, so that prioritize is not called.
  kOne,       ///< Every feasible node; prioritize gives 10 to the best one alone.
};

struct ExtenderOptions {
  AnswerMode answer = AnswerMode::kComplete;
  ScoreScale scale = ScoreScale::kBest;
  std::optional<std::uint64_t> seed;  ///< Absent: drawn at start.
  /// Kubernetes' /readyz: whether calls can be answered. Null: always.
  std::function<bool()> ready;
  /// The listener's counters, for /metrics. Null: not shown.
  std::function<http::Counters()> http_counters;
};

class Question;

/// Answers requests. Thread-safe; picture, engines and metrics outlive it.
class Extender {
 public:
  Extender(Picture& picture, const Engines& engines, Metrics& metrics, ExtenderOptions options);

  /// The HTTP handler. Counts, times and (at --v=2) logs every call.
  void handle(http::Request& request, http::Response& response);

 private:
  struct Route;
  /// One call in the making: what it answers, and what is counted of it.
  struct Call {
    http::Request& request;
    http::Response& response;
    std::size_t bytes_in = 0;
    RequestRecord record;
    PassTimes times;
    std::vector<std::uint32_t> rejected;  ///< By Engines::predicate_names.
    std::string pod;
    const Engine* engine = nullptr;  ///< The pod's.
  };

  static std::span<const Route> routes();
  void dispatch(Call& call);
  void finish(Call& call, double seconds);

  void filter(Call& call);
  void prioritize(Call& call);
  void explain(Call& call);
  void preempt(Call& call);
  void bind(Call& call);
  void healthy(Call& call);
  void readiness(Call& call);
  void version(Call& call);
  void show_metrics(Call& call);

  /// Reads the body into the question; on false the call has been answered with what is wrong.
  bool read_question(Call& call, Question& question, bool needs_nodes);
  static void refuse(Call& call, int status, Result result, std::string line);
  /// 200 with `Error`: kube-scheduler shows it to the pod's owner.
  static void filter_error(Call& call, std::string_view error);
  void encode_filter(Call& call, const Question& question, const Filtered& filtered,
                     const std::vector<std::uint8_t>& fits);
  /// The index of the pick among the nodes scored; nothing where there are none.
  std::optional<std::size_t> pick(const Question& question, std::span<const NodeId> nodes,
                                  std::span<const std::int64_t> totals);
  bool answer_best(Call& call, Question& question, const Filtered& filtered);

  Picture& picture_;
  const Engines& engines_;
  Metrics& metrics_;
  const ExtenderOptions options_;
  const std::uint64_t seed_;
  NodeOrder order_;
  Picks picks_;
};

}  // namespace winnow
