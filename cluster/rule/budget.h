// The time that a request may compute.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

namespace winnow {

/// Thrown by Budget::check(). It ends the request's work, whichever thread meets it.
class OutOfTime : public std::exception {
 public:
  const char* what() const noexcept override { return "the time of the request is over"; }
};

/// The end of a request's time: a deadline, and a client that may go away before it. Long loops look at it
/// from time to time, so that no request computes much longer than it may. Thread-safe.
class Budget {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// @param deadline  work is of no use after it.
  /// @param client_gone  whether nobody waits for the answer any more; called seldom, and from any thread.
  ///   Null: not known.
  explicit Budget(Time deadline, std::function<bool()> client_gone = nullptr)
      : deadline_(deadline), client_gone_(std::move(client_gone)) {}

  /// Whether the time is over. Costs a look at the clock.
  bool is_over() const {
    if (over_.load(std::memory_order_relaxed)) return true;
    const Time now = std::chrono::steady_clock::now();
    const bool over = now > deadline_ || (client_gone_ && is_gone(now));
    if (over) over_.store(true, std::memory_order_relaxed);
    return over;
  }
  /// Throws OutOfTime if the time is over.
  void check() const {
    if (is_over()) throw OutOfTime();
  }
  Time deadline() const { return deadline_; }

 private:
  /// Asking may cost a system call.
  static constexpr std::chrono::milliseconds kBetweenQuestions{50};

  bool is_gone(Time now) const {
    Time::rep due = ask_at_.load(std::memory_order_relaxed);
    if (now.time_since_epoch().count() < due) return false;
    const Time next = now + kBetweenQuestions;
    return ask_at_.compare_exchange_strong(due, next.time_since_epoch().count()) && client_gone_();
  }

  const Time deadline_;
  const std::function<bool()> client_gone_;
  mutable std::atomic<bool> over_ = false;
  mutable std::atomic<Time::rep> ask_at_ = 0;
};

}  // namespace winnow
