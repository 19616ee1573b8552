// What the service is started with.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cluster/servers/binder.h"
#include "extender/engine/select.h"
#include "extender/http/message.h"

namespace winnow {

/// What filter and prioritize tell kube-scheduler (--answer).
enum class AnswerMode : std::uint8_t {
  kComplete,  ///< Every feasible node, every host scored.
  kBest,      ///< filter answers the one best node, so that prioritize is not called.
  kOne,       ///< Every feasible node; prioritize gives 10 to the best one alone.
};

/// Where filter puts a node that evictions could make fit (--failed-nodes).
enum class FailedNodes : std::uint8_t {
  kJudged,  ///< In FailedNodes, always.
  /// In FailedAndUnresolvableNodes, where pods of lower priority are on it. Up to 1.37 kube-scheduler's
  /// preemption knows its own filters only, which have let the node pass with all its pods. It finds no
  /// victim there, and says so of every node in an order that changes. That change has the pod tried again at
  /// once, and so for ever. A node that the pod is nominated for stays in FailedNodes: its victims are on
  /// their way out.
  kQuiet,
};

struct ExtenderOptions {
  AnswerMode answer = AnswerMode::kComplete;
  ScoreScale scale = ScoreScale::kBest;
  FailedNodes failed_nodes = FailedNodes::kJudged;
  std::optional<std::uint64_t> seed;  ///< Absent: drawn at start.
  /// Kubernetes' /readyz: why calls should not come here now, in one line; "": they should. Null: always.
  std::function<std::string()> not_ready;
  /// Why the picture is not to be answered from, in one line; "": it is. Null: always.
  std::function<std::string()> unusable;
  /// The picture is a live cluster's: the pick of `best` or `one` is assumed to be on its way.
  bool assume = false;
  /// How long a refusal may be held back until the watch has caught up with kube-scheduler (--catch-up); 0:
  /// it never is. For a picture that is a live cluster's.
  std::chrono::milliseconds catch_up{0};
  /// Binds a pod by the deadline. Null: binding is off.
  std::function<live::BindResult(const live::Binding&, std::chrono::steady_clock::time_point)> bind;
  /// Calls that may compute at once; 0: as many as there are. Binds wait for others and do not count.
  std::size_t computing = 0;
  /// How long /explain may hold the picture to find out what a preemption would do.
  std::chrono::milliseconds preview{250};
  /// Brings figures that are kept elsewhere up to date before a scrape. Null: there are none.
  std::function<void()> before_scrape;
  /// The listener's counters, for /metrics. Null: not shown.
  std::function<http::Counters()> http_counters;
};

/// Why no call may be answered from the picture now, in one line; "": it may.
inline std::string why_unusable(const ExtenderOptions& options) {
  return options.unusable ? options.unusable() : std::string();
}

}  // namespace winnow
