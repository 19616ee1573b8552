// What goes wrong between a reflector and an API server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/live/transport.h"

namespace winnow::live {

/// Why a list or a watch did not go on.
enum class Trouble : std::uint8_t {
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
};
inline constexpr std::size_t kTroubles = 12;
std::string_view to_string(Trouble trouble);  ///< "unreachable", …, as a metric's label has it.

struct Failure {
  Trouble trouble = Trouble::kRefused;
  std::string message;  ///< One line for people, nothing secret.
  int status = 0;       ///< The HTTP status that said so; 0: none did.
};

Failure failure_of(const TransportError& error);

/// What a server wrote, fit for one line of a log: control characters become spaces, long text is cut.
std::string one_line(std::string_view text);

}  // namespace winnow::live
