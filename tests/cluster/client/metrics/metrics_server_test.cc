// What is taken of metrics-server's answers, and which API server is asked.
#include "cluster/client/metrics/metrics_server.h"

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <string>

#include "cluster/client/servers/api_servers.h"
#include "tests/cluster/client/servers/faulty_servers.h"

namespace winnow::live {
namespace {

using test::FakeClock;
using test::FaultyServers;
using SourceFault = FaultyServers::Fault;

constexpr const char* kItem =
    R"({"metadata":{"name":"a","creationTimestamp":"2026-01-31T12:00:09Z"},"timestamp":"2026-01-31T12:00:00Z",)"
    R"("window":"20.5s","usage":{"cpu":"1500250n","memory":"2Ki"}})";

std::string list_of(const std::string& items) {
  return R"({"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[)" +
         items + "]}";
}

/// A second item, of the node b.
std::string of_b(const std::string& timestamp, const std::string& window, const std::string& cpu) {
  return R"(,{"metadata":{"name":"b"},"timestamp":")" + timestamp + R"(","window":")" + window +
         R"(","usage":{"cpu":")" + cpu + R"("}})";
}

class MeasuringServers : public FaultyServers {
 public:
  explicit MeasuringServers(FakeClock& clock) : FaultyServers(clock) {}
  std::string path;

 protected:
  ApiResponse carry_out(const ApiRequest& request) override {
    path = request.path;
    return {200, list_of(kItem), {}};
  }
};

TEST_SUITE("metrics_server") {
  TEST_CASE("a list gives the usage of its nodes") {
    const Polled polled = read_node_metrics_list(list_of(kItem));
    CHECK(polled.result == PollResult::kGood);
    REQUIRE(polled.usage.size() == 1);
    const NodeUsage expected{
        .cpu = 0.00150025, .memory = 2048, .taken = 1'769'860'800'000'000'000, .window = 20'500'000'000};
    CHECK(polled.usage.at("a") == expected);
    CHECK(read_node_metrics_list(list_of("")).usage.empty());
  }

  TEST_CASE("what cannot be read is left out, and told of") {
    struct Row {
      const char* sentence;
      std::string json;
      PollResult result;
      std::string error;
      std::size_t nodes;
    };
    const std::string item = kItem;
    const Row rows[] = {
        {"a page", "<html>", PollResult::kFailed, "the answer is no NodeMetricsList", 0},
        {"another list", R"({"kind":"NodeList","items":[]})", PollResult::kFailed,
         "the answer is no NodeMetricsList", 0},
        {"a list that is cut", list_of(item).substr(0, 200), PollResult::kFailed,
         "the answer is no NodeMetricsList", 0},
        {"a node without usage", list_of(item + R"(,{"metadata":{"name":"b"}})"), PollResult::kPartly,
         "1 of 2 items cannot be read: b has no usage with a timestamp", 1},
        {"a usage without a time", list_of(item + R"(,{"metadata":{"name":"b"},"usage":{"cpu":"1"}})"),
         PollResult::kPartly, "1 of 2 items cannot be read: b has no usage with a timestamp", 1},
        {"a node without a name", list_of(R"({"usage":{"cpu":"1"}},)" + item), PollResult::kPartly,
         "1 of 2 items cannot be read: an item has no name", 1},
        {"an amount beyond all nodes", list_of(item + of_b("2026-01-31T12:00:00Z", "10s", "2M")),
         PollResult::kPartly, "1 of 2 items cannot be read: b has a usage that no node can have", 1},
        {"an amount below zero", list_of(item + of_b("2026-01-31T12:00:00Z", "10s", "-1")),
         PollResult::kPartly, "1 of 2 items cannot be read: b has a usage that no node can have", 1},
        {"a time that does not fit", list_of(item + of_b("9999-01-31T12:00:00Z", "10s", "1")),
         PollResult::kPartly, "1 of 2 items cannot be read: has a timestamp that is out of range", 1},
        {"a window that does not fit", list_of(item + of_b("2026-01-31T12:00:00Z", "9999h", "1")),
         PollResult::kPartly, "1 of 2 items cannot be read: has a window that is out of range", 1},
        {"an amount that is none",
         list_of(item +
                 R"(,{"metadata":{"name":"b"},"timestamp":"2026-01-31T12:00:00Z","usage":{"cpu":"x"}})"),
         PollResult::kPartly, "1 of 2 items cannot be read: usage.cpu", 1},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const Polled polled = read_node_metrics_list(row.json);
      CAPTURE(polled.error);
      CHECK(polled.result == row.result);
      CHECK(polled.error.starts_with(row.error));
      CHECK(polled.usage.size() == row.nodes);
    }
  }

  TEST_CASE("each API server is asked once at most, until one answers") {
    struct Row {
      const char* sentence;
      std::deque<SourceFault> faults;
      PollResult result;
      std::string error;
      std::size_t asked;
    };
    const Row rows[] = {
        {"the first answers", {}, PollResult::kGood, "", 1},
        {"the first is away", {SourceFault::kUnreachable}, PollResult::kGood, "", 2},
        {"the first has not read the roles", {SourceFault::k403}, PollResult::kGood, "", 2},
        {"both deny it",
         {SourceFault::k403, SourceFault::k403},
         PollResult::kDenied,
         "403: pods \"web\" is forbidden",
         2},
        {"neither takes the token",
         {SourceFault::k401, SourceFault::k401},
         PollResult::kDenied,
         "401: Unauthorized",
         2},
        {"metrics-server is away",
         {SourceFault::k500, SourceFault::k500},
         PollResult::kFailed,
         "500: etcd is away",
         2},
        {"both are silent", {SourceFault::kDown, SourceFault::kDown}, PollResult::kFailed, "no luck", 2},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      FakeClock clock;
      MeasuringServers api(clock);
      ApiServers servers({"https://one", "https://two"}, clock);
      MetricsServer provider(servers, api);
      api.faults = row.faults;
      const Polled polled = provider.poll({});
      CHECK(polled.result == row.result);
      CHECK(polled.error == row.error);
      CHECK(api.asked.size() == row.asked);
      CHECK(polled.usage.size() == (row.result == PollResult::kGood ? 1 : 0));
      if (row.result == PollResult::kGood) CHECK(api.path == "/apis/metrics.k8s.io/v1beta1/nodes");
      if (api.asked.size() == 2) CHECK(api.asked[0] != api.asked[1]);
    }
  }

  TEST_CASE("a server that wants patience is heeded") {
    FakeClock clock;
    MeasuringServers api(clock);
    ApiServers servers({"https://one"}, clock);
    MetricsServer provider(servers, api);
    api.faults = {SourceFault::k429Long};
    const Polled polled = provider.poll({});
    CHECK(polled.result == PollResult::kFailed);
    CHECK(polled.retry_after == std::chrono::seconds(60));
  }
}

}  // namespace
}  // namespace winnow::live
