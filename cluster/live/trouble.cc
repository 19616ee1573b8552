#include "cluster/live/trouble.h"

#include <array>

namespace winnow::live {

std::string_view to_string(Trouble trouble) {
  static constexpr std::array<std::string_view, kTroubles> kNames = {
      "unreachable", "broken", "timeout", "oversized", "expired",     "too_large",
      "throttled",   "denied", "refused", "malformed", "short_watch", "older",
  };
  return kNames[static_cast<std::size_t>(trouble)];
}

Failure failure_of(const TransportError& error) {
  using Kind = TransportError::Kind;
  switch (error.kind) {
    case Kind::kUnreachable:
      return {Trouble::kUnreachable, error.message};
    case Kind::kTimeout:
      return {Trouble::kTimeout, error.message};
    case Kind::kOversized:
      return {Trouble::kOversized, error.message};
    case Kind::kBroken:
    case Kind::kStopped:
      break;
  }
  return {Trouble::kBroken, error.message};
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  std::string line(text.substr(0, kLongest));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  if (text.size() <= kLongest) return line;
  // A character that was cut in two is left out whole.
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80) line.pop_back();
  if (!line.empty() && static_cast<unsigned char>(line.back()) >= 0xc0) line.pop_back();
  return line + "…";
}

}  // namespace winnow::live
