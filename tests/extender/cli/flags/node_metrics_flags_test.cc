#include "extender/cli/flags/node_metrics_flags.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

using Parsed = std::variant<CommandLine, int>;

Parsed parse_measuring(std::vector<std::string> words, std::string& printed) {
  words.insert(words.begin(), "serve");
  return parse_words(std::move(words), printed);
}

TEST_CASE("node metrics: nobody is asked unless it is said who, and the flags have a page of their own") {
  std::string printed;
  const Parsed none = parse_measuring({}, printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(none), printed);
  const NodeMetricsFlags& off = std::get<CommandLine>(none).serve.node_metrics;
  CHECK(off.sources.empty());
  CHECK_FALSE(off.asks_metrics_server());
  CHECK(off.prometheus() == "");
  CHECK(off.period == 15s);
  CHECK(off.max_age == 5min);
  const Parsed both =
      parse_measuring({"--node-metrics=prometheus=https://p:9090/x,metrics-server",
                       "--node-metrics-queries=q.yaml", "--node-metrics-token-file=t",
                       "--node-metrics-ca-file=ca", "--node-metrics-period=30s", "--node-metrics-max-age=2m"},
                      printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(both), printed);
  const NodeMetricsFlags& on = std::get<CommandLine>(both).serve.node_metrics;
  CHECK(on.asks_metrics_server());
  CHECK(on.prometheus() == "https://p:9090/x");
  CHECK(on.queries_file == "q.yaml");
  CHECK(on.token_file == "t");
  CHECK(on.ca_file == "ca");
  CHECK(on.period == 30s);
  CHECK(on.max_age == 2min);
  CHECK(std::get<CommandLine>(both).serve.shown.at("node-metrics") ==
        "prometheus=https://p:9090/x,metrics-server");
  CHECK(std::get<int>(parse_measuring({"--help-node-metrics"}, printed)) == kDone);
  CHECK_MESSAGE(printed.contains("--node-metrics-max-age DURATION"), printed);
  parse_measuring({"--help"}, printed);
  CHECK(printed.contains("node-metrics"));
  CHECK_FALSE(printed.contains("--node-metrics-queries"));
}

TEST_CASE("node metrics: flags that are wrong, or that lack one another") {
  struct Row {
    const char* sentence;
    NodeMetricsFlags flags;
    bool live;
    std::string error;
  };
  const std::vector<std::string> server = {"metrics-server"}, plain = {"prometheus=http://p:9090"},
                                 tls = {"prometheus=https://p:9090"};
  const Row rows[] = {
      {"nothing is given", {}, false, ""},
      {"metrics-server", {.sources = server}, true, ""},
      {"both", {.sources = {server[0], plain[0]}, .queries_file = "q"}, true, ""},
      {"a token over TLS", {.sources = tls, .queries_file = "q", .token_file = "t"}, true, ""},
      {"the cluster is files",
       {.sources = server},
       false,
       "--node-metrics needs a live cluster, and --cluster is not one"},
      {"a word that is unknown",
       {.sources = {"cadvisor"}},
       true,
       "--node-metrics: found \"cadvisor\", expected metrics-server or prometheus=URL"},
      {"no URL",
       {.sources = {"prometheus=p:9090"}, .queries_file = "q"},
       true,
       "--node-metrics: prometheus: "},
      {"twice the same",
       {.sources = {server[0], server[0]}},
       true,
       "--node-metrics: metrics-server is there twice"},
      {"two of them",
       {.sources = {plain[0], tls[0]}, .queries_file = "q"},
       true,
       "--node-metrics: expected one prometheus=URL, found several"},
      {"no queries", {.sources = plain}, true, "--node-metrics=prometheus=URL needs --node-metrics-queries"},
      {"queries for nobody",
       {.sources = server, .queries_file = "q"},
       true,
       "--node-metrics-queries needs --node-metrics=prometheus=URL"},
      {"a token for nobody",
       {.sources = {}, .token_file = "t"},
       true,
       "--node-metrics-token-file needs --node-metrics=prometheus=URL"},
      {"an authority for nobody",
       {.sources = {}, .ca_file = "c"},
       true,
       "--node-metrics-ca-file needs --node-metrics=prometheus=URL"},
      {"a token in clear",
       {.sources = plain, .queries_file = "q", .token_file = "t"},
       true,
       "--node-metrics-token-file: no token is sent over http"},
      {"too often", {.sources = server, .period = 999ms}, true, "--node-metrics-period: expected 1s or more"},
      {"all is too old",
       {.sources = server, .max_age = 15s},
       true,
       "--node-metrics-max-age: expected more than --node-metrics-period"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::string wrong = wrong_node_metrics_flags(row.flags, row.live);
    CAPTURE(wrong);
    CHECK(wrong.starts_with(row.error));
    CHECK(wrong.empty() == row.error.empty());
  }
}

}  // namespace
}  // namespace winnow::test
