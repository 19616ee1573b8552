// What the watch tells of kube-scheduler's decisions, as a queue.
//
// extender/nominate decides beside a kube-scheduler, and compares:
// - scheduler_decisions.h  kube-scheduler's decisions as the watch tells of them, and which came later
// - shadow.h               one of them held against what the rules say,
//                          and the thread that does it, pod by pod
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/client/watch/pod_handler.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Where a pod stood in kube-scheduler's queue at its first attempt. Of pods of one lane the one that entered
/// first is decided first. Upstream: pkg/scheduler/framework/plugins/queuesort/priority_sort.go v1.37.0.
struct QueueTurn {
  using Lane = std::pair<std::string, std::int32_t>;  ///< The schedulerName and the priority.
  Lane lane;
  std::uint64_t entered = 0;  ///< The version with which it entered. 0: unknown, as of a later attempt.
};

/// What kube-scheduler has decided for a pod.
struct SchedulerDecision {
  Pod pod;           ///< As kube-scheduler had it: without a node, with the nomination that it had before.
  std::string node;  ///< Where it was bound; "": no node was found.
  std::string said;  ///< Then: kube-scheduler's text.
  std::uint64_t version = 0;  ///< Of the event that tells of it; 0: unknown.
  QueueTurn turn;
  std::chrono::steady_clock::time_point told;
  std::chrono::steady_clock::duration flowed{};  ///< The time of the watch then.
};

/// A pod that was bound.
struct BoundPod {
  std::string ns, name, uid;
  std::uint64_t version = 0;  ///< Of the event that told of it.
  QueueTurn turn;
};

/// Figures for /metrics.
struct SchedulerDecisionFigures {
  std::size_t queued = 0;
  std::uint64_t dropped = 0;             ///< Decisions that were left out; only grows.
  std::chrono::duration<double> lag{0};  ///< How long the oldest one has waited.
};

/// kube-scheduler's decisions, in the order in which the watch tells of them.
///
/// A decision is a binding of a pod that was seen waiting, or a refusal (Unschedulable) with a text that the
/// pod had not before. Pods that were bound or refused when they were seen first are not told of, since
/// nobody knows the cache of then.
///
/// kube-scheduler decides one pod after another, and then binds several at once. So the order of bindings is
/// that of its decisions only nearly. Of two pods of one lane (QueueTurn), both in their first attempt, it is
/// known which was decided first, whatever the order of their bindings. Of other pods the resource versions
/// of their bindings tell.
///
/// The queue is bounded: the oldest decisions are dropped. Thread-safe. The mutex is held for short; a caller
/// may hold a cache's lock for reading.
class SchedulerDecisions : public live::PodHandler {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Options {
    std::size_t most = 2'000;         ///< Decisions that wait; at least 1.
    std::size_t remembered = 20'000;  ///< Bindings that decided_after() knows, and pods that wait no more.
    /// How long a decision waits for those that were made before it, and are not told yet: in time of the
    /// watch, which does not pass while that is silent. Their bindings are on their way, as a rule. What
    /// holds a pod back otherwise, as a claim that it has to wait for, nobody tells.
    std::chrono::steady_clock::duration patience = std::chrono::seconds(5);
  };

  SchedulerDecisions() : SchedulerDecisions(Options{}) {}
  explicit SchedulerDecisions(Options options) : options_(options) {}

  // From the watch.
  void on_pod(const Pod& pod) override;
  void on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) override;
  /// Drops all decisions that wait: their order is lost.
  void on_rewind() override;
  void on_told(std::uint64_t resource_version) override;

  /// The oldest decision; null: there is none.
  std::shared_ptr<const SchedulerDecision> front() const;
  /// Takes the decision out. @return false: it was dropped meanwhile, and counts as such.
  bool done(const SchedulerDecision& decision);
  /// Takes the decision out, and counts it as dropped.
  void drop(const SchedulerDecision& decision);

  /// How much is known of the pods that were decided after another.
  enum class Known : std::uint8_t {
    kAll,
    kNotYet,     ///< Something is still to be told, or the cache does not have it yet.
    kForgotten,  ///< Bindings so long ago are not remembered.
  };
  /// Finds the pods of a cache that are bound, and were decided after this one.
  /// @param cache_told  AssumedPods::watched_version() of the cache.
  Known decided_after(const SchedulerDecision& decision, std::uint64_t cache_told,
                      std::vector<BoundPod>& pods);

  /// Waits until something was told since it returned last, or until the time.
  void wait_until(Time time);
  SchedulerDecisionFigures figures() const;

 private:
  /// A pod without a node.
  struct Waiting {
    std::string uid;
    std::uint64_t version = 0;
    QueueTurn turn;
    bool has_entered = false;  ///< kube-scheduler's queue. Once: what follows are later attempts.
    StringMap labels;
    std::string nominated;
    std::vector<std::size_t> refusals;  ///< hash_of_refusal() of the last ones.
  };

  using Pods = TextMap<Waiting>;  ///< By NAMESPACE/NAME.

  void told_waiting(const Pod& pod, std::uint64_t version) WINNOW_REQUIRES(mutex_);
  void enter(Waiting& waiting, const std::string& key, const Pod& pod, std::uint64_t version)
      WINNOW_REQUIRES(mutex_);
  void leave(Waiting& waiting) WINNOW_REQUIRES(mutex_);
  void forget(Pods::iterator known) WINNOW_REQUIRES(mutex_);
  bool awaits(const SchedulerDecision& decision) WINNOW_REQUIRES(mutex_);
  void told_bound(const Pod& pod, std::uint64_t version) WINNOW_REQUIRES(mutex_);
  void queue(Pod pod, SchedulerDecision decision, const Waiting& before) WINNOW_REQUIRES(mutex_);
  void remember(const Pod& pod, std::uint64_t version, const QueueTurn& turn) WINNOW_REQUIRES(mutex_);
  void tell_news() WINNOW_REQUIRES(mutex_);
  bool take_out(const SchedulerDecision& decision) WINNOW_REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  std::condition_variable happened_;
  bool news_ WINNOW_GUARDED_BY(mutex_) = false;  ///< Since wait_until() returned.
  Pods waiting_ WINNOW_GUARDED_BY(mutex_);
  /// By lane, the pods that are in their first attempt, or wait for it: their keys, by QueueTurn::entered.
  std::map<QueueTurn::Lane, std::map<std::uint64_t, std::string>> awaited_ WINNOW_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<const SchedulerDecision>> queue_ WINNOW_GUARDED_BY(mutex_);
  std::deque<BoundPod> bound_ WINNOW_GUARDED_BY(mutex_);  ///< The last bindings.
  /// UIDs of the last pods that wait no more. Another cache may tell of them late.
  std::deque<std::string> over_ WINNOW_GUARDED_BY(mutex_);
  TextSet over_uids_ WINNOW_GUARDED_BY(mutex_);            ///< The same.
  std::uint64_t forgotten_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< The latest version of those before.
  std::uint64_t told_ WINNOW_GUARDED_BY(mutex_) = 0;       ///< See on_told().
  Time::duration flowed_ WINNOW_GUARDED_BY(mutex_){};      ///< The time of the watch.
  Time last_told_ WINNOW_GUARDED_BY(mutex_){};
  std::uint64_t dropped_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
