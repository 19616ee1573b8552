#include "cluster/servers/watch_error.h"

#include <array>

namespace winnow::live {

std::string_view to_string(WatchError watch_error) {
  static constexpr std::array<std::string_view, kWatchErrors> kNames = {
      "unreachable", "broken",  "timeout",   "oversized",   "expired", "too_large", "throttled",
      "denied",      "refused", "malformed", "short_watch", "older",   "no_memory",
  };
  return kNames[static_cast<std::size_t>(watch_error)];
}

Failure failure_of(const TransportError& error) {
  using Kind = TransportError::Kind;
  switch (error.kind) {
    case Kind::kUnreachable:
      return {WatchError::kUnreachable, error.message};
    case Kind::kTimeout:
      return {WatchError::kTimeout, error.message};
    case Kind::kOversized:
      return {WatchError::kOversized, error.message};
    case Kind::kBroken:
    case Kind::kStopped:
      break;
  }
  return {WatchError::kBroken, error.message};
}

}  // namespace winnow::live
