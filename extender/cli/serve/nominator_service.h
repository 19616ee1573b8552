// What decides without being asked (`winnow serve --nominate` and --shadow), what looks again beside the
// calls, and the recording of a service.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "cluster/mutex.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/explain/decision_log.h"
#include "extender/nominate/nomination_writers.h"
#include "extender/nominate/nominator.h"
#include "extender/nominate/pod_writer.h"
#include "extender/nominate/scheduler_decisions.h"
#include "extender/nominate/shadow.h"
#include "extender/nominate/waiting_pods.h"
#include "extender/service/log/log.h"
#include "extender/service/recheck.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/what_if/record/recorder.h"

namespace winnow::live {

class LeaderElection;

}  // namespace winnow::live

namespace winnow {

class ApiAccess;
class CacheStatus;
class ConfigSwitch;
class EventRecorder;
class Extender;
class Metrics;
struct CommonFlags;
struct ServeFlags;

/// The queue of waiting pods, the decider, its writers and the election, with their threads. The queue is
/// there before the first watch begins, so that no pod is missed, and until the last has ended. The rest
/// begins when the service is there, and ends before it. Made, started, stopped and destroyed on one thread.
class NominatorService : private WriteOwner {
 public:
  /// @param access, metrics  outlive this. @param flags  without `nominate` it decides for refused pods
  ///   alone: see nominates_refused(). It always leads then, and writes no events.
  /// @param decision_log  where decisions are kept; may be null.
  NominatorService(const NominateFlags& flags, ApiAccess& access, Metrics& metrics,
                   std::shared_ptr<DecisionLog> decision_log);
  /// Does what stop() does.
  ~NominatorService() override;
  NominatorService(const NominatorService&) = delete;
  NominatorService& operator=(const NominatorService&) = delete;

  /// What the watches of pods are to tell.
  live::PodHandler& pod_handler() { return pods_; }
  /// Starts the threads. To be called once. @param service, cache  outlive this.
  void start(Extender& service, const CacheStatus& cache);
  /// Ends the decider and the writers, then gives the Lease back. Patches on their way end at once.
  void stop();

  // Any thread.
  /// Whether it decides for refused pods alone.
  bool on_request() const { return !flags_.nominate; }
  /// A call has refused a pod. See ClusterServices::nominate_refused.
  void request(const Pod& pod, bool by_eviction);
  /// kube-scheduler preempts for it.
  void preempts(const Pod& pod) {
    pods_.preempts(pod.metadata.namespace_, pod.metadata.name, pod.metadata.uid);
  }
  /// The rights that are missing, in one line; "": none.
  std::string denied() const;
  /// See ClusterServices::why_not_nominated.
  std::string why_not(std::string_view ns, std::string_view name, std::string_view uid) const;
  /// Sets the metrics, before a scrape.
  void before_scrape() const;

 private:
  class ElectionLog;
  void look_at_right(const std::stop_token& stop);
  bool is_wanted(Ticket ticket) const override { return pods_.is_wanted(ticket); }
  void on_done(const NominationWrite& write, const WriteResult& result) override;

  const NominateFlags flags_;
  ApiAccess& access_;
  Metrics& metrics_;
  const std::shared_ptr<DecisionLog> decision_log_;
  WaitingPods pods_;
  const std::unique_ptr<ElectionLog> election_log_;
  std::unique_ptr<live::LeaderElection> election_;  ///< Null: without one this process always leads.
  const std::unique_ptr<const Leadership> leadership_;
  LogRate failures_told_;
  mutable Mutex right_mutex_;
  std::string no_right_
      WINNOW_GUARDED_BY(right_mutex_);  ///< As an API server has said at the start; "": it has.
  const std::unique_ptr<PodWriter> pod_writer_;
  std::unique_ptr<EventRecorder> events_;  ///< Null: nobody is told.
  std::optional<NominationWriters> writers_;
  std::optional<Nominator> nominator_;
  std::jthread deciding_;  ///< Last member, so that it ends first.
};

// The parts of `winnow serve --shadow`, joined.

/// The queue of kube-scheduler's decisions, and the thread that judges them. The queue is there before the
/// first watch begins, and until the last has ended. The thread begins when the service is there, and ends
/// before it. Made, started, stopped and destroyed on one thread.
class Shadowing {
 public:
  /// @param metrics  outlives this. @param flags  with `shadow`. @param decision_log  may be null.
  Shadowing(const ShadowFlags& flags, Metrics& metrics, std::shared_ptr<DecisionLog> decision_log)
      : flags_(flags), metrics_(metrics), decision_log_(std::move(decision_log)) {}
  ~Shadowing() { stop(); }
  Shadowing(const Shadowing&) = delete;
  Shadowing& operator=(const Shadowing&) = delete;

