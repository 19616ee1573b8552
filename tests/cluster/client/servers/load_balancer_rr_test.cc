// The cases of upstream's roundrobin_test.go (v1.16.15), by what they show, and those of our own.
#include "cluster/client/servers/load_balancer_rr.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "tests/cluster/manual_clock.h"

namespace winnow::live::test {
namespace {

using List = std::vector<std::string>;
using namespace std::chrono_literals;

const ServicePortName kFoo{"testnamespace", "foo", "p"};
const ServicePortName kFooQ{"testnamespace", "foo", "q"};
const ServicePortName kBar{"testnamespace", "bar", "p"};

Endpoints endpoints(const std::string& name, std::map<std::string, List> ports) {
  return {"testnamespace", name, std::move(ports)};
}

struct Fixture {
  ManualClock clock;
  LoadBalancerRR balancer{clock};

  /// The endpoint, or the error's text.
  std::string next(const ServicePortName& service, std::string_view client = "", bool reset = false) {
    const auto endpoint = balancer.next_endpoint(service, client, reset);
    return endpoint ? *endpoint : std::string(to_string(endpoint.error()));
  }
  List next(const ServicePortName& service, std::size_t count, std::string_view client = "") {
    List seen;
    while (seen.size() < count) seen.push_back(next(service, client));
    return seen;
  }
  /// Whether a client is given the same endpoint again and again.
  bool stays(const ServicePortName& service, std::string_view client, const std::string& endpoint) {
    return next(service, 3, client) == List(3, endpoint);
  }
  void sticky(const ServicePortName& service, int ttl_seconds = 0) {
    balancer.new_service(service, ServiceAffinity::kClientIp, ttl_seconds);
  }
};

List sorted(List list) {
  std::ranges::sort(list);
  return list;
}

/// Whether a turn of all endpoints was gone through, whole, and then begun again in the same order.
void check_round(const List& seen, const List& expected) {
  const auto turn = static_cast<std::ptrdiff_t>(expected.size());
  CHECK(sorted({seen.begin(), seen.begin() + turn}) == sorted(expected));
  CHECK(std::equal(seen.begin() + turn, seen.end(), seen.begin()));
}

}  // namespace

TEST_SUITE("live: LoadBalancerRR") {
  TEST_CASE_FIXTURE(Fixture, "a service that there is not, and one without endpoints, are different errors") {
    CHECK(next(kFoo) == "missing_service");
    balancer.new_service(kFoo, ServiceAffinity::kNone, 0);
    CHECK(next(kFoo) == "missing_endpoints");
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"a:1"}}}));
    CHECK(next(kFoo) == "a:1");
    CHECK(next(kFooQ) == "missing_service");
  }

  TEST_CASE_FIXTURE(Fixture, "one endpoint is given each time") {
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"endpoint1:40"}}}));
    CHECK(next(kFoo, 4) == List(4, "endpoint1:40"));
  }

  TEST_CASE_FIXTURE(Fixture, "several endpoints take turns") {
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"e:1", "e:2", "e:3"}}}));
    check_round(next(kFoo, 7), {"e:1", "e:2", "e:3"});
  }

  TEST_CASE_FIXTURE(Fixture, "the ports of a service take turns each for itself") {
    balancer.on_endpoints_add(
        endpoints("foo", {{"p", {"e1:1", "e2:1", "e3:3"}}, {"q", {"e1:2", "e2:2", "e3:4"}}}));
    const List first = next(kFoo, 1);
    check_round(next(kFooQ, 4), {"e1:2", "e2:2", "e3:4"});
    List round = next(kFoo, 3);
    round.insert(round.begin(), first.front());
    check_round(round, {"e1:1", "e2:1", "e3:3"});
  }

  TEST_CASE_FIXTURE(Fixture,
                    "new endpoints replace the old ones and begin a new turn; no endpoints is an error") {
    const auto v1 = endpoints("foo", {{"p", {"e1:1", "e2:2", "e3:3"}}, {"q", {"e1:10", "e2:20", "e3:30"}}});
    const auto v2 = endpoints("foo", {{"p", {"e4:4", "e5:5"}}, {"q", {"e4:40", "e5:50"}}});
    balancer.on_endpoints_add(v1);
    check_round(next(kFoo, 4), {"e1:1", "e2:2", "e3:3"});
    balancer.on_endpoints_update(v1, v2);
    check_round(next(kFoo, 4), {"e4:4", "e5:5"});
    check_round(next(kFooQ, 4), {"e4:40", "e5:50"});
    balancer.on_endpoints_update(v2, endpoints("foo", {}));
    CHECK(next(kFoo) == "missing_endpoints");
    CHECK(next(kFooQ) == "missing_endpoints");
  }

  TEST_CASE_FIXTURE(
      Fixture, "an update with the same endpoints, in any order, goes on with the turn; an add begins anew") {
    const auto v1 = endpoints("foo", {{"p", {"a", "b", "c"}}});
    balancer.on_endpoints_add(v1);
    const List round = next(kFoo, 3);
    CHECK(next(kFoo) == round[0]);
    balancer.on_endpoints_update(v1, endpoints("foo", {{"p", {"c", "b", "a"}}}));
    CHECK(next(kFoo) == round[1]);
    balancer.on_endpoints_add(v1);
    check_round(next(kFoo, 6), {"a", "b", "c"});
  }

  TEST_CASE_FIXTURE(Fixture, "an update of a service that there is not makes it, without affinity") {
    balancer.on_endpoints_update(endpoints("foo", {}), endpoints("foo", {{"p", {"a", "b"}}}));
    check_round(next(kFoo, 4, "client"), {"a", "b"});
    CHECK(balancer.clients(kFoo) == 0);
  }

  TEST_CASE_FIXTURE(
      Fixture, "an update may empty a port and leave another; an add without endpoints changes nothing") {
    const auto v1 = endpoints("foo", {{"p", {"a"}}, {"q", {"b"}}});
    balancer.on_endpoints_add(v1);
    balancer.on_endpoints_update(v1, endpoints("foo", {{"q", {"b"}}}));
    CHECK(next(kFoo) == "missing_endpoints");
    CHECK(next(kFooQ) == "b");
    balancer.on_endpoints_add(endpoints("foo", {{"q", {}}}));
    CHECK(next(kFooQ) == "b");
    balancer.on_endpoints_update(v1, endpoints("foo", {{"q", {}}}));
    CHECK(next(kFooQ) == "missing_endpoints");
  }

  TEST_CASE_FIXTURE(Fixture, "a service whose endpoints go has none; another goes on with its turn") {
    const auto foo = endpoints("foo", {{"p", {"e1", "e2", "e3"}}});
    balancer.on_endpoints_add(foo);
    balancer.on_endpoints_add(endpoints("bar", {{"p", {"e4", "e5", "e6"}}}));
    check_round(next(kFoo, 5), {"e1", "e2", "e3"});
    const List bar = next(kBar, 5);
    check_round(bar, {"e4", "e5", "e6"});
    balancer.on_endpoints_update(foo, endpoints("foo", {}));
    CHECK(next(kFoo) == "missing_endpoints");
    CHECK(next(kBar, 4) == List{bar[2], bar[0], bar[1], bar[2]});
  }

  TEST_CASE_FIXTURE(Fixture,
                    "clients keep their endpoints, whether the service or the endpoints come first") {
    const auto all = endpoints("foo", {{"p", {"e1", "e2", "e3"}}});
    SUBCASE("the service") {
      sticky(kFoo, 10800);
      balancer.on_endpoints_add(all);
    }
    SUBCASE("the endpoints") {
      balancer.on_endpoints_add(all);
      sticky(kFoo, 10800);
    }
    const List own{next(kFoo, "1"), next(kFoo, "2"), next(kFoo, "3"), next(kFoo, "4")};
    CHECK(sorted({own[0], own[1], own[2]}) == List{"e1", "e2", "e3"});
    CHECK(own[3] == own[0]);
    for (int round = 0; round < 2; ++round)
      for (std::size_t i = 0; i < own.size(); ++i) CHECK(stays(kFoo, std::to_string(i + 1), own[i]));
  }

  TEST_CASE_FIXTURE(Fixture, "who had an endpoint that went is given the next one; the others stay") {
    sticky(kFoo);
    const auto v1 = endpoints("foo", {{"p", {"e:1", "e:2", "e:3"}}});
    const auto v2 = endpoints("foo", {{"p", {"e:1", "e:2"}}});
    const auto v3 = endpoints("foo", {{"p", {"e:1", "e:2", "e:4"}}});
    balancer.on_endpoints_add(v1);
    List own{next(kFoo, "1"), next(kFoo, "2"), next(kFoo, "3")};
    balancer.on_endpoints_update(v1, v2);
    CHECK(balancer.clients(kFoo) == 2);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::string now = next(kFoo, std::to_string(i + 1));
      if (own[i] != "e:3") CHECK(now == own[i]);
      CHECK(now != "e:3");
      own[i] = now;
    }
    balancer.on_endpoints_update(v2, v3);
    for (std::size_t i = 0; i < own.size(); ++i) CHECK(stays(kFoo, std::to_string(i + 1), own[i]));
    CHECK(sorted({next(kFoo, "4"), next(kFoo, "5"), next(kFoo, "6")}) == List{"e:1", "e:2", "e:4"});
  }

  TEST_CASE_FIXTURE(Fixture, "with affinity: all endpoints replaced, then none") {
    sticky(kFoo);
    const auto v1 = endpoints("foo", {{"p", {"e:1", "e:2", "e:3"}}});
    const auto v2 = endpoints("foo", {{"p", {"e:4", "e:5"}}});
    balancer.on_endpoints_add(v1);
    for (const char* client : {"1", "2", "3"}) CHECK(stays(kFoo, client, next(kFoo, client)));
    balancer.on_endpoints_update(v1, v2);
    const List own{next(kFoo, "1"), next(kFoo, "2")};
    CHECK(sorted(own) == List{"e:4", "e:5"});
    CHECK(stays(kFoo, "1", own[0]));
    CHECK(stays(kFoo, "2", own[1]));
    CHECK(stays(kFoo, "1", own[0]));
    balancer.on_endpoints_update(v2, endpoints("foo", {}));
    CHECK(next(kFoo, "1") == "missing_endpoints");
    CHECK(balancer.clients(kFoo) == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "with affinity: a service's endpoints go, another's clients keep theirs") {
    sticky(kFoo);
    sticky(kBar);
    const auto foo = endpoints("foo", {{"p", {"e:1", "e:2", "e:3"}}});
    balancer.on_endpoints_add(foo);
    balancer.on_endpoints_add(endpoints("bar", {{"p", {"e:4", "e:5"}}}));
    for (const char* client : {"1", "2", "3"}) CHECK(stays(kFoo, client, next(kFoo, client)));
    const List own{next(kBar, "1"), next(kBar, "2")};
    balancer.on_endpoints_update(foo, endpoints("foo", {}));
    CHECK(next(kFoo, "1") == "missing_endpoints");
    CHECK(stays(kBar, "1", own[0]));
    CHECK(stays(kBar, "2", own[1]));
  }

  TEST_CASE_FIXTURE(Fixture, "a reset moves the client to the next endpoint in turn, and only that client") {
    sticky(kFoo);
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"e1", "e2", "e3"}}}));
    const List e{next(kFoo, "1"), next(kFoo, "2"), next(kFoo, "3")};
    CHECK(next(kFoo, "1", true) == e[0]);
    CHECK(next(kFoo, "1", true) == e[1]);
    CHECK(next(kFoo, "1", true) == e[2]);
    CHECK(next(kFoo, "2") == e[1]);
    CHECK(next(kFoo, "2", true) == e[0]);
    CHECK(next(kFoo, "3", true) == e[1]);
    CHECK(next(kFoo, "1", true) == e[2]);
    CHECK(next(kFoo, "2", true) == e[0]);
    CHECK(next(kFoo, "3", true) == e[1]);
    CHECK(stays(kFoo, "1", e[2]));
  }

  TEST_CASE_FIXTURE(Fixture, "affinity lasts for its ttl after the last use, which each use renews") {
    sticky(kFoo, 60);
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"a", "b"}}}));
    const std::string own = next(kFoo, "client");
    for (int i = 0; i < 5; ++i) {
      clock.advance(59s);
      CHECK(next(kFoo, "client") == own);
    }
    clock.advance(60s);
    CHECK(next(kFoo, "client") != own);
  }

  TEST_CASE_FIXTURE(Fixture, "a ttl of 0 is three hours; a service that exists keeps its ttl") {
    sticky(kFoo, 0);
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"a", "b"}}}));
    const std::string own = next(kFoo, "client");
    sticky(kFoo, 1);
    clock.advance(10799s);
    CHECK(next(kFoo, "client") == own);
    clock.advance(10800s);
    CHECK(next(kFoo, "client") != own);
  }

  TEST_CASE_FIXTURE(Fixture, "stale clients are forgotten when asked to, others are not") {
    sticky(kFoo, 60);
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"a", "b"}}}));
    next(kFoo, "old");
    clock.advance(30s);
    const std::string own = next(kFoo, "young");
    clock.advance(30s);
    CHECK(balancer.clients(kFoo) == 2);
    balancer.clean_up_stale_sticky_sessions(kFoo);
    CHECK(balancer.clients(kFoo) == 1);
    CHECK(next(kFoo, "young") == own);
    balancer.clean_up_stale_sticky_sessions(kBar);  // There is none, and none is made.
    CHECK(next(kBar) == "missing_service");
  }

  TEST_CASE_FIXTURE(Fixture, "affinity goes off and on; nothing said leaves it as it is") {
    sticky(kFoo);
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"a", "b", "c"}}}));
    const std::string own = next(kFoo, "client");
    balancer.new_service(kFoo, ServiceAffinity::kUnset, 0);
    CHECK(stays(kFoo, "client", own));
    balancer.new_service(kFoo, ServiceAffinity::kNone, 0);
    check_round(next(kFoo, 6, "client"), {"a", "b", "c"});
    sticky(kFoo);
    CHECK(stays(kFoo, "client", own));
  }

  TEST_CASE_FIXTURE(Fixture, "a client is any text, the empty one too") {
    sticky(kFoo);
    balancer.on_endpoints_add(endpoints("foo", {{"p", {"a", "b"}}}));
    const std::string nobody = next(kFoo, "");
    const std::string odd = next(kFoo, "no address: [%");
    CHECK(nobody != odd);
    CHECK(stays(kFoo, "", nobody));
    CHECK(stays(kFoo, "no address: [%", odd));
  }

  TEST_CASE("the order of the endpoints is the seed's") {
    ManualClock clock;
    List many;
    for (int i = 0; i < 20; ++i) many.push_back(std::to_string(i));
    const auto order = [&](std::uint64_t seed) {
      LoadBalancerRR balancer(clock, seed);
      balancer.on_endpoints_add(endpoints("foo", {{"p", many}}));
      List seen;
      for (std::size_t i = 0; i < many.size(); ++i) seen.push_back(balancer.next_endpoint(kFoo, "").value());
      return seen;
    };
    CHECK(order(1) == order(1));
    CHECK(order(1) != order(2));
    CHECK(sorted(order(2)) == sorted(many));
  }

  TEST_CASE("threads share it: turns stay fair, clients keep their endpoints, replaced ones are not given") {
    ManualClock clock;
    LoadBalancerRR balancer(clock);
    const auto v1 = endpoints("foo", {{"p", {"a", "b", "c"}}});
    const auto v2 = endpoints("foo", {{"p", {"b", "c", "d"}}});
    balancer.new_service(kFoo, ServiceAffinity::kClientIp, 60);
    balancer.on_endpoints_add(v1);
    balancer.on_endpoints_add(endpoints("bar", {{"p", {"x", "y"}}}));
    std::atomic<int> turns_of_x = 0;
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          const std::set<std::string> known{"a", "b", "c", "d"};
          for (int i = 0; i < 500; ++i) {
            const auto endpoint = balancer.next_endpoint(kFoo, std::to_string(t), i % 7 == 0);
            if (!endpoint || !known.contains(*endpoint)) ++wrong;
            if (balancer.next_endpoint(kBar, "") == "x") ++turns_of_x;
            if (t == 0) clock.advance(1s);
            if (t == 1) balancer.clean_up_stale_sticky_sessions(kFoo);
            if (t == 2) balancer.on_endpoints_update(i % 2 ? v1 : v2, i % 2 ? v2 : v1);
            if (t == 3) balancer.new_service(kBar, ServiceAffinity::kUnset, 0);
          }
        });
    }
    CHECK(wrong == 0);
    CHECK(turns_of_x == 1000);
    CHECK(balancer.clients(kFoo) <= 4);
  }
}

}  // namespace winnow::live::test
