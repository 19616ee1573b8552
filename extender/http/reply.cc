#include "extender/http/reply.h"

#include <algorithm>
#include <ctime>
#include <string_view>

#include "extender/http/head.h"

namespace winnow::http {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
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

// The value of the Date header. Each thread formats it once a second.
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

/// Leaves out what cannot be sent: a line break in a value would let its author add headers or a response.
void add_line(std::string& out, std::string_view name, std::string_view value) {
  if (name.empty() || name.contains(':') || !is_field_value(name) || !is_field_value(value)) return;
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string render_head(const Response& response, After after) {
  std::string out;
  out.reserve(256);
  out.append("HTTP/1.1 ")
      .append(std::to_string(response.status))
      .append(" ")
      .append(reason(response.status))
      .append("\r\n");
  add_line(out, "Date", date_now());
  if (has_body(response.status)) {
    if (!response.content_type.empty()) add_line(out, "Content-Type", response.content_type);
    add_line(out, "Content-Length", std::to_string(response.body.size()));
  }
  if (after == After::kClose) add_line(out, "Connection", "close");
  if (after == After::kKeepAliveSaid) add_line(out, "Connection", "keep-alive");
  for (const auto& [name, value] : response.headers) add_line(out, name, value);
  out.append("\r\n");
  return out;
}

}  // namespace winnow::http
