// The time that a request may compute.
#pragma once

#include <time.h>

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
  using Wall = std::chrono::system_clock::time_point;

  /// @param deadline  work is of no use after it.
  /// @param client_gone  whether nobody waits for the answer any more; called seldom, and from any thread.
  ///   Null: not known.
  /// @param begun  when the client has asked. It is not asked for in the 50 ms after that.
  /// @param wall  what the request takes for the present.
  explicit Budget(Time deadline, std::function<bool()> client_gone = nullptr, Time begun = about_now(),
                  Wall wall = std::chrono::system_clock::now())
      : wall_(wall),
        deadline_(deadline),
        client_gone_(std::move(client_gone)),
        ask_at_((begun + kBetweenQuestions).time_since_epoch().count()) {}

  /// Whether the time is over. Costs a look at the clock.
  bool is_over() const {
    if (over_.load(std::memory_order_relaxed)) return true;
    const Time now = about_now();
    const bool over = is_past_deadline(now) || (client_gone_ && is_gone(now));
    if (over) over_.store(true, std::memory_order_relaxed);
    return over;
  }
  /// Throws OutOfTime if the time is over.
  void check() const {
    if (is_over()) throw OutOfTime();
  }
  Time deadline() const { return deadline_; }
  /// The present, to rules that read it: the same for the whole request.
  Wall wall() const { return wall_; }

 private:
  /// Asking may cost a system call, and most requests end before the first question.
  static constexpr std::chrono::milliseconds kBetweenQuestions{50};
  /// The time of about_now() is late by a tick, which is 10 ms at most. A machine that stands still for
  /// longer than kNear notices a deadline that much later.
  static constexpr std::chrono::milliseconds kNear{100};

  /// The time of the last tick, which costs a fraction of the exact time: short requests look at it often.
  static Time about_now() {
    timespec time{};
    if (clock_gettime(CLOCK_MONOTONIC_COARSE, &time) != 0) return std::chrono::steady_clock::now();
    return Time(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
  bool is_past_deadline(Time about) const {
    return about + kNear > deadline_ && std::chrono::steady_clock::now() > deadline_;
  }
  bool is_gone(Time now) const {
    Time::rep due = ask_at_.load(std::memory_order_relaxed);
    if (now.time_since_epoch().count() < due) return false;
    const Time next = now + kBetweenQuestions;
    return ask_at_.compare_exchange_strong(due, next.time_since_epoch().count()) && client_gone_();
  }

  const Wall wall_;
  const Time deadline_;
  const std::function<bool()> client_gone_;
  mutable std::atomic<bool> over_ = false;
  mutable std::atomic<Time::rep> ask_at_;
};

}  // namespace winnow
