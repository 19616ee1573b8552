// The threads that write nominations, and what the people of a pod are told of its nomination.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/client/servers/pod_events.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/clock.h"
#include "cluster/mutex.h"
#include "extender/engine/engine.h"
#include "extender/nominate/waiting_pods.h"

namespace winnow {

/// The event for a nomination that has come to nothing. Nothing for one that was followed, or that others
/// have ended: kube-scheduler's own events tell of these.
std::optional<live::PodEvent> event_of(const Effect& effect);

/// The event for a pod that fits nowhere and keeps its gate. kube-scheduler does not look at such a pod, so
/// nobody else says why it waits. @param why  as why_none_fits() has it.
live::PodEvent held_event(const PodFacts& pod, const std::string& why);

// The threads that write nominations, so that decisions do not wait for API servers.

/// The patches of pods, as live::PodPatcher makes them. A test gives others.
struct PodPatches {
  std::function<live::PatchResult(const live::PodIdentity&, const std::string& node,
                                  const std::string& instead_of, live::Clock::Time, const std::stop_token&)>
      nominate;
  std::function<live::PatchResult(const live::PodIdentity&, std::string_view gate, live::Clock::Time,
                                  const std::stop_token&)>
      remove_gate;
};

/// Whether this process may nominate, as live::LeaderElection tells.
struct Leadership {
  /// The number of the lead; 0: another replica leads, or nobody.
  std::function<std::uint64_t()> term = [] { return std::uint64_t{1}; };
  /// When the lead ends if nothing renews it. No patch is waited for beyond it.
  std::function<live::Clock::Time()> until = [] { return live::Clock::Time::max(); };
};

/// Carries out writes. A write that nobody has told the outcome of is to be tried again, and the pod is
/// looked at before, until it is known, is not wanted any more, or Winnow does not lead.
struct NominationWriting {
  PodPatches patches;
  Leadership leadership;                  ///< Asked right before each patch.
  std::function<bool(Ticket)> is_wanted;  ///< WaitingPods::is_wanted().
  std::function<live::Clock::Time()> now = [] { return live::system_clock().now(); };

  /// The end of the work: what is told to WaitingPods, and for the log and the metrics.
  struct Result {
    WriteReport report;
    live::PatchOutcome outcome = live::PatchOutcome::kUnknown;  ///< Of the last patch that was sent.
    bool sent = false;                                          ///< False: no patch was.
    std::string error;                                          ///< One line; "": none.
    /// What is left to be done, later, as the outcome is not known. Then the report is not to be told.
    std::optional<NominationWrite> again;
  };
  Result carry_out(const NominationWrite& write, const std::stop_token& stop) const;
};

/// A bounded queue of writes, and the threads that carry them out, in order. A write of unknown outcome gives
/// its thread back, and is tried again after a pause. It stays where it is for as long as the threads have
/// others to write, and half of them at most try again. So pods that cannot be written do not hold up others.
/// Thread-safe.
class NominationWriters {
 public:
  /// Writes at once: API servers take some milliseconds each.
  static constexpr std::size_t kThreads = 8;
  /// Writes that may wait. No more is decided then, so that decisions are as fresh as they can be.
  static constexpr std::size_t kWaiting = 32;
  /// Threads that may try again at once.
  static constexpr std::size_t kRetrying = kThreads / 2;
  /// The pause before the second try. It doubles with each, up to the longest.
  static constexpr std::chrono::seconds kFirstPause{1}, kLongestPause{64};
  using OnDone = std::function<void(const NominationWrite&, const NominationWriting::Result&)>;

  /// @param on_done  called by the writing thread, after each try.
  NominationWriters(NominationWriting writing, OnDone on_done);
  /// Asks the patches on their way to end, and waits for them. Writes that wait are dropped.
  ~NominationWriters();
  NominationWriters(const NominationWriters&) = delete;
  NominationWriters& operator=(const NominationWriters&) = delete;

  bool has_room() const;
  void add(NominationWrite write);

 private:
  struct Queued {
    NominationWrite write;
    live::Clock::Time due{};  ///< It is not tried before.
  };
  using Queue = std::list<Queued>;  ///< So that a write is moved on without an allocation.

  void run(const std::stop_token& stop);
  bool try_one(NominationWrite& write, const std::stop_token& stop) const;
  Queue wait_for_one();
  Queue take() WINNOW_REQUIRES(mutex_);
  void put_off(Queue&& one);

  const NominationWriting writing_;
  const OnDone on_done_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  Queue waiting_ WINNOW_GUARDED_BY(mutex_);
  Queue later_ WINNOW_GUARDED_BY(mutex_);  ///< Those to be tried again.
  std::size_t retrying_ WINNOW_GUARDED_BY(mutex_) = 0;
  bool ending_ WINNOW_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  ///< Last member: the threads end first.
};

}  // namespace winnow
