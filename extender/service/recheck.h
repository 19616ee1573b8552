// Looks again at pods that were refused: would they fit now?
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>

#include "extender/calls/serving.h"
#include "extender/catch_up/refusals.h"

namespace winnow {

/// kube-scheduler asks about a refused pod again when something happens in the cluster. Where it has asked
/// too early, and nothing else happens, the pod waits although it would fit. This finds such pods, and tells
/// of them. It works beside the requests, one pod at a time, for a small part of a core. For one thread.
class Recheck {
 public:
  using Time = Refusal::Time;

  /// Longer than kube-scheduler's longest back-off (10 s), in which it asks about nobody.
  static constexpr std::chrono::seconds kTell{12};
  /// Of one core, at most.
  static constexpr int kOneIn = 20;

  /// @param refusals  outlives this. @param serving  tells what requests are answered from.
  Recheck(Refusals& refusals, std::function<Serving()> serving)
      : refusals_(refusals), serving_(std::move(serving)) {}

  /// Until `stop` is requested.
  void run(const std::stop_token& stop);
  /// Looks at up to so many refusals, in turn.
  void look(std::size_t count, Time now);

 private:
  void look_at(const Serving& serving, const Refusal& refusal, Time now);

  Refusals& refusals_;
  const std::function<Serving()> serving_;
};

}  // namespace winnow
