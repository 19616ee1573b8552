#include "cluster/client/servers/api_status.h"

#include <doctest/doctest.h>

#include <set>

#include "cluster/api/pod.h"
#include "tests/cluster/client/watch/fake_api_server.h"

namespace winnow::live {

TEST_CASE("a Status is read whole") {
  const auto status = read_status(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
      "message":"Timeout: \"Too large\"","reason":"Timeout","details":{"name":"x","causes":[
      {"reason":"ResourceVersionTooLarge","message":"Too large resource version","field":"f"},null],
      "retryAfterSeconds":7},"code":504})");
  REQUIRE(status);
  CHECK(status->code == 504);
  CHECK(status->reason == "Timeout");
  CHECK(status->message == "Timeout: \"Too large\"");
  REQUIRE(status->causes.size() == 2);
  CHECK(status->causes[0].reason == "ResourceVersionTooLarge");
  CHECK(status->causes[0].message == "Too large resource version");
}

TEST_CASE("what is no Status is none") {
  for (const char* text :
       {"", "<html>", "{}", "null", R"({"kind":"Pod"})", R"({"kind":"Status")", R"({"kind":"Status"} x)"}) {
    CAPTURE(text);
    CHECK_FALSE(read_status(text));
  }
}

TEST_CASE("a refusal is told by its code, its reason or its causes") {
  constexpr std::string_view kCause = R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"x"}]})";
  constexpr std::string_view kOldCause = R"({"causes":[{"message":"Too large resource version"}]})";
  struct Row {
    const char* sentence;
    std::string status;
    WatchError watch_error;
  };
  const Row rows[] = {
      {"Expired", status_json(410, "Expired", "too old"), WatchError::kExpired},
      {"Gone, up to 1.17", status_json(410, "Gone", "too old"), WatchError::kExpired},
      {"Expired without a code", R"({"kind":"Status","reason":"Expired"})", WatchError::kExpired},
      {"too large, today", status_json(504, "Timeout", "x", kCause), WatchError::kTooLarge},
      {"too large, 1.17 to 1.18.5", status_json(504, "Timeout", "x", kOldCause), WatchError::kTooLarge},
      {"too large, before", status_json(504, "Timeout", "Timeout: Too large resource version: 5, current: 4"),
       WatchError::kTooLarge},
      {"the words count in a timeout only", status_json(400, "BadRequest", "Too large resource version"),
       WatchError::kRefused},
      {"another timeout", status_json(504, "Timeout", "etcd"), WatchError::kRefused},
      {"TooManyRequests", status_json(429, "TooManyRequests", "slow down"), WatchError::kThrottled},
      {"Unauthorized", status_json(401, "Unauthorized", "no"), WatchError::kDenied},
      {"Forbidden", status_json(403, "Forbidden", "no"), WatchError::kDenied},
      {"InternalError", status_json(500, "InternalError", "oops"), WatchError::kRefused},
      {"nothing said", R"({"kind":"Status"})", WatchError::kRefused},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto status = read_status(row.status);
    REQUIRE(status);
    CHECK(failure_of(*status).watch_error == row.watch_error);
    CHECK(failure_of(ApiResponse{.status = status->code, .body = row.status}).watch_error == row.watch_error);
  }
}

TEST_CASE("an answer of a proxy is told by its HTTP status") {
  CHECK(
      failure_of(ApiResponse{.status = 302, .body = "<html>"}).message.starts_with("302: a redirect, which"));
  CHECK(failure_of(ApiResponse{.status = 410, .body = "<html>"}).watch_error == WatchError::kExpired);
  CHECK(failure_of(ApiResponse{.status = 429}).watch_error == WatchError::kThrottled);
  CHECK(failure_of(ApiResponse{.status = 503}).watch_error == WatchError::kRefused);
  CHECK(failure_of(ApiResponse{.status = 503, .retry_after = std::chrono::seconds(1)}).watch_error ==
        WatchError::kThrottled);
  const Failure failure = failure_of(ApiResponse{.status = 502, .body = "<h1>\r\nBad\x01 gateway"});
  CHECK(failure.watch_error == WatchError::kRefused);
  CHECK(failure.message == "502: <h1>  Bad\ufffd gateway");
}

TEST_CASE("what is denied is told with whose fault it is") {
  const Failure refused =
      failure_of(ApiResponse{.status = 401, .body = status_json(401, "Unauthorized", "Unauthorized")});
  CHECK(refused.status == 401);
  CHECK(denial(refused.status, "list or watch of nodes", refused.message) ==
        "the API server refuses Winnow's credentials (401): no list or watch of nodes");
  const Failure forbidden = failure_of(
      ApiResponse{.status = 403, .body = status_json(403, "Forbidden", "nodes is forbidden: User w")});
  CHECK(forbidden.status == 403);
  CHECK(denial(forbidden.status, "list or watch of nodes", forbidden.message) ==
        "the API server denies Winnow a right: 403 Forbidden: nodes is forbidden: User w");
}

TEST_CASE("every trouble has a name of its own") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kWatchErrors; ++i) names.insert(to_string(static_cast<WatchError>(i)));
  CHECK(names.size() == kWatchErrors);
  CHECK(to_string(WatchError::kUnreachable) == "unreachable");
  CHECK(to_string(WatchError::kOversized) == "oversized");
  CHECK(to_string(WatchError::kOlder) == "older");
}

}  // namespace winnow::live
