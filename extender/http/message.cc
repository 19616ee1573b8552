#include "extender/http/message.h"

#include <utility>

#include "cluster/memory_limit.h"

namespace winnow::http {

Limits Limits::of_memory() {
  Limits limits;
  limits.body_bytes = share_of_memory(16, 4UL << 20, limits.body_bytes);
  limits.buffered_bytes = share_of_memory(8, 8UL << 20, limits.buffered_bytes);
  limits.connections = share_of_memory(256UL << 10, 256, limits.connections);  // See kSmallSendBuffer.
  limits.handler_bytes = share_of_memory(4, 32UL << 20, limits.handler_bytes);
  return limits;
}

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
