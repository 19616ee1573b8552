#include "extender/service/http/message.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "cluster/memory_budget.h"
#include "extender/service/http/request_id.h"

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

std::optional<std::string_view> PathPrefix::served(std::string_view path) const {
  if (prefix.empty()) return path;
  if (path.starts_with(prefix) && path.substr(prefix.size()).starts_with('/'))
    return path.substr(prefix.size());
  return std::ranges::contains(anywhere, path) ? std::optional(path) : std::nullopt;
}

void enter(Request& request, const PathPrefix& prefix) {
  const auto path = prefix.served(request.path);
  request.outside = !path;
  if (path && path->size() < request.path.size()) request.path = std::string(*path);
}

Response line_response(int status, std::string line) {
  return {status, "text/plain; charset=utf-8", std::move(line) + '\n', {}};
}

namespace {

std::string_view reason(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

}  // namespace

// Each thread formats the date once a second.
const std::string& date_now() {
  thread_local std::time_t formatted = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != formatted || text.empty()) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    char buffer[64];
    text.assign(buffer, std::strftime(buffer, sizeof buffer, "%a, %d %b %Y %H:%M:%S GMT", &utc));
    formatted = now;
  }
  return text;
}

std::string render(const Refusal& refusal, std::string_view request_id) {
  std::string out = "HTTP/1.1 " + std::to_string(refusal.status) + ' ';
  out.append(reason(refusal.status)).append("\r\nDate: ").append(date_now());
  if (!request_id.empty()) out.append("\r\n").append(kRequestIdHeader).append(": ").append(request_id);
  out.append("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ")
      .append(std::to_string(refusal.text.size() + 1))
      .append("\r\nConnection: close\r\n\r\n");
  return out.append(refusal.text).append("\n");
}

}  // namespace winnow::http
