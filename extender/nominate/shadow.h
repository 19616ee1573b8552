// The shadow: what Winnow would do for pods, held against what kube-scheduler did.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/state/cluster_cache.h"
#include "extender/explain/decision_record.h"
#include "extender/nominate/scheduler_decisions.h"
#include "extender/service/log/log.h"

namespace winnow {

class CacheStatus;
class DecisionLock;
class DecisionLog;
class Engine;
class NodePicker;
class View;
struct ActiveConfig;
struct ShadowFigures;

/// Who decides, and on what.
struct Judgement {
  const View& view;  ///< As kube-scheduler had it: without the pod.
  const Engine& engine;
  const NodePicker& picker;
  const Budget& budget;
};

/// Decides for the pod as `best` does, over all nodes; with today's rules its nominated node is asked about
/// first. Where the pod was bound is looked at only afterwards. Throws OutOfTime.
/// @param record  of that pod, with the rules' names. Gets what was found: the pick, behind it the node where
///   the pod was bound if that was scored, then others by total; the rules that refuse that node.
/// @return kSame, kTie, kOther, kRefused or kNowhere; kError: the rules have failed, as record.error says.
///   With it what is to be said of the node where the pod was bound; "": nothing.
struct Compared {
  DecisionResult result = DecisionResult::kError;
  std::string said;
};
Compared compare(const SchedulerDecision& told, const Judgement& by, DecisionRecord& record);

// The shadow: decides for pods beside a kube-scheduler, answers nobody, and compares.

/// Decides for each pod that kube-scheduler has decided, on the cache that kube-scheduler had: without the
/// pod itself, and without the pods that were decided later, however late the shadow is. What else has
/// changed since, as a pod that was deleted, or a node, stays as it is now: the lag says how much that may
/// be.
///
/// It writes nothing, and assumes nothing. The cache is locked for reading for one decision at a time. A
/// decision that takes longer than `longest` is given up, so a watch event waits no longer.
class Shadow {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kLongest{250};

  struct Options {
    std::vector<std::string> schedulers;  ///< See engine_for().
    /// Where decisions are kept. Null: none are kept.
    std::shared_ptr<DecisionLog> decision_log;
    Time::duration longest = kLongest;  ///< For one decision; for tests.
  };

  /// All references outlive this.
  Shadow(const DecisionLock& decisions, const NodePicker& picker, SchedulerDecisions& told,
         const CacheStatus& cache, Options options)
      : decisions_(decisions), picker_(picker), told_(told), cache_(cache), options_(std::move(options)) {}

  /// Works until `stop` is requested. Never throws.
  void run(const std::stop_token& stop);
  /// Decides for one pod. @return false: there is none, or not all that it needs is there yet.
  bool step();

  /// For /metrics. Any thread.
  ShadowFigures figures() const;

 private:
  /// A decision, and what kube-scheduler did.
  struct Opinion {
    DecisionRecord record;
    DecisionEnding ending;
    bool too_long = false;
  };
  bool decide(const SchedulerDecision& told);
  std::optional<std::optional<Opinion>> judge(const ActiveConfig& active, const Engine& engine,
                                              const SchedulerDecision& told);
  Opinion opinion_of(const ActiveConfig& active, const ClusterCache::ReadGuard& state,
                     const SchedulerDecision& told, const std::vector<BoundPod>& later,
                     const Engine& engine) const;
  void tell(Opinion opinion);
  void tell_of_drops();

  const DecisionLock& decisions_;
  const NodePicker& picker_;
  SchedulerDecisions& told_;
  const CacheStatus& cache_;
  const Options options_;
  std::uint64_t drops_told_ = 0;
  LogRate differences_told_, drops_rate_, errors_told_;
  mutable Mutex mutex_;
  std::array<std::uint64_t, kDecisionResults> results_ WINNOW_GUARDED_BY(mutex_){};
  std::uint64_t too_long_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
