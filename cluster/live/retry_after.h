// A server that says when to come again.
#pragma once

#include <expected>
#include <functional>

#include "cluster/live/clock.h"
#include "cluster/live/transport.h"

namespace winnow::live {

/// Sends a request again for as long as the answer is 429 or 5xx with a Retry-After, at most kRetries times
/// and after as many seconds as the server says, but 1 to 60 (client-go's rest/with_retry.go v0.37.0, which
/// has no such bounds).
class RetryAfter {
 public:
  static constexpr int kRetries = 10;
  static constexpr std::chrono::seconds kShortest{1};
  static constexpr std::chrono::seconds kLongest{60};

  using Answer = std::expected<ApiResponse, TransportError>;

  /// @param on_wait  is told each answer that is waited for.
  RetryAfter(Clock& clock, std::function<void(const ApiResponse&)> on_wait)
      : clock_(clock), on_wait_(std::move(on_wait)) {}

  /// @return the last answer; kStopped where `stop` cut a wait short.
  Answer ask(const std::function<Answer()>& send, const std::stop_token& stop) const;

 private:
  Clock& clock_;
  std::function<void(const ApiResponse&)> on_wait_;
};

}  // namespace winnow::live
