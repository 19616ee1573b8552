// What a bearer token opens on the port, and what it does not.
#include "extender/service/authorization/token_guard.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/function_ref.h"
#include "extender/service/authorization/token_access.h"
#include "extender/service/http/transport.h"
#include "extender/service/log/log.h"
#include "extender/service/verbs/routes.h"
#include "tests/cluster/manual_clock.h"
#include "tests/extender/service/authorization/fake_reviews.h"
#include "tests/extender/service/http/tls_client.h"
#include "tests/extender/service/log/captured_log.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using http::test::TlsClient;
using live::test::Authority;
using live::test::Identity;

/// Certificates are judged by their first name.
http::Admission judge_certificate(const http::Request& request, http::Response& response, const auto&) {
  if (request.client_names && request.client_names->front() == "kube-scheduler")
    return http::Admission::kPass;
  response = http::line_response(request.client_names ? 403 : 401, "the certificate's guard");
  return http::Admission::kRefused;
}

/// A server that answers whatever its guard lets in.
class Guarded {
 public:
  /// @param asks_certificates  with TLS.
  explicit Guarded(bool asks_certificates = true)
      : running_([](http::Request& request, http::Response& response) { response.body = request.body; }, {},
                 [&](http::Server& server) { set(server, asks_certificates); }) {
    api.users = {{"good", "prometheus"}, {"poor", "nobody"}};
    for (const Route& route : routes())
      api.rights.insert("prometheus " + std::string(route.method == "GET" ? "get " : "post ") +
                        std::string(route.path));
  }

  Answer ask(std::string_view method, std::string_view path, const std::string& authorization = "",
             const std::optional<Identity>& identity = {}) {
    const std::string request = request_text(
        method, path, "", authorization.empty() ? "" : "Authorization: " + authorization + "\r\n");
    if (!asks_) return Client(running_.port).ask(request);
    return TlsClient(running_.port, {.authority = authority_.certificate(), .identity = identity})
        .ask(request);
  }
  int head(std::string_view path, const std::string& authorization) {
    Client client(running_.port);
    client.send(request_text("HEAD", path, "", "Authorization: " + authorization + "\r\n"));
    return client.receive(/*head_only=*/true).status;
  }
  Identity identity(const std::string& name) const { return authority_.issue({.common_name = name}); }
  std::uint16_t port() const { return running_.port; }
  std::uint64_t denied() const { return running_.refused(http::Cause::kDenied); }

  live::test::ManualClock clock;
  FakeReviews api;

 private:
  void set(http::Server& server, bool asks_certificates) {
    asks_ = asks_certificates;
    server.set_guard(
        token_guard(access_, {"/livez", "/readyz"},
                    asks_ ? http::Guard(judge_certificate<FunctionRef<http::Admit()>>) : http::Guard()));
    if (!asks_) return;
    const Identity own = authority_.issue({.common_name = "winnow"});
    const auto context =
        http::TlsContext::make({own.certificate, own.key, authority_.certificate()}, {}).value();
    server.set_transport([context](int fd) { return http::make_tls_transport(fd, context); });
  }

  const Authority authority_;
  bool asks_ = false;
  live::ApiServers servers_{{"https://one"}, clock};
  live::AccessReviewer reviewer_{servers_, api, clock};
  Metrics metrics_{"", ""};
  TokenAccess access_{reviewer_, clock, metrics_.live()};
  http::test::Running running_;
};

std::string shown(const Answer& answer) { return std::to_string(answer.status) + ' ' + answer.body; }

