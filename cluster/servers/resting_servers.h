// The API servers that have asked for patience, and until when.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "cluster/clock.h"
#include "cluster/mutex.h"
#include "cluster/transport/transport.h"

namespace winnow::live {

/// Requests that share this leave a server alone for as long as it has asked one of them to. Thread-safe.
class RestingServers {
 public:
  static constexpr std::chrono::seconds kShortest{1};  ///< As RetryAfter's.
  static constexpr std::chrono::seconds kLongest{60};

  /// @param clock  outlives this.
  explicit RestingServers(Clock& clock) : clock_(clock) {}

  /// Takes note of an answer: a 429, or a 5xx, with a Retry-After.
  void heard(const std::string& server, const ApiResponse& answer);
  /// The time until which a server is left alone; in the past: it may be asked.
  Clock::Time until(const std::string& server) const;

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, Clock::Time> until_ WINNOW_GUARDED_BY(mutex_);  ///< Without those that are over.
};

}  // namespace winnow::live
