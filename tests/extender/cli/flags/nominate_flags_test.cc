#include <doctest/doctest.h>

#include <format>
#include <string>

#include "extender/cli/flags/serve_flags.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

using std::chrono::milliseconds;

/// The flags of `winnow serve` with these words, or the exit code; what is printed goes to `printed`.
std::variant<NominateFlags, int> parse_nominate(std::vector<std::string> words, std::string& printed) {
  words.insert(words.begin(), "serve");
  const auto parsed = parse_words(std::move(words), printed);
  if (const int* const code = std::get_if<int>(&parsed)) return *code;
  return std::get<CommandLine>(parsed).serve.nominate;
}

/// The options of an election in one line.
std::string text_of(const live::LeaderElectionOptions& election) {
  return std::format("lease {}, renew {}, retry {}, {} in '{}'", election.lease_duration,
                     election.renew_deadline, election.retry_period, election.resource_name,
                     election.resource_namespace);
}

TEST_CASE("nominate: off unless it is asked for, and then by one of several replicas") {
  std::string printed;
  const auto off = parse_nominate({}, printed);
  REQUIRE(std::holds_alternative<NominateFlags>(off));
  CHECK_FALSE(std::get<NominateFlags>(off).nominate);
  const auto on = parse_nominate({"--nominate"}, printed);
  REQUIRE_MESSAGE(std::holds_alternative<NominateFlags>(on), printed);
  const NominateFlags& flags = std::get<NominateFlags>(on);
  CHECK(flags.nominate);
  CHECK(flags.schedulers.empty());
  CHECK(flags.gate == "");
  CHECK(flags.gate_when_infeasible == GateWhenInfeasible::kRelease);
  CHECK(flags.leader_elect);
  CHECK(text_of(flags.election) == "lease 15000ms, renew 10000ms, retry 2000ms, winnow-nominator in ''");
}

TEST_CASE("nominate, with everything said") {
  std::string printed;
  const auto parsed = parse_nominate(
      {"--nominate", "--nominate-schedulers=default-scheduler,x", "--nominate-gate=winnow.dev/nominate",
       "--nominate-gate-when-infeasible=hold", "--leader-elect=false", "--leader-elect-lease-duration=30s",
       "--leader-elect-renew-deadline=20s", "--leader-elect-retry-period=1500ms",
       "--leader-elect-resource-name=one", "--leader-elect-resource-namespace=two"},
      printed);
  REQUIRE_MESSAGE(std::holds_alternative<NominateFlags>(parsed), printed);
  const NominateFlags& flags = std::get<NominateFlags>(parsed);
  CHECK(flags.schedulers == std::vector<std::string>{"default-scheduler", "x"});
  CHECK(flags.gate == "winnow.dev/nominate");
  CHECK(flags.gate_when_infeasible == GateWhenInfeasible::kHold);
  CHECK_FALSE(flags.leader_elect);
  CHECK(text_of(flags.election) == "lease 30000ms, renew 20000ms, retry 1500ms, one in 'two'");
  CHECK(wrong_nominate_flags(flags, true) == "");
}

TEST_CASE("flags of --nominate are refused without it, and where they contradict each other") {
  std::string printed;
  CHECK(std::holds_alternative<int>(parse_nominate({"--nominate-gate=winnow.dev/nominate"}, printed)));
  CHECK(printed.contains("--nominate-gate requires --nominate"));
  CHECK(std::holds_alternative<int>(
      parse_nominate({"--nominate", "--nominate-gate-when-infeasible=x"}, printed)));
  CHECK_MESSAGE(printed.contains("--nominate-gate-when-infeasible: "), printed);
  CHECK(std::holds_alternative<int>(parse_nominate({"--nominate", "--leader-elect=x"}, printed)));

  NominateFlags flags{.nominate = true};
  CHECK(wrong_nominate_flags(flags, true) == "");
  CHECK(wrong_nominate_flags(flags, false) == "--nominate needs a live cluster, and --cluster is not one");
  flags.gate = "a b";
  CHECK(wrong_nominate_flags(flags, true)
            .starts_with("--nominate-gate: \"a b\" is not the name of a scheduling gate: "));
  flags.gate = "winnow.dev/nominate";
  flags.election.renew_deadline = milliseconds(15'000);
  CHECK(wrong_nominate_flags(flags, true).starts_with("--leader-elect-lease-duration must be greater than "));
  flags.leader_elect = false;
  CHECK(wrong_nominate_flags(flags, true) == "");
}

TEST_CASE("the flags of --nominate have a page of help of their own, which fits a screen") {
  std::string printed;
  const auto parsed = parse_nominate({"--help-nominate"}, printed);
  REQUIRE(std::holds_alternative<int>(parsed));
  CHECK(std::get<int>(parsed) == kDone);
  for (const char* one :
       {"--nominate-schedulers", "--nominate-gate NAME", "hold|release", "[release]", "[15s]", "[10s]",
        "[2s]", "[winnow-nominator]", "--leader-elect-resource-namespace"})
    CHECK_MESSAGE(printed.contains(one), printed);
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 100, line);
  parse_nominate({"--help"}, printed);
  CHECK(printed.contains("--help-nominate"));
  CHECK_FALSE(printed.contains("--leader-elect"));
}

}  // namespace
}  // namespace winnow::test
