// The library and the check must find one end of a request. Here they are made to differ.
#include "extender/service/http/router.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "extender/service/http/framing.h"

namespace winnow::http::test {
namespace {

struct Result {
  Outcome outcome;
  std::string handled;  // the bodies that handlers got
  std::string sent;
};

/// A client that takes all that is sent.
struct Taker : Requester {
  std::string sent;

  bool is_kept() override { return true; }
  void on_read() override {}
  bool send(std::string_view bytes) override { return sent += bytes, true; }
};

Result run(std::string_view head, std::string_view body) {
  Result result;
  Tally tally;
  const auto handler = [&](Request& request, Response&) { result.handled += '[' + request.body + ']'; };
  Limits limits;
  limits.body_bytes = 1000;
  Router router(handler, limits, tally);
  router.add("GET", "/get", handler);
  router.add("POST", "/post", handler);
  Taker taker;
  Exchange exchange{.requester = taker, .head = head, .body = body};
  result.outcome = router.answer(exchange);
  result.sent = taker.sent;
  return result;
}

TEST_CASE("http: where library and check agree, the handler runs once") {
  for (const std::string_view line : {"POST /post", "POST /other", "GET /get", "GET /other", "PUT /get"}) {
    const std::string start = std::string(line) + " HTTP/1.1\r\nHost: a\r\n";
    for (const auto& [fields, body] :
         {std::pair("Content-Length: 2\r\n\r\n", "ab"),
          std::pair("Transfer-Encoding: chunked\r\n\r\n", "2\r\nab\r\n0\r\n\r\n")}) {
      const Result result = run(start + fields, body);
      CHECK(result.outcome == Outcome::kAnswered);
      CHECK(result.handled == "[ab]");
      CHECK(result.sent.starts_with("HTTP/1.1 200 OK\r\n"));
    }
    CHECK(run(start + "\r\n", "").handled == "[]");
  }
}

TEST_CASE("http: what is seen of a head before its body comes is what the handler gets") {
  struct Row {
    const char* sentence;
    const char* line;
    const char* fields;
  };
  const Row rows[] = {
      {"a path", "POST /post", ""},
      {"a query", "POST /post?a=b?c", ""},
      {"an empty query", "POST /post?", ""},
      {"an encoded path", "POST /po%73t", ""},
      {"HEAD", "HEAD /get", ""},
      {"the absolute form", "POST http://a.b:1/post?q", ""},
      {"the absolute form without a path", "GET HTTP://a.b", ""},
      {"a token", "POST /post", "Authorization: Bearer a.b-c\r\n"},
      {"a token in other letters and blanks", "POST /post", "aUTHORIZATION:\t Bearer  x \r\n"},
      {"two tokens", "POST /post", "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"},
      {"three tokens", "POST /post", "Authorization: a\r\nAuthorization: b\r\nAuthorization: c\r\n"},
      {"a token that the library would decode", "POST /post", "Authorization: Bearer %61\r\n"},
      {"nothing in it", "POST /post", "Authorization:\r\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::string head =
        std::string(row.line) + " HTTP/1.1\r\nHost: a\r\n" + row.fields + "Accept: x\r\n\r\n";
    std::string passed;
    REQUIRE(check_head(head, Limits(), passed));
    const Request seen = request_of(passed);
    Tally tally;
    Request got;
    Router router([&](Request& request, Response&) { got = request; }, Limits(), tally);
    Taker taker;
    Exchange exchange{.requester = taker, .head = passed, .body = ""};
    REQUIRE(router.answer(exchange) == Outcome::kAnswered);
    CHECK(seen.method == got.method);
    CHECK(seen.path == got.path);
    CHECK(seen.query == got.query);
    CHECK(seen.authorization == got.authorization);
  }
}

TEST_CASE("http: where they differ, no handler runs and nothing is sent") {
  for (const std::string_view line : {"POST /post", "POST /other", "GET /get", "GET /other", "PUT /get"}) {
    const std::string start = std::string(line) + " HTTP/1.1\r\nHost: a\r\n";
    for (const auto& [fields, body] :
         {std::pair("Content-Length: 2\r\n\r\n", "a"), std::pair("Content-Length: 2\r\n\r\n", "abc"),
          std::pair("Content-Length: 2\r\n\r\n", ""), std::pair("\r\n", "ab"), std::pair("", ""),
          std::pair("Content-Length: 2x\r\n\r\n", "ab"), std::pair("Content-Length: 1001\r\n\r\n", "ab"),
          std::pair("X\r\n\r\n", ""), std::pair("Transfer-Encoding: chunked\r\n\r\n", "2\r\nab\r\n"),
          std::pair("Transfer-Encoding: chunked\r\n\r\n", "2\r\nab\r\n0\r\n\r\nGET"),
          std::pair("Transfer-Encoding: chunked\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n"),
          std::pair("Transfer-Encoding: gzip\r\n\r\n", "2\r\nab\r\n0\r\n\r\n")}) {
      CAPTURE(line);
      CAPTURE(fields);
      CAPTURE(body);
      const Result result = run(start + fields, body);
      CHECK(result.outcome == Outcome::kDisagreed);
      CHECK(result.handled.empty());
      CHECK(result.sent.empty());
    }
  }
  CHECK(run("", "").outcome == Outcome::kDisagreed);
  CHECK(run("nonsense\r\n\r\n", "").outcome == Outcome::kDisagreed);
}

}  // namespace
}  // namespace winnow::http::test