TEST_SUITE("token guard") {
  TEST_CASE("which token a header has") {
    struct Row {
      const char* sentence;
      const char* header;
      const char* token;
    };
    const Row rows[] = {
        {"none", "", ""},
        {"a JWT", "Bearer eyJh.eyJz-_.c2ln", "eyJh.eyJz-_.c2ln"},
        {"the scheme in any case", "bEARER t", "t"},
        {"with blanks around", " \t Bearer t  ", "t"},
        {"what stands behind is not looked at, as upstream does not", "Bearer t u v", "t"},
        {"two blanks: none, as upstream has it", "Bearer  t", ""},
        {"no token", "Bearer", ""},
        {"no token, and a blank", "Bearer ", ""},
        {"another scheme", "Basic dTpw", ""},
        {"another scheme that begins alike", "BearerX t", ""},
        {"a tab between is none", "Bearer\tt", ""},
        {"a token of a file of tokens", "Bearer token-of-system:serviceaccount:a:b",
         "token-of-system:serviceaccount:a:b"},
        {"what JSON escapes is no token", "Bearer a\"b", ""},
        {"nor are bytes beyond ASCII", "Bearer a\xc3\xa9", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(bearer_token(row.header) == row.token);
    }
  }

  TEST_CASE("a token that may opens what reads, and no call of kube-scheduler's, whatever its rights") {
    for (const bool certificates : {true, false}) {
      Guarded guarded(certificates);
      for (const Route& route : routes()) {
        CAPTURE(route.path);
        const bool reads = route.method == "GET" || route.path == "/explain" || route.path == "/page/try";
        const Answer answer = guarded.ask(route.method, route.path, "Bearer good");
        if (reads)
          CHECK(answer.status == 200);
        else if (certificates)
          CHECK(shown(answer) == "401 the certificate's guard\n");
        else
          CHECK(answer.status == 200);  // Open, as without tokens.
      }
      for (const char* shut : {"/filter", "/prioritize", "/predicates", "/priorities", "/preempt", "/bind"})
        CHECK(guarded.ask("POST", shut, "Bearer good").status == (certificates ? 401 : 200));
    }
  }

  TEST_CASE("what is refused, and how") {
    struct Row {
      const char* sentence;
      const char* method;
      const char* path;
      const char* authorization;
      const char* answer;
    };
    const Row rows[] = {
        {"no token", "GET", "/metrics", "",
         "401 Unauthorized: a client certificate or a bearer token is required\n"},
        {"another scheme", "GET", "/metrics", "Basic Z29vZDpnb29k",
         "401 Unauthorized: a client certificate or a bearer token is required\n"},
        {"nobody's token", "GET", "/metrics", "Bearer bad",
         "401 Unauthorized: the API server does not take this bearer token\n"},
        {"a token that may not", "GET", "/metrics", "Bearer poor",
         "403 forbidden: User \"nobody\" cannot get path \"/metrics\": no RBAC policy matched\n"},
        {"a token that may not explain", "POST", "/explain", "Bearer poor",
         "403 forbidden: User \"nobody\" cannot post path \"/explain\": no RBAC policy matched\n"},
        {"a path that is none", "GET", "/metrics/", "Bearer good", "401 the certificate's guard\n"},
        {"a method that is none of the path's", "POST", "/metrics", "Bearer good",
         "401 the certificate's guard\n"},
        {"explain by GET", "GET", "/explain", "Bearer good", "401 the certificate's guard\n"},
    };
    Guarded guarded;
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(shown(guarded.ask(row.method, row.path, row.authorization)) == row.answer);
    }
    CHECK(guarded.denied() == std::size(rows));
    CHECK(guarded.ask("GET", "/livez").status == 200);
    CHECK(guarded.ask("GET", "/readyz", "Bearer bad").status == 200);
    CHECK(guarded.api.tokens_asked == 2);
    Guarded plain(false);
    CHECK(shown(plain.ask("GET", "/metrics")) == "401 Unauthorized: a bearer token is required\n");
    CHECK(plain.ask("GET", "/livez").status == 200);
  }

  TEST_CASE("before a body has come who has no token is refused, and no token is asked about") {
    Guarded guarded(false);
    const std::string length = "Content-Length: 5\r\n";
    const auto head = [&](std::string_view path, const std::string& more) {
      return "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + length + more + "\r\n";
    };
    CHECK(Client(guarded.port()).ask(head("/explain", "")).status == 401);
    CHECK(Client(guarded.port()).ask(head("/explain", "Authorization: Basic a\r\n")).status == 401);
    Client good(guarded.port()), bad(guarded.port()), open(guarded.port());
    good.send(head("/explain", "Authorization: Bearer good\r\n") + "ab");
    bad.send(head("/explain", "Authorization: Bearer bad\r\n") + "ab");
    open.send(head("/filter", "") + "ab");
    CHECK(guarded.ask("POST", "/filter").status == 200);
    CHECK(guarded.api.tokens_asked == 0);
    for (Client* const client : {&good, &bad, &open}) client->send("cde");
    CHECK(good.receive().body == "abcde");
    CHECK(bad.receive().status == 401);
    CHECK(open.receive().body == "abcde");
    CHECK(guarded.api.tokens_asked == 2);
  }

  TEST_CASE("the path is asked for without its query, and HEAD as GET") {
    Guarded guarded(false);
    CHECK(guarded.ask("GET", "/metrics?x=y", "Bearer good").status == 200);
    CHECK(guarded.head("/metrics", "Bearer good") == 200);
    guarded.api.rights.erase("prometheus get /rules");
    CHECK(guarded.head("/rules", "Bearer good") == 403);
    CHECK(guarded.head("/filter", "Bearer good") == 200);
  }

  TEST_CASE("who shows a certificate is judged by it, and no token is asked about") {
    Guarded guarded;
    const Identity scheduler = guarded.identity("kube-scheduler"), other = guarded.identity("other");
    CHECK(guarded.ask("GET", "/metrics", "", scheduler).status == 200);
    CHECK(guarded.ask("POST", "/filter", "Bearer bad", scheduler).status == 200);
    CHECK(guarded.ask("GET", "/metrics", "Bearer bad", scheduler).status == 200);
    CHECK(guarded.ask("GET", "/metrics", "Bearer good", other).status == 403);
    CHECK(guarded.ask("GET", "/livez", "", other).status == 200);
    CHECK(guarded.api.tokens_asked == 0);
  }

  TEST_CASE("an API server that does not say, or too slowly, opens nothing") {
    Guarded guarded;
    guarded.api.down = true;
    CHECK(shown(guarded.ask("GET", "/metrics", "Bearer good")) ==
          "500 Internal Server Error: \"/metrics\": the API server has not said whose bearer token this is, "
          "and "
          "what its user may do\n");
    CHECK(guarded.ask("GET", "/livez").status == 200);
    CHECK(guarded.ask("POST", "/filter", "", guarded.identity("kube-scheduler")).status == 200);
    guarded.api.down = false;
    CHECK(guarded.ask("GET", "/metrics", "Bearer good").status == 200);
  }

  TEST_CASE("who waits for an API server keeps nobody else waiting") {
    Guarded guarded(false);
    guarded.api.hold();
    std::vector<std::jthread> callers;
    std::atomic<int> opened = 0;
    for (int i = 0; i < 30; ++i)
      callers.emplace_back(
          [&] { opened += guarded.ask("GET", "/metrics", "Bearer good").status == 200 ? 1 : 0; });
    guarded.api.wait_for(1);
    for (int i = 0; i < 20; ++i) CHECK(guarded.ask("POST", "/filter").status == 200);
    CHECK(guarded.ask("GET", "/livez").status == 200);
    CHECK(opened == 0);
    guarded.api.go();
    callers.clear();
    CHECK(opened == 30);
  }

  TEST_CASE("--v=2 tells who was refused, and why, without the token") {
    Guarded guarded;
    std::string text;
    Answer poor, bad;
    {
      const CapturedLog log;
      guarded.ask("GET", "/metrics", "Bearer poor");
      log_init(2);
      poor = guarded.ask("GET", "/metrics", "Bearer poor");
      bad = guarded.ask("GET", "/metrics", "Bearer bad");
      log_init(0);
      text = log.text();
    }
    // The request's id ends the line, and is the one that the answer has.
    const auto id_of = [](const Answer& answer) {
      constexpr std::string_view kName = "\r\nX-Request-ID: ";
      const auto at = answer.head.find(kName);
      REQUIRE(at != std::string::npos);
      return answer.head.substr(at + kName.size(), 16);
    };
    CHECK(std::ranges::count(text, '\n') == 2);
    CHECK(text.contains("msg=\"token refused\" verb=get path=/metrics remote=127.0.0.1:"));
    CHECK(text.contains(
        " status=403 user=nobody reason=\"no RBAC policy matched\" request_id=" + id_of(poor) + '\n'));
    CHECK(text.contains(" status=401 user=\"\" reason=\"invalid bearer token\" request_id=" + id_of(bad) +
                        '\n'));
    CHECK_FALSE(text.contains("poor"));
    // An id that was made may begin with "bad"; it is longer.
    CHECK_FALSE((text.contains("=bad ") || text.contains("=bad\n") || text.contains("Bearer")));
  }
}

}  // namespace
}  // namespace winnow::test
