// The settings of the extender service: plain values from flags. And the limits of the objects in a request.
//
// What the process around the service does for it is in services.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/engine/select.h"
#include "extender/service/http/message.h"

namespace winnow {

struct ObjectMeta;

/// The largest JSON text of one object, in bytes. An API server stores objects of at most 1.5 MB (etcd's
/// limit). JSON takes up to some times as much as what is stored.
inline constexpr std::size_t kMostObjectBytes = 8 << 20;
/// The longest name, namespace and UID. Those of an API server have at most 253 bytes. They are remembered
/// between calls.
inline constexpr std::size_t kLongestName = 1024;

/// What is wrong with an object's text; "" if it is not too large.
std::string too_large(std::string_view object);
/// What is wrong with an object's name, namespace or UID; "" if none is too long.
std::string too_long(const ObjectMeta& metadata);

// The settings of the extender service.

/// The contents of the answers to filter and prioritize (--answer).
enum class AnswerMode : std::uint8_t {
  kComplete,  ///< filter answers all feasible nodes; prioritize scores each.
  kBest,      ///< filter answers the one best node, so kube-scheduler does not call prioritize.
  kOne,       ///< filter answers all feasible nodes; prioritize gives 10 to the best and 0 to the others.
};

/// The list in which filter answers a node that evictions could make feasible (--failed-nodes).
enum class FailedNodes : std::uint8_t {
  kJudged,  ///< Always in FailedNodes.
  /// In FailedAndUnresolvableNodes, if pods of lower priority are on the node. kube-scheduler's preemption
  /// (up to 1.37) runs only its own filters, which the node has passed with all its pods. It finds no victims
  /// there, and writes that for every node into the pod's condition, in an order that changes. Each change
  /// makes kube-scheduler try the pod again at once, without end. The node that the pod is nominated for
  /// stays in FailedNodes: its victims are terminating.
  kQuiet,
};

/// The nodes that preempt answers (--preempt-search).
enum class PreemptSearch : std::uint8_t {
  kAll,         ///< The best of all nodes that evictions free.
  kCandidates,  ///< Those of kube-scheduler's candidates that its victims free.
};

/// The time after which a call is not answered any more. kube-scheduler's own timeout is 5 s by default.
inline constexpr std::chrono::milliseconds kRequestTimeout{4500};

/// Plain values, from flags and from the cache that the service answers from.
struct ExtenderOptions {
  AnswerMode answer = AnswerMode::kComplete;
  ScoreScale scale = ScoreScale::kBest;
  FailedNodes failed_nodes = FailedNodes::kJudged;
  /// Absent: all, for pods of which the rules check everything that kube-scheduler's own filters check.
  std::optional<PreemptSearch> preempt_search;
  /// The filter plugins that kube-scheduler runs in every profile before it asks Winnow
  /// (--scheduler-filters), as far as a call may rely on them. Empty: not known.
  std::vector<std::string> scheduler_filters;
  std::optional<std::uint64_t> seed;   ///< Of the choice among equals. Absent: random.
  std::optional<std::uint64_t> drawn;  ///< The random number where `seed` is absent. Absent: drawn.
  /// Whether the cache is a live cluster's. If so, the pod of a `best` or `one` pick is assumed on its
  /// node.
  bool assume = false;
  bool binds = false;  ///< Whether pods are bound (--enable-bind): see ClusterServices::bind().
  /// Whether pods are nominated beside the calls (--nominate): they are assumed on their nodes.
  bool nominates = false;
  /// Whether a pod that none of the nodes asked fits, and another does, is nominated (--nominate-refused).
  bool nominates_refused = false;
  /// It decides for itself, and answers no call of kube-scheduler (--shadow).
  bool shadow = false;
  /// Whether the listener for calls is reached from this machine only.
  bool loopback = false;
  std::string path_prefix;       ///< Of the paths of the listener for calls (--path-prefix); "": none.
  bool health_loopback = false;  ///< The same of the listener for health and metrics.
  /// The longest hold of a refusal while the watch catches up with kube-scheduler (--catch-up). 0: refusals
  /// are never held. For a cache of a live cluster.
  std::chrono::milliseconds catch_up{0};
  /// The longest time from a request's last byte to its answer (--request-timeout). A call that takes longer
  /// is answered 503.
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  /// The longest time for which /explain keeps the cache locked to find out what a preemption would do.
  std::chrono::milliseconds preview{250};
  /// The most bytes of an answer. The server's own bound: a client of a larger one could lose it.
  std::size_t answer_bytes = http::Limits::of_memory().answer_bytes();
  /// The number of calls that may compute at once; 0: unlimited. Binds wait for an API server and do not
  /// count.
  std::size_t computing = 0;
  /// Each flag without its dashes, and its value, for /flagz.
  std::map<std::string, std::string> flags;
};

/// Whether filter and prioritize change what is assumed, and so what later calls are answered.
inline bool remembers_choices(const ExtenderOptions& options) {
  return options.assume && (options.answer != AnswerMode::kComplete || options.binds || options.nominates ||
                            options.nominates_refused);
}

}  // namespace winnow
