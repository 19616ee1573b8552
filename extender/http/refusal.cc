#include "extender/http/refusal.h"

#include <ctime>

namespace winnow::http {
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

std::string render(const Refusal& refusal) {
  std::string out = "HTTP/1.1 " + std::to_string(refusal.status) + ' ';
  out.append(reason(refusal.status)).append("\r\nDate: ").append(date_now());
  out.append("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ")
      .append(std::to_string(refusal.text.size() + 1))
      .append("\r\nConnection: close\r\n\r\n");
  return out.append(refusal.text).append("\n");
}

}  // namespace winnow::http
