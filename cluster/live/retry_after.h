// A server that says when to come again.
#pragma once

#include <expected>
#include <functional>

#include "cluster/live/clock.h"
#include "cluster/live/transport.h"

namespace winnow::live {

/// Sends a request again for as long as the answer is 429 or 5xx with a Retry-After, after as many seconds as
/// the server says, but 1 to 60 (client-go's rest/with_retry.go v0.37.0, which has no such bounds). Not so
/// "Too large resource version": a server that is behind is not waited for where another may have more.
class RetryAfter {
 public:
  static constexpr int kRetries = 10;          ///< At most, of one server that is the only one,
  static constexpr int kRetriesOfSeveral = 1;  ///< and where there are others to be asked instead.
  static constexpr std::chrono::seconds kShortest{1};
  static constexpr std::chrono::seconds kLongest{60};

  using Answer = std::expected<ApiResponse, TransportError>;

  /// @param on_wait  is told each answer that is waited for.  @param servers  how many there are.
  RetryAfter(Clock& clock, std::function<void(const ApiResponse&)> on_wait,
             std::function<std::size_t()> servers)
      : clock_(clock), on_wait_(std::move(on_wait)), servers_(std::move(servers)) {}

  /// @return the last answer; kStopped where `stop` cut a wait short.
  Answer ask(const std::function<Answer()>& send, const std::stop_token& stop) const;

 private:
  Clock& clock_;
  std::function<void(const ApiResponse&)> on_wait_;
  std::function<std::size_t()> servers_;
};

}  // namespace winnow::live
