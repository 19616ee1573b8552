// The look-up of assumed pods in doubt, at an API server.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "cluster/servers/pod_look_up.h"
#include "cluster/state/assumed_pods.h"
#include "extender/calls/decisions.h"
#include "extender/log/log_rate.h"

namespace winnow {

/// Asks an API server about the assumed pods that may have been given up: those in doubt, and those that no
/// watch has shown. The watch alone tells nothing of them while the cluster is quiet. Runs beside the calls,
/// which wait for no API server. Used by one thread.
class AssumedCheck {
 public:
  using Time = AssumedPods::Time;
  /// The time between two rounds.
  static constexpr std::chrono::milliseconds kRound{200};
  /// The longest look-up of one pod.
  static constexpr std::chrono::seconds kLongest{2};
  /// The most look-ups of one round, so that an API server is not asked about thousands of pods at once.
  static constexpr std::size_t kAtOnce = 16;

  /// Looks one pod up; see live::PodLookUp.
  using LookUp =
      std::function<live::PodLookedUp(const AssumedPods::Attempt& attempt, const std::stop_token& stop)>;

  /// @param decisions  must outlive this.
  AssumedCheck(Decisions& decisions, LookUp look_up) : decisions_(decisions), look_up_(std::move(look_up)) {}

  /// Runs until `stop` is requested.
  void run(const std::stop_token& stop);
  /// One round.
  void look(Time now, const std::stop_token& stop);

 private:
  std::vector<AssumedPods::Attempt> due(Time now);

  Decisions& decisions_;
  const LookUp look_up_;
  LogRate failures_told_, ends_told_;
};

}  // namespace winnow
