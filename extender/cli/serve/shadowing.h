// The parts of `winnow serve --shadow`, joined.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cluster/live/pod_handler.h"
#include "extender/cli/flags/groups/shadow_flags.h"
#include "extender/metrics/metrics.h"
#include "extender/service/extender.h"
#include "extender/shadow/scheduler_decisions.h"
#include "extender/shadow/shadow.h"

namespace winnow {

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
  /// Starts the thread. To be called once. @param service  outlives this. @param unusable  see
  /// ExtenderOptions.
  void start(Extender& service, std::function<std::string()> unusable);
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

}  // namespace winnow
