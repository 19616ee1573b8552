// By which rules explain answers, and how those of a Winnow that runs differ.
#include "extender/cli/explain_rules.h"

#include <doctest/doctest.h>

#include "tests/extender/http/client.h"

namespace winnow::test {
namespace {

LoadedRules load(const std::string& text) { return load_rules("f", text, parse_gates("").value()).value(); }
std::string today(const std::string& rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest;
}
std::string url_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

std::string error_of(const std::string& url) {
  const auto rules = rules_of_server(url);
  REQUIRE_FALSE(rules);
  return rules.error();
}

}  // namespace

TEST_CASE("the rules are named by their file and its kind") {
  CHECK(describe_rules("", default_rules(parse_gates("").value())) ==
        "v1.16's default provider (no --config given)");
  CHECK(describe_rules("a/p.yaml", load("kind: Policy\napiVersion: v1\n")) == "a/p.yaml (Policy)");
  CHECK(describe_rules("k.yaml", load(today(""))) ==
        "k.yaml (KubeSchedulerConfiguration, profile default-scheduler)");
  CHECK(describe_rules("k.yaml", load(today("profiles: [{schedulerName: a}, {schedulerName: b}]\n"))) ==
        "k.yaml (KubeSchedulerConfiguration, profiles a, b)");
}

TEST_CASE("a server is named by an http URL") {
  CHECK(wrong_server("http://127.0.0.1:10290").empty());
  CHECK(wrong_server("http://[::1]:10290/").empty());
  CHECK(wrong_server("https://winnow:1") ==
        R"("https://winnow:1": only plain http is asked: expected http://HOST:PORT)");
  CHECK(wrong_server("localhost:10290").contains("it must begin with"));
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
}

TEST_CASE("a server's rules are asked for below the URL's path") {
  std::string path;
  const http::test::Running server([&](http::Request& request, http::Response& response) {
    path = request.path;
    append_json(response.body, summarize(load("kind: Policy\napiVersion: v1\n")));
  });
  const auto rules = rules_of_server(url_of(server.port) + "/winnow/");
  REQUIRE(rules);
  CHECK(rules->kind == "Policy");
  CHECK(path == "/winnow/rules");
}

}  // namespace winnow::test
