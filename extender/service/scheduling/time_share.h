// A bound on the time that some work takes of all time.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "cluster/mutex.h"

namespace winnow {

/// Lets work of a kind take no more than a part of the time, and one thread at a time do it. Work that would
/// take more is left out. Thread-safe.
class TimeShare {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  /// @param parts  Of so many parts of the time the work takes one.
  explicit TimeShare(int parts) : parts_(parts) {}

  /// The right to work once, which ends with this object. It must not outlive the share.
  class Turn {
   public:
    explicit Turn(TimeShare& share) : share_(&share) {}
    Turn(Turn&& other) noexcept
        : share_(std::exchange(other.share_, nullptr)), began_(other.began_), taken_(other.taken_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (share_ != nullptr) share_->end(began_, taken_);
    }

    /// Notes when work began, and for how long it went on. Work that is not noted took no time.
    void took(Time began, Duration time) {
      began_ = began;
      taken_ = time;
    }

   private:
    TimeShare* share_;
    Time began_{};
    Duration taken_{};
  };

  /// @return nothing: the work is to be left out.
  std::optional<Turn> begin(Time now) {
    const MutexLock lock(mutex_);
    if (taken_ || now < next_) return std::nullopt;
    taken_ = true;
    return std::optional<Turn>(std::in_place, *this);
  }

 private:
  void end(Time began, Duration time) {
    const MutexLock lock(mutex_);
    taken_ = false;
    if (time > Duration::zero()) next_ = began + parts_ * time;
  }

  const int parts_;
  Mutex mutex_;
  bool taken_ WINNOW_GUARDED_BY(mutex_) = false;
  Time next_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow
