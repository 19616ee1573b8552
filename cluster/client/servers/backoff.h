// The waits before a list or watch is tried again, and before a request is repeated after a Retry-After.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <random>
#include <stop_token>
#include <utility>

#include "cluster/client/transport/transport.h"
#include "cluster/clock.h"
#include "cluster/function_ref.h"

namespace winnow::live {

/// client-go's back-off for reflectors (tools/cache/reflector.go v0.37.0). Waits begin with 0.8 s and double
/// up to 30 s. Up to as much again is added at random, so that many clients do not return together. After two
/// minutes without a wait it begins anew. One thread uses it.
class Backoff {
 public:
  static constexpr std::chrono::milliseconds kFirst{800};
  static constexpr std::chrono::milliseconds kCap{
      30'000};  ///< Without the random part: waits are below twice this.
  static constexpr std::chrono::minutes kReset{2};

  explicit Backoff(std::uint64_t seed) : random_(seed) {}

  /// The next wait, that begins now.
  Clock::Duration next(Clock::Time now);

 private:
  std::mt19937_64 random_;
  std::chrono::milliseconds base_ = kFirst;
  Clock::Time until_ = Clock::Time::min();  ///< The end of the last wait.
};

// Answers with a Retry-After, and the requests that are repeated after it.

/// Repeats a request while the answer is 429 or 5xx with a Retry-After, up to a number of times. It waits as
/// many seconds as the server says, cut to 1 to 60; client-go has no such bounds (rest/with_retry.go
/// v0.37.0). "Too large resource version" is returned at once: the server is behind, and another may not be.
class RetryAfter {
 public:
  static constexpr int kRetries = 10;          ///< The most repeats with one server.
  static constexpr int kRetriesOfSeveral = 1;  ///< The same where another server can be asked instead.
  static constexpr std::chrono::seconds kShortest{1};
  static constexpr std::chrono::seconds kLongest{60};

  using Answer = std::expected<ApiResponse, TransportError>;

  /// @param on_wait  called with each answer that asks to wait.  @param servers  the number of servers.
  RetryAfter(Clock& clock, std::function<void(const ApiResponse&)> on_wait,
             std::function<std::size_t()> servers)
      : clock_(clock), on_wait_(std::move(on_wait)), servers_(std::move(servers)) {}

  /// @return the last answer; kStopped where `stop` cut a wait short.
  Answer ask(FunctionRef<Answer()> send, const std::stop_token& stop) const;

 private:
  Clock& clock_;
  std::function<void(const ApiResponse&)> on_wait_;
  std::function<std::size_t()> servers_;
};

}  // namespace winnow::live
