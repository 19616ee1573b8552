#include "cluster/client/servers/api_servers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tests/cluster/manual_clock.h"

namespace winnow::live::test {
namespace {

using List = std::vector<std::string>;
using namespace std::chrono_literals;

const List kThree{"https://a:6443", "https://b:6443", "https://c:6443"};

}  // namespace

TEST_SUITE("live: ApiServers") {
  TEST_CASE("clients are spread over the servers, and stay") {
    ManualClock clock;
    ApiServers servers(kThree, clock);
    std::set<std::string> used;
    for (const char* client : {"pods", "nodes", "services"}) {
      const std::string own = servers.choose(client);
      used.insert(own);
      CHECK(servers.choose(client) == own);
    }
    CHECK(used == std::set<std::string>(kThree.begin(), kThree.end()));
  }

  TEST_CASE("another server is another, as long as there are two, whoever asked in between") {
    ManualClock clock;
    for (std::size_t count = 1; count <= 3; ++count) {
      ApiServers servers({kThree.begin(), kThree.begin() + static_cast<std::ptrdiff_t>(count)}, clock);
      for (int i = 0; i < 20; ++i) {
        for (int other = 0; other < i % 4; ++other) servers.choose_another("other", servers.choose("other"));
        const std::string failed = servers.choose("pods");
        const std::string next = servers.choose_another("pods", failed);
        CHECK((next == failed) == (count == 1));
        CHECK(servers.choose("pods") == next);
      }
    }
  }

  TEST_CASE("who tells late that a server failed does not send the others back to it") {
    ManualClock clock;
    ApiServers servers({kThree.begin(), kThree.begin() + 2}, clock);
    const std::string failed = servers.choose("bind-1");
    const std::string next = servers.choose_another("bind-1", failed);
    CHECK(next != failed);
    for (int i = 0; i < 3; ++i) CHECK(servers.choose_another("bind-1", failed) == next);
    CHECK(servers.choose_another("bind-1", "https://gone:6443") == next);
    CHECK(servers.choose_another("bind-1", next) == failed);
  }

  TEST_CASE("however many threads of one name find the same server dead, none is sent to it again") {
    ManualClock clock;
    ApiServers servers({kThree.begin(), kThree.begin() + 2}, clock);
    const std::string dead = servers.choose("bind-1");
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 300; ++i)
          if (servers.choose_another("bind-1", dead) == dead) ++wrong;
      });
    threads.clear();
    CHECK(wrong == 0);
  }

  TEST_CASE("a client is held by being renewed, and let go by ten minutes of silence") {
    ManualClock clock;
    ApiServers servers(kThree, clock);
    const std::string own = servers.choose("pods");
    for (int i = 0; i < 10; ++i) {
      clock.advance(9min);
      servers.renew("pods");
    }
    CHECK(servers.choose("pods") == own);
    clock.advance(11min);
    CHECK(servers.choose("nodes") != own);
    CHECK(servers.choose("services") != own);
  }

  TEST_CASE("new servers are taken: clients of those that stay stay, each is there once, none is ignored") {
    ManualClock clock;
    ApiServers servers(kThree, clock);
    std::vector<std::string> own;
    for (const char* client : {"1", "2", "3"}) own.push_back(servers.choose(client));
    servers.replace({});
    CHECK(servers.servers() == kThree);
    const List fewer{kThree[1], kThree[1], kThree[2], "https://d:6443"};
    servers.replace(fewer);
    CHECK(servers.servers() == List{kThree[1], kThree[2], "https://d:6443"});
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::string now = servers.choose(std::to_string(i + 1));
      if (own[i] != kThree[0]) CHECK(now == own[i]);
      CHECK(now != kThree[0]);
    }
  }

  TEST_CASE("without servers there is nothing to choose, and each time the reason is told") {
    ManualClock clock;
    List told;
    ApiServers servers({}, clock, 1, [&](BalancerError why, std::string_view client) {
      told.push_back(std::string(to_string(why)).append(" ").append(client));
    });
    CHECK(servers.choose("pods").empty());
    CHECK(told == List{"missing_endpoints pods"});
    servers.renew("bind-3");
    CHECK(told.back() == "missing_endpoints bind-3");
    servers.replace({});
    CHECK(servers.choose("pods").empty());
    CHECK(told.size() == 3);
    servers.replace(kThree);
    CHECK_FALSE(servers.choose("pods").empty());
    CHECK(told.size() == 3);

    const ApiServers::OnNoServer nobody;
    ApiServers untold({}, clock, 1, nobody);
    CHECK(untold.choose_another("pods", "").empty());
  }

  TEST_CASE("threads share it") {
    ManualClock clock;
    ApiServers servers(kThree, clock);
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          const std::string client = std::to_string(t);
          for (int i = 0; i < 300; ++i) {
            const std::string own = servers.choose(client);
            servers.renew(client);
            if (servers.choose_another(client, own) == own) ++wrong;
            if (t == 0) clock.advance(1s);
            if (t == 1) servers.replace(i % 2 ? kThree : List{kThree[2], kThree[0], kThree[1]});
            if (servers.servers().size() != 3) ++wrong;
          }
        });
    }
    CHECK(wrong == 0);
  }
}

}  // namespace winnow::live::test
