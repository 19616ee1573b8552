// The parts of `winnow serve --nominate`, joined.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cluster/lease/leader_election.h"
#include "cluster/live/pod_handler.h"
#include "extender/calls/options.h"
#include "extender/cli/api_access.h"
#include "extender/cli/flags/groups/nominate_flags.h"
#include "extender/log/log_rate.h"
#include "extender/metrics/metrics.h"
#include "extender/nominate/nomination_writers.h"
#include "extender/nominate/nominator.h"
#include "extender/nominate/waiting_pods.h"
#include "extender/service/extender.h"

namespace winnow {

/// The queue of waiting pods, the decider, its writers and the election, with their threads. The queue is
/// there before the first watch begins, so that no pod is missed, and until the last has ended. The rest
/// begins when the service is there, and ends before it. Made, started, stopped and destroyed on one thread.
class Nominating {
 public:
  /// @param access, metrics  outlive this. @param flags  with `nominate`.
  /// @param decision_log  where decisions are kept; may be null.
  Nominating(const NominateFlags& flags, ApiAccess& access, Metrics& metrics,
             std::shared_ptr<DecisionLog> decision_log);
  /// Does what stop() does.
  ~Nominating();
  Nominating(const Nominating&) = delete;
  Nominating& operator=(const Nominating&) = delete;

  /// What the watches of pods are to tell.
  live::PodHandler& pod_handler() { return pods_; }
  /// Starts the threads. To be called once. @param service  outlives this. @param unusable  see
  /// ExtenderOptions.
  void start(Extender& service, std::function<std::string()> unusable);
  /// Ends the decider and the writers, then gives the Lease back. Patches on their way end at once.
  void stop();

  // Any thread.
  /// The rights that are missing, in one line; "": none.
  std::string denied() const;
  /// See ExtenderOptions::why_not_nominated.
  std::string why_not(std::string_view ns, std::string_view name, std::string_view uid) const;
  /// Sets the metrics, before a scrape.
  void before_scrape() const;

 private:
  class ElectionLog;
  Leadership leadership() const;
  std::function<void(live::PodEvent)> teller();
  void on_done(const NominationWrite& write, const NominationWriting::Result& result);

  const NominateFlags flags_;
  ApiAccess& access_;
  Metrics& metrics_;
  const std::shared_ptr<DecisionLog> decision_log_;
  WaitingPods pods_;
  const std::unique_ptr<ElectionLog> election_log_;
  std::unique_ptr<live::LeaderElection> election_;  ///< Null: without one this process always leads.
  LogRate failures_told_;
  std::unique_ptr<live::PodEvents> events_;  ///< Null: nobody is told.
  std::optional<NominationWriters> writers_;
  std::optional<Nominator> nominator_;
  std::jthread deciding_;  ///< Last member, so that it ends first.
};

}  // namespace winnow
