// The threads that write nominations, so that decisions do not wait for API servers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <stop_token>
#include <thread>
#include <vector>

#include "cluster/clock.h"
#include "cluster/mutex.h"
#include "extender/nominate/pod_writer.h"

namespace winnow {

/// How one write is carried out. All of them outlive this.
struct NominationWriting {
  PodWriter& pods;
  const Leadership& leadership;  ///< Asked right before each patch.
  WriteOwner& owner;
  const live::Clock& clock;

  /// Tries the write once, patch by patch. One that nobody has told the outcome of is to be tried again, and
  /// the pod is looked at before: until it is known, is not wanted any more, or Winnow does not lead.
  WriteResult carry_out(const NominationWrite& write, const std::stop_token& stop) const;
};

/// A bounded queue of writes, and the threads that carry them out, in order. A write of unknown outcome gives
/// its thread back, and is tried again after a pause. It stays where it is for as long as the threads have
/// others to write, and half of them at most try again. So pods that cannot be written do not hold up others.
/// Thread-safe.
class NominationWriters : public WriteQueue {
 public:
  /// Writes at once: API servers take some milliseconds each.
  static constexpr std::size_t kThreads = 8;
  /// Writes that may wait. No more is decided then, so that decisions are as fresh as they can be.
  static constexpr std::size_t kWaiting = 32;
  /// Threads that may try again at once.
  static constexpr std::size_t kRetrying = kThreads / 2;
  /// The pause before the second try. It doubles with each, up to the longest.
  static constexpr std::chrono::seconds kFirstPause{1}, kLongestPause{64};

  explicit NominationWriters(const NominationWriting& writing);
  /// Asks the patches on their way to end, and waits for them. Writes that wait are dropped.
  ~NominationWriters() override;
  NominationWriters(const NominationWriters&) = delete;
  NominationWriters& operator=(const NominationWriters&) = delete;

  bool has_room() const override;
  void add(NominationWrite write) override;

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
  mutable Mutex mutex_;
  std::condition_variable changed_;
  Queue waiting_ WINNOW_GUARDED_BY(mutex_);
  Queue later_ WINNOW_GUARDED_BY(mutex_);  ///< Those to be tried again.
  std::size_t retrying_ WINNOW_GUARDED_BY(mutex_) = 0;
  bool ending_ WINNOW_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  ///< Last member: the threads end first.
};

}  // namespace winnow
