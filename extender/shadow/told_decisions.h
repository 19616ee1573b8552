// What the watch tells of kube-scheduler's decisions, as a queue.
//
// extender/shadow decides beside a kube-scheduler, and compares:
// - told_decisions.h  kube-scheduler's decisions as the watch tells of them, and which pods were bound later
// - comparison.h      one of them held against what the rules say
// - shadow.h          the thread that does it, pod by pod
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/live/pod_handler.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// What kube-scheduler has decided for a pod.
struct ToldDecision {
  Pod pod;           ///< As kube-scheduler had it: without a node, with the nomination that it had before.
  std::string node;  ///< Where it was bound; "": no node was found.
  std::string said;  ///< Then: kube-scheduler's text.
  std::uint64_t version = 0;  ///< Of the event that tells of it; 0: unknown.
  std::chrono::steady_clock::time_point told;
};

/// A pod that was bound.
struct BoundPod {
  std::string ns, name, uid;
  std::uint64_t version = 0;  ///< Of the event that told of it.
};

/// Figures for /metrics.
struct ToldFigures {
  std::size_t queued = 0;
  std::uint64_t dropped = 0;             ///< Decisions that were left out; only grows.
  std::chrono::duration<double> lag{0};  ///< How long the oldest one has waited.
};

/// kube-scheduler's decisions, in the order in which the watch tells of them. It decides one pod after
/// another, and a binding is its answer: so the resource versions of bindings are the order of its decisions,
/// as nearly as anybody else can know.
///
/// A decision is a binding of a pod that was seen waiting, or a refusal (Unschedulable) with a text that the
/// pod had not before. Pods that were bound or refused when they were seen first are not told of, since
/// nobody knows the picture of then. The queue is bounded: the oldest decisions are dropped. Thread-safe. The
/// mutex is held for short; a caller may hold a picture's lock for reading.
class ToldDecisions : public live::PodHandler {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// @param most  the number of decisions that wait; at least 1. @param remembered  the number of bindings
  ///   that bound_after() knows.
  explicit ToldDecisions(std::size_t most = 2'000, std::size_t remembered = 20'000)
      : most_(most), remembered_(remembered) {}

  // From the watch.
  void on_pod(const Pod& pod) override;
  void on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) override;
  /// Drops all decisions that wait: their order is lost.
  void on_rewind() override;
  void on_told(std::uint64_t resource_version) override;

  /// The oldest decision; null: there is none.
  std::shared_ptr<const ToldDecision> front() const;
  /// Takes the decision out. @return false: it was dropped meanwhile, and counts as such.
  bool done(const ToldDecision& decision);
  /// Takes the decision out, and counts it as dropped.
  void drop(const ToldDecision& decision);

  /// How much is known of a picture's bindings.
  enum class Known : std::uint8_t {
    kAll,
    kNotYet,     ///< The picture has events that were not told here yet. They will be at once.
    kForgotten,  ///< Bindings so long ago are not remembered.
  };
  /// Finds the pods that were bound after a version. Those of no version count as bound before.
  /// @param picture_told  AssumedPods::told() of the picture that has them.
  Known bound_after(std::uint64_t version, std::uint64_t picture_told, std::vector<BoundPod>& pods) const;

  /// Waits until something was told since it returned last, or until the time.
  void wait_until(Time time);
  ToldFigures figures() const;

 private:
  /// A pod without a node.
  struct Waiting {
    std::string uid;
    std::uint64_t version = 0;
    StringMap labels;
    std::string nominated;
    std::vector<std::size_t> refusals;  ///< hash_of_refusal() of the last ones.
  };

  void told_waiting(const Pod& pod, std::uint64_t version) WINNOW_REQUIRES(mutex_);
  void told_bound(const Pod& pod, std::uint64_t version) WINNOW_REQUIRES(mutex_);
  void queue(Pod pod, ToldDecision decision, const Waiting& before) WINNOW_REQUIRES(mutex_);
  void remember(const Pod& pod, std::uint64_t version) WINNOW_REQUIRES(mutex_);
  void tell_news() WINNOW_REQUIRES(mutex_);
  bool take_out(const ToldDecision& decision) WINNOW_REQUIRES(mutex_);

  const std::size_t most_, remembered_;
  mutable Mutex mutex_;
  std::condition_variable happened_;
  bool news_ WINNOW_GUARDED_BY(mutex_) = false;         ///< Since wait_until() returned.
  TextMap<Waiting> waiting_ WINNOW_GUARDED_BY(mutex_);  ///< By NAMESPACE/NAME.
  std::deque<std::shared_ptr<const ToldDecision>> queue_ WINNOW_GUARDED_BY(mutex_);
  std::deque<BoundPod> bound_ WINNOW_GUARDED_BY(mutex_);   ///< The last bindings.
  TextSet bound_uids_ WINNOW_GUARDED_BY(mutex_);           ///< Of these.
  std::uint64_t forgotten_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< The latest version of those before.
  std::uint64_t told_ WINNOW_GUARDED_BY(mutex_) = 0;       ///< See on_told().
  std::uint64_t dropped_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
