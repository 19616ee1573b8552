// The limit of one blocking call: a moment in time, and a stop request of the caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace winnow::live {

/// One thread uses it, except that any thread may request the stop. It uses real time, because sockets do.
class Deadline {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class End : std::uint8_t { kReady, kTimeout, kStopped };

  Deadline(Time until, std::stop_token stop);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  Time until() const { return until_; }
  void set_until(Time until) { until_ = until; }
  const std::stop_token& stop() const { return stop_; }
  /// Has wait() call a function once at that time, and wait on; null: none.
  void set_reminder(Time at, std::function<void()> remind) {
    remind_at_ = at;
    remind_ = std::move(remind);
  }

  /// kReady while there is time left.
  End check() const;
  /// Waits for the events of poll() on a descriptor; an error on it counts as ready.
  End wait(int fd, short events) const;

 private:
  void remind() const;

  Time until_;
  std::stop_token stop_;
  int wake_ = -1;  ///< An eventfd that the stop request makes readable; -1: there can be none.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  Time remind_at_{};
  mutable std::function<void()> remind_;  ///< Null when it was called.
};

}  // namespace winnow::live
