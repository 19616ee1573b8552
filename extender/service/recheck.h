// The repeated check of refused pods: whether they fit by now.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>

#include "extender/calls/serving.h"
#include "extender/catch_up/refusals.h"
#include "extender/service/pod_waker.h"

namespace winnow {

/// A search for refused pods that would fit. kube-scheduler tries a refused pod again when something happens
/// in the cluster. If it has tried too early, and nothing else happens, the pod waits although it would fit.
/// Such pods are logged, and brought to kube-scheduler's notice where there is a way. The search runs beside
/// the calls, one pod at a time, with a small part of a core. Used by one thread.
class Recheck {
 public:
  using Time = Refusal::Time;

  /// A pod is logged after it has fitted for so long. Longer than kube-scheduler's longest back-off (10 s),
  /// during which it does not try the pod.
  static constexpr std::chrono::seconds kTell{12};
  /// A pod is brought to kube-scheduler's notice after it has fitted for so long, if its back-off is over:
  /// what it is tried for anyhow has had its time.
  static constexpr std::chrono::milliseconds kWake{500};
  /// At most one part in kOneIn of a core is used.
  static constexpr int kOneIn = 20;
  /// The time after which refusals are checked again without news.
  static constexpr std::chrono::seconds kRound{5};

  /// The longest look at one pod. A pod that takes longer is dear for every call, and is not looked at again.
  static constexpr std::chrono::milliseconds kLongest{250};

  /// @param refusals  must outlive this.
  /// @param serving  returns the serving in force.
  /// @param longest  instead of kLongest.
  Recheck(Refusals& refusals, std::function<Serving()> serving, Time::duration round = kRound,
          Time::duration longest = kLongest)
      : refusals_(refusals), serving_(std::move(serving)), round_(round), longest_(longest) {}

  /// @param waker  has kube-scheduler try pods again; outlives this. Null: nobody does.
  void wake_by(PodWaker* waker) { waker_ = waker; }

  /// Runs until `stop` is requested.
  void run(const std::stop_token& stop);
  /// Checks up to `count` refusals, in turn.
  void look(std::size_t count, Time now);

 private:
  Time::duration pause() const;
  void look_at(const Serving& serving, const Refusal& refusal, Time now);

  Refusals& refusals_;
  const std::function<Serving()> serving_;
  const Time::duration round_;
  const Time::duration longest_;
  PodWaker* waker_ = nullptr;
};

}  // namespace winnow
