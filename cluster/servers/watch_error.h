// The failures of lists and watches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/transport/transport.h"

namespace winnow::live {

/// The reason for which a list or a watch ended.
enum class WatchError : std::uint8_t {
  kUnreachable,  ///< No connection.
  kBroken,       ///< The stream or the answer was cut.
  kTimeout,      ///< No answer in time, or a silent stream.
  kOversized,    ///< An answer larger than what is taken in.
  kExpired,      ///< 410, or an ERROR event that says so: the history is gone.
  kTooLarge,     ///< "Too large resource version": the server is behind.
  kThrottled,    ///< 429, or 5xx that says when to come again.
  kDenied,       ///< 401 or 403.
  kRefused,      ///< Any other status, or ERROR event.
  kMalformed,    ///< Not what an API server says.
  kShortWatch,   ///< Closed at once without an event.
  kOlder,        ///< Older than what is known: refused.
  kNoMemory,     ///< Memory was short: what had begun is dropped, and the objects are listed again.
};
inline constexpr std::size_t kWatchErrors = 13;
std::string_view to_string(WatchError watch_error);  ///< "unreachable", …, as a metric's label has it.

struct Failure {
  WatchError watch_error = WatchError::kRefused;
  std::string message;  ///< One line for people, nothing secret.
  int status = 0;       ///< The HTTP status that said so; 0: none did.
};

Failure failure_of(const TransportError& error);

}  // namespace winnow::live
