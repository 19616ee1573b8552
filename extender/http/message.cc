#include "extender/http/message.h"

#include <utility>

namespace winnow::http {

std::string_view to_string(Cause cause) {
  constexpr std::array<std::string_view, kCauses> kNames = {
      "malformed",   "unsupported", "header_too_large", "header_slow", "body_too_large", "body_slow",
      "connections", "memory",      "write_slow",       "handshake",   "denied"};
  return kNames[static_cast<std::size_t>(cause)];
}

Response line_response(int status, std::string line) {
  return {status, "text/plain; charset=utf-8", std::move(line) + '\n', {}};
}

}  // namespace winnow::http