  /// What the watches of pods are to tell.
  live::PodHandler& pod_handler() { return told_; }
  /// Starts the thread. To be called once. @param service, cache  outlive this.
  void start(Extender& service, const CacheStatus& cache);
  /// Ends the thread.
  void stop() { thread_ = {}; }
  /// Sets the metrics, before a scrape. Any thread.
  void before_scrape() const;

 private:
  const ShadowFlags flags_;
  Metrics& metrics_;
  const std::shared_ptr<DecisionLog> decision_log_;
  SchedulerDecisions told_;
  std::optional<Shadow> shadow_;
  std::atomic<bool> started_ = false;  ///< shadow_ is there, and stays. A scrape may come before.
  std::jthread thread_;                ///< Last member, so that it ends first.
};

// What decides without being asked: the nominator, or the shadow.

/// The deciders that the flags ask for; there may be none. Made, started, stopped and destroyed on one
/// thread.
class DecisionServices {
 public:
  /// They are told of pods by all cache sources that are made later.
  /// @param source  null: the cluster comes from files, and there are none. @param decision_log  may be null.
  DecisionServices(const ServeFlags& flags, ApiAccess* source, Metrics& metrics,
                   const std::shared_ptr<DecisionLog>& decision_log);

  /// Starts their threads. To be called once. @param service, config_switch  outlive what stop() ends.
  void start(Extender& service, const ConfigSwitch& config_switch);
  /// Ends their threads.
  void stop();

  // Any thread.
  /// Whether the flags ask for a shadow.
  bool is_shadow() const { return shadowing_ != nullptr; }
  /// Whether pods are nominated unasked, or those alone that calls have refused.
  bool nominates() const { return nominating_ && !nominating_->on_request(); }
  bool nominates_refused() const { return nominating_ && nominating_->on_request(); }
  /// The rights without which nothing is decided, in one line; "": none is missing.
  std::string denied() const {
    return nominating_ && !nominating_->on_request() ? nominating_->denied() : "";
  }
  /// What is not done for want of a right, while all else is, in one line; "": nothing.
  std::string done_without() const;
  /// See ClusterServices.
  void nominate_refused(const Pod& pod, bool by_eviction);
  void on_preempts(const Pod& pod);
  /// See ClusterServices::why_not_nominated.
  std::string why_not_nominated(std::string_view ns, std::string_view name, std::string_view uid) const;
  /// Sets the metrics, before a scrape.
  void before_scrape() const;

 private:
  std::unique_ptr<const CacheStatus> cache_;      ///< Null before start().
  std::unique_ptr<NominatorService> nominating_;  ///< Null without --nominate and --nominate-refused.
  std::unique_ptr<Shadowing> shadowing_;          ///< Null without --shadow.
};

// What looks again beside the calls.

/// Looks at refused pods and at assumed ones, in two threads, until it ends.
class SecondLooks {
 public:
  /// @param service, access  outlive this. @param access  null: the cluster comes from files, and nothing
  ///   changes. @param wakes  refused pods that fit by now are nominated.
  SecondLooks(Extender& service, ApiAccess* access, bool wakes);

 private:
  /// Asks the API servers.
  class Asking : public WakingNominations, public AssumedLookUps {
   public:
    explicit Asking(ApiAccess* access) : access_(access) {}
    live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node) override;
    live::PodLookedUp look_up(const AssumedPods::Attempt& pod, const std::stop_token& stop) override;

   private:
    ApiAccess* const access_;
  };

  Asking asking_;
  Recheck recheck_;
  PodWaker waker_;
  AssumedCheck assumed_check_;
  std::jthread rechecking_, checking_;  // They end first.
};

// The recording of a service, as its flags want it.

/// Null without --record. @param live  whether the cache is a live cluster's. @return an error of one line.
std::expected<std::unique_ptr<Recorder>, std::string> open_recorder(const CommonFlags& common,
                                                                    const ServeFlags& flags, bool live);

/// The nodes that failed, in the answer's list that the flags or their default want.
FailedNodes failed_nodes_of(const ServeFlags& flags, bool live);

}  // namespace winnow
