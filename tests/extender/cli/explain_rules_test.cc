// By which rules explain answers, and how those of a Winnow that runs differ.
#include "extender/cli/explain_rules.h"

#include <doctest/doctest.h>

#include "extender/cli/flags/common_flags.h"
#include "extender/cli/winnow_server.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/config/rules_summary.h"
#include "extender/service/http/transport.h"
#include "tests/cluster/client/transport/certificates.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/service/http/client.h"

namespace winnow::test {
namespace {

LoadedRules load(const std::string& text) { return load_rules("f", text, parse_gates("").value()).value(); }
std::string today(const std::string& rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest;
}
std::string url_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

std::string error_of(const std::string& url) {
  const auto rules = rules_of_server({.url = url});
  REQUIRE_FALSE(rules);
  return rules.error();
}

}  // namespace

TEST_CASE("the rules are named by their file and its kind") {
  CHECK(describe_rules("", classic_rules(parse_gates("").value())) == "v1.16, default provider");
  CHECK(describe_rules("a/p.yaml", load("kind: Policy\napiVersion: v1\n")) == "a/p.yaml (Policy)");
  CHECK(describe_rules("k.yaml", load(today(""))) ==
        "k.yaml (KubeSchedulerConfiguration, profile default-scheduler)");
  CHECK(describe_rules("k.yaml", load(today("profiles: [{schedulerName: a}, {schedulerName: b}]\n"))) ==
        "k.yaml (KubeSchedulerConfiguration, profiles a, b)");
}

TEST_CASE("a server, and what it is shown, must go together") {
  struct Row {
    const char* sentence;
    ServerFlags flags;
    const char* says;
  };
  const Row rows[] = {
      {"none", {}, ""},
      {"http", {.url = "http://127.0.0.1:10290"}, ""},
      {"https", {.url = "https://[::1]:10290/"}, ""},
      {"all that there is", {"https://winnow:1", "ca", "c", "k", "n", "t"}, ""},
      {"no URL",
       {.url = "localhost:10290"},
       "--server: \"localhost:10290\" is not a server's URL: it must begin"},
      {"a token for nobody", {.token = "t"}, "--token needs --server"},
      {"an authority for nobody", {.authority = "ca"}, "--certificate-authority needs --server"},
      {"a token in clear",
       {.url = "http://w:1", .token = "t"},
       "--token needs https: expected --server https://w:1"},
      {"an authority, and no certificate to check",
       {.url = "http://w:1/x", .authority = "ca"},
       "--certificate-authority needs https: expected --server https://w:1"},
      {"a certificate without its key",
       {.url = "https://w", .certificate = "c"},
       "--client-certificate and --client-key go together"},
      {"a key without its certificate",
       {.url = "https://w", .key = "k"},
       "--client-certificate and --client-key go together"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::string wrong = wrong_server(row.flags);
    CHECK_MESSAGE((*row.says == '\0' ? wrong.empty() : wrong.starts_with(row.says)), wrong);
  }
}

TEST_CASE("how rules differ, in one line") {
  const RulesSummary ours{"Policy", "1", {{"", {"A", "B"}, {{"P", 1}, {"Q", 2}}}}};
  const auto differs = [&](const std::vector<RulesProfile>& profiles) {
    return difference(ours, {"Policy", "2", profiles});
  };
  CHECK(difference(ours, ours).empty());
  CHECK(difference(ours, {"KubeSchedulerConfiguration", "2", {}}) ==
        "a KubeSchedulerConfiguration there, a Policy here");
  CHECK(differs(ours.profiles) == "the names and weights are the same, the arguments or the order are not");
  CHECK(differs({{"", {"A", "C", "D"}, {{"P", 1}, {"Q", 5}}}}) ==
        "only there: C, D; only here: B; Q weighs 5 there, and 2 here");
  CHECK(differs({{"", {"A", "B", "Q"}, {{"P", 1}, {"Q", 2}}}}) ==
        "Q filters and scores there, and scores here");
  CHECK(differs({{"", {"A", "B", "\x1b[31m"}, {{"P", 1}, {"Q", 2}}}}).contains("\x1b") == false);
}

TEST_CASE("how profiles differ") {
  const RulesSummary ours{"K", "1", {{"a", {"A"}, {}}, {"b", {"A"}, {}}}};
  CHECK(difference(ours, {"K", "2", {{"a", {"A"}, {}}, {"b", {}, {{"P", 1}}}, {"c", {}, {}}}}) ==
        "only there: profile c; profile b: only there: P; only here: A");
}

TEST_CASE("what a server answers that is none of ours") {
  const std::string unreachable = error_of("http://127.0.0.1:1");
  CHECK(unreachable.starts_with("http://127.0.0.1:1: "));
  CHECK_FALSE(unreachable.contains('\n'));

  const http::test::Running other;
  CHECK(error_of(url_of(other.port)) == url_of(other.port) + ": GET /rules is not answered as Winnow does");
  const http::test::Running older([](http::Request&, http::Response& response) { response.status = 404; });
  CHECK(error_of(url_of(older.port)) == url_of(older.port) + ": GET /rules is answered with 404");
  const http::test::Running busy(
      [](http::Request&, http::Response& response) { response = http::line_response(503, "overloaded"); });
  CHECK(error_of(url_of(busy.port)) == url_of(busy.port) + ": GET /rules is answered with 503: overloaded");
  const http::test::Running web([](http::Request&, http::Response& response) {
    response = http::line_response(404, "<!DOCTYPE html>\n<title>Not found</title>");
  });
  CHECK(error_of(url_of(web.port)) ==
        url_of(web.port) + ": GET /rules is answered with 404 and a web page: expected a Winnow there");
}

TEST_CASE("a server's rules are asked for below the URL's path") {
  std::string path;
  const http::test::Running server([&](http::Request& request, http::Response& response) {
    path = request.path;
    append_json(response.body, summarize(load("kind: Policy\napiVersion: v1\n")));
  });
  const auto rules = rules_of_server({.url = url_of(server.port) + "/winnow/"});
  REQUIRE(rules);
  CHECK(rules->kind == "Policy");
  CHECK(path == "/winnow/rules");
}

TEST_CASE("a server is asked over https, with a certificate and a token") {
  const live::test::Authority authority;
  const live::test::Identity own = authority.issue({.common_name = "x", .names = {"winnow.kube-system.svc"}});
  const live::test::Identity client = authority.issue({.common_name = "me"});
  const auto context =
      http::TlsContext::make({own.certificate, own.key, authority.certificate()}, {}).value();
  std::string names, authorization;
  const http::test::Running server(
      [&](http::Request& request, http::Response& response) {
        names = request.client_names ? request.client_names->front() : "none";
        authorization = request.authorization;
        append_json(response.body, summarize(load("kind: Policy\napiVersion: v1\n")));
      },
      {},
      [&](http::Server& made) {
        made.set_transport([&](int fd) { return http::make_tls_transport(fd, context); });
      });
  const live::test::TempFolder folder;
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port);
  ServerFlags flags{.url = url,
                    .authority = folder.write("ca.crt", authority.certificate()),
                    .name = "winnow.kube-system.svc"};
  CHECK(rules_of_server(flags).value().kind == "Policy");
  CHECK(names == "none");
  CHECK(authorization == "");
  flags.certificate = folder.write("c.crt", client.certificate);
  flags.key = folder.write("c.key", client.key);
  flags.token = "abc.def";
  CHECK(rules_of_server(flags).value().kind == "Policy");
  CHECK(names == "me");
  CHECK(authorization == "Bearer abc.def");

  flags.name = "another";
  CHECK(rules_of_server(flags).error().starts_with(url + ": the server's certificate is refused: "));
  flags.name = "";
  CHECK(rules_of_server(flags).error().contains("(expected \"127.0.0.1\")"));
  flags.authority = folder.write("other.crt", live::test::Authority().certificate());
  CHECK(rules_of_server(flags).error().contains("certificate is refused"));
  flags.authority = folder.path("nowhere");
  CHECK(rules_of_server(flags).error().starts_with(flags.authority + ": "));
  flags.authority = folder.path("ca.crt");
  flags.token = "abc def";
  CHECK(rules_of_server(flags).error() == "the token holds white space or control characters");
}

TEST_CASE("what a server says that lets nobody in is told, as far as a line goes") {
  const http::test::Running server([](http::Request&, http::Response& response) {
    response = http::line_response(401, "Unauthorized: a bearer\x1b[31m token is required");
  });
  const std::string error = error_of(url_of(server.port));
  CHECK(error ==
        url_of(server.port) +
            ": GET /rules is answered with 401: Unauthorized: a bearer\xef\xbf\xbd[31m token is required");
}

}  // namespace winnow::test
