#include "cluster/client/servers/api_status.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "cluster/client/transport/transport.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_scan.h"

namespace winnow::live {
namespace {

constexpr std::string_view kTooLargeText = "Too large resource version";

/// What answers in an API server's place.
constexpr const char* kRedirect =
    "a redirect, which Winnow does not follow; expected an API server's own address, not a proxy's";

bool is_redirect(const ApiResponse& response) { return response.status / 100 == 3; }

std::optional<int> read_int(JsonScan& scan) {
  const std::string_view text = scan.value();
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void read_details(JsonScan& scan, ApiStatus& status) {
  read_object(scan, [&](std::string_view key) {
    if (key == "causes") {
      read_elements(scan, [&] {
        ApiStatus::Cause& cause = status.causes.emplace_back();
        read_object(scan, [&](std::string_view name) {
          const std::string text = string_text(scan);
          if (name == "reason") cause.reason = text;
          if (name == "message") cause.message = text;
        });
      });
    } else {
      scan.value();
    }
  });
}

WatchError trouble_of(const ApiStatus& status) {
  if (status.is_expired()) return WatchError::kExpired;
  if (status.is_too_large()) return WatchError::kTooLarge;
  if (status.code == 429 || status.reason == "TooManyRequests") return WatchError::kThrottled;
  if (status.code == 401 || status.code == 403) return WatchError::kDenied;
  return WatchError::kRefused;
}

}  // namespace

bool ApiStatus::is_expired() const { return code == 410 || reason == "Expired" || reason == "Gone"; }

bool ApiStatus::is_too_large() const {
  if (std::ranges::any_of(causes, [](const Cause& c) { return c.reason == "ResourceVersionTooLarge"; }))
    return true;
  if (reason != "Timeout" && code != 504) return false;
  return message.contains(kTooLargeText) ||
         std::ranges::any_of(causes, [](const Cause& c) { return c.message == kTooLargeText; });
}

std::optional<ApiStatus> read_status(std::string_view json) {
  JsonScan scan(json);
  ApiStatus status;
  std::string kind;
  read_members(scan, [&](std::string_view key) {
    if (key == "kind") {
      kind = string_text(scan);
    } else if (key == "message") {
      status.message = string_text(scan);
    } else if (key == "reason") {
      status.reason = string_text(scan);
    } else if (key == "code") {
      status.code = read_int(scan).value_or(0);
    } else if (key == "details") {
      read_details(scan, status);
    } else {
      scan.value();
    }
  });
  if (!scan.expect_end() || kind != "Status") return std::nullopt;
  return status;
}

Failure failure_of(const ApiStatus& status) {
  std::string message = status.code ? std::to_string(status.code) : std::string("error");
  if (!status.reason.empty()) message += " " + status.reason;
  if (!status.message.empty()) message += ": " + status.message;
  return {trouble_of(status), one_line(message), status.code};
}

Failure failure_of(const ApiResponse& response) {
  std::optional<ApiStatus> status = read_status(response.body);
  if (!status) status.emplace().message = is_redirect(response) ? kRedirect : response.body;
  if (response.status != 200 || status->code == 0) status->code = response.status;
  Failure failure = failure_of(*status);
  // A 5xx with Retry-After asks for patience, and is not a refusal.
  if (response.retry_after && response.status / 100 == 5 && failure.watch_error == WatchError::kRefused)
    failure.watch_error = WatchError::kThrottled;
  return failure;
}

constexpr std::string_view kCredentialsDenied = "the API server refuses Winnow's credentials (401): no ";
constexpr std::string_view kRightDenied = "the API server denies Winnow a right: ";

std::string denial(int status, std::string_view asked, std::string_view message) {
  if (status == 401) return std::string(kCredentialsDenied).append(asked);
  return std::string(kRightDenied).append(message);
}

bool tells_of_denial(std::string_view line) {
  return line.contains(kCredentialsDenied) || line.contains(kRightDenied);
}

void Denials::refused(const ApiResponse& answer) {
  const std::string message = failure_of(answer).message;
  const bool for_all = answer.status == 401 || (answer.status == 403 && message.contains(right_));
  note(for_all ? denial(answer.status, write_, message) : "");
}

void Denials::note(std::string why) {
  const MutexLock lock(mutex_);
  why_ = std::move(why);
  noted_at_ = clock_.now();
}

std::string Denials::why() const {
  const MutexLock lock(mutex_);
  return clock_.now() - noted_at_ < kReportedFor ? why_ : "";
}

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
