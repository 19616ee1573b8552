#include "extender/cli/flags/check_flags.h"

#include <doctest/doctest.h>

#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

TEST_CASE("doctor") {
  std::string printed;
  const auto parsed = parse_words({"doctor",
                                   "--scheduler-config=s.yaml",
                                   "--config=r.yaml",
                                   "--kubeconfig=k",
                                   "--context=c",
                                   "--as=jane",
                                   "--server=https://w:1",
                                   "--certificate-authority=a",
                                   "--token=t",
                                   "--scheduler-metrics=m",
                                   "-o",
                                   "json",
                                   "--answer=best",
                                   "--enable-bind",
                                   "--port=8080",
                                   "--nominate",
                                   "--nominate-gate=a/b",
                                   "--discover-api-servers",
                                   "--authorization-webhook=apiserver",
                                   "--node-metrics=metrics-server,prometheus=http://p",
                                   "--nominate-events=false",
                                   "--leader-elect=false",
                                   "--leader-elect-resource-name=l",
                                   "--leader-elect-resource-namespace=n"},
                                  printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const CommandLine& line = std::get<CommandLine>(parsed);
  CHECK(line.command == Command::kDoctor);
  CHECK(line.doctor.scheduler_config == "s.yaml");
  CHECK(line.common.config == "r.yaml");
  CHECK(line.common.client.kubeconfig == "k");
  CHECK(line.common.client.context == "c");
  CHECK(line.common.discover_api_servers);
  CHECK(line.doctor.user == "jane");
  CHECK(line.doctor.server.url == "https://w:1");
  CHECK(line.doctor.server.authority == "a");
  CHECK(line.doctor.server.token == "t");
  CHECK(line.doctor.scheduler_metrics == "m");
  CHECK(line.doctor.json);
  CHECK(line.doctor.start.answer == AnswerMode::kBest);
  CHECK(line.doctor.start.enable_bind);
  CHECK(line.doctor.start.port == 8080);
  CHECK(line.doctor.nominate);
  CHECK(line.doctor.gate == "a/b");
  CHECK(line.doctor.reviews_tokens);
  CHECK(line.doctor.node_metrics == std::vector<std::string>{"metrics-server", "prometheus=http://p"});
  CHECK_FALSE(line.doctor.events);
  CHECK_FALSE(line.doctor.leader_elect);
  CHECK(line.doctor.lease_name == "l");
  CHECK(line.doctor.lease_namespace == "n");
}

TEST_CASE("doctor: words that are none of its values") {
  std::string printed;
  for (const char* wrong : {"--output=yaml", "--authorization-webhook=me", "--answer=all", "--scheduler=x"}) {
    CAPTURE(wrong);
    const auto parsed = parse_words({"doctor", wrong}, printed);
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == kBadInput);
  }
}

}  // namespace
}  // namespace winnow::test
