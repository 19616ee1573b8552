// How long one call may block: until a moment, or until its caller gives up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

namespace winnow::live {

/// One thread's, but for the stop request. Real time, for sockets know no other.
class Patience {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class End : std::uint8_t { kReady, kTimeout, kStopped };

  Patience(Time until, std::stop_token stop);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  Time until() const { return until_; }
  void set_until(Time until) { until_ = until; }
  const std::stop_token& stop() const { return stop_; }

  /// kReady while there is time left.
  End check() const;
  /// Waits for the events of poll() on a descriptor; an error on it counts as ready.
  End wait(int fd, short events) const;

 private:
  Time until_;
  std::stop_token stop_;
  int wake_ = -1;  ///< An eventfd that the stop request makes readable; -1: there can be none.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace winnow::live
