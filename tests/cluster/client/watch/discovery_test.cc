#include "cluster/client/watch/discovery.h"

#include <doctest/doctest.h>

#include "cluster/api/workload.h"
#include "cluster/client/servers/api_servers.h"
#include "tests/cluster/client/watch/sim_clock.h"

namespace winnow::live {
namespace {

using List = std::vector<std::string>;

const std::string kHttps = R"([{"name":"https","port":6443}])";

std::string slice(const std::string& endpoints, const std::string& ports = kHttps,
                  const std::string& type = "IPv4") {
  return R"({"kind":"EndpointSlice","metadata":{"name":"kubernetes","namespace":"default","resourceVersion":"5"},)"
         R"("addressType":")" +
         type + R"(","endpoints":)" + endpoints + R"(,"ports":)" + ports + "}";
}

struct Found {
  SimClock clock;
  ApiServers servers{{"https://configured:6443"}, clock};
  List skipped;
  Discovery discovery{servers, [this](const std::string& line) { skipped.push_back(line); }};

  List after(const std::string& object) {
    discovery.set(object);
    discovery.flush();
    return servers.servers();
  }
};

const std::string kTwo = slice(R"([{"addresses":["10.0.0.1"]},{"addresses":["10.0.0.2"]}])");
const List kThree = {"https://configured:6443", "https://10.0.0.1:6443", "https://10.0.0.2:6443"};

}  // namespace

TEST_SUITE("live: discovery") {
  TEST_CASE("whom the slice tells of") {
    struct Row {
      const char* sentence;
      std::string slice;
      List found;  ///< The servers after the configured one.
    };
    const Row rows[] = {
        {"all its addresses",
         slice(R"([{"addresses":["10.0.0.1","10.0.0.2"]},{"addresses":["10.0.0.3"]}])"),
         {"https://10.0.0.1:6443", "https://10.0.0.2:6443", "https://10.0.0.3:6443"}},
        {"an IPv6 address stands in brackets",
         slice(R"([{"addresses":["fd00::1"]}])", kHttps, "IPv6"),
         {"https://[fd00::1]:6443"}},
        {"who is not ready is left out; who does not say is ready",
         slice(R"([{"addresses":["10.0.0.1"],"conditions":{"ready":false}},
                   {"addresses":["10.0.0.2"],"conditions":{"ready":true}},
                   {"addresses":["10.0.0.3"],"conditions":{}}])"),
         {"https://10.0.0.2:6443", "https://10.0.0.3:6443"}},
        {"the port is the one named https",
         slice(R"([{"addresses":["10.0.0.1"]}])",
               R"([{"name":"http","port":80},{"name":"https","port":443}])"),
         {"https://10.0.0.1:443"}},
        {"without that port, nobody",
         slice(R"([{"addresses":["10.0.0.1"]}])", R"([{"name":"x","port":80}])"),
         {}},
        {"without ports, nobody", slice(R"([{"addresses":["10.0.0.1"]}])", "null"), {}},
        {"each once",
         slice(R"([{"addresses":["10.0.0.1"]},{"addresses":["10.0.0.1"]}])"),
         {"https://10.0.0.1:6443"}},
        {"what cannot be read, nobody", "{", {}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      List all = {"https://configured:6443"};
      all.insert(all.end(), row.found.begin(), row.found.end());
      CHECK(Found().after(row.slice) == all);
    }
  }

  TEST_CASE("what is no address of the slice's type is skipped, and told in a line") {
    struct Row {
      const char* sentence;
      std::string slice;
      List found;
      List skipped;
    };
    const auto listed = [](const std::string& addresses, const std::string& type = "IPv4") {
      return slice(R"([{"addresses":[)" + addresses + "]}]", kHttps, type);
    };
    const Row rows[] = {
        {"a name among addresses",
         listed(R"("10.0.0.1","evil.example.com","10.0.0.2")"),
         {"https://10.0.0.1:6443", "https://10.0.0.2:6443"},
         {R"(an endpoint: address: "evil.example.com" is not an IPv4 address)"}},
        {"what would be another URL",
         listed(R"("10.0.0.1:1/x?","10.0.0.1@evil","")"),
         {},
         {R"(an endpoint: address: "10.0.0.1:1/x?" is not an IPv4 address)",
          R"(an endpoint: address: "10.0.0.1@evil" is not an IPv4 address)",
          R"(an endpoint: address: "" is not an IPv4 address)"}},
        {"an address of the other family",
         listed(R"("fd00::1","10.0.0.1")"),
         {"https://10.0.0.1:6443"},
         {R"(an endpoint: address: "fd00::1" is not an IPv4 address)"}},
        {"the other way round",
         listed(R"("fd00::1","10.0.0.1","fe80::1%eth0")", "IPv6"),
         {"https://[fd00::1]:6443"},
         {R"(an endpoint: address: "10.0.0.1" is not an IPv6 address)",
          R"(an endpoint: address: "fe80::1%eth0" is not an IPv6 address)"}},
        {"other ways to write an address",
         listed(R"("010.0.0.1","10.1","0x0a000001","10.0.0.1\n")"),
         {},
         {R"(an endpoint: address: "010.0.0.1" is not an IPv4 address)",
          R"(an endpoint: address: "10.1" is not an IPv4 address)",
          R"(an endpoint: address: "0x0a000001" is not an IPv4 address)",
          R"(an endpoint: address: "10.0.0.1\n" is not an IPv4 address)"}},
        {"a slice of names",
         listed(R"("api.example.com")", "FQDN"),
         {},
         {R"(the slice: addressType: "FQDN" is not IPv4 or IPv6)"}},
        {"a slice without a type",
         listed(R"("10.0.0.1")", ""),
         {},
         {R"(the slice: addressType: "" is not IPv4 or IPv6)"}},
        {"a port that is none",
         slice(R"([{"addresses":["10.0.0.1"]}])", R"([{"name":"https","port":65536}])"),
         {},
         {"the slice: ports: https: 65536 is not a port"}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      List all = {"https://configured:6443"};
      all.insert(all.end(), row.found.begin(), row.found.end());
      Found found;
      CHECK(found.after(row.slice) == all);
      CHECK(found.skipped == row.skipped);
    }
    Found found;
    found.after(kTwo);
    CHECK(found.after(listed(R"("evil.example.com")")) == kThree);
  }

  TEST_CASE("the servers follow the slice, and those configured stay") {
    Found found;
    CHECK(found.after(kTwo) == kThree);
    CHECK(found.after(slice(R"([{"addresses":["10.0.0.2"]}])")) ==
          List{"https://configured:6443", "https://10.0.0.2:6443"});
  }

  TEST_CASE("while the slice has nobody, or is gone, the servers stay as they are") {
    Found found;
    found.after(kTwo);
    CHECK(found.after(slice("[]")) == kThree);
    CHECK(found.after(slice(R"([{"addresses":["10.0.0.9"],"conditions":{"ready":false}}])")) == kThree);
    CHECK(found.after("{") == kThree);
    found.discovery.remove(kTwo);
    found.discovery.flush();
    CHECK(found.servers.servers() == kThree);
    found.discovery.begin_list();  // The list does not have the slice.
    found.discovery.end_list("9");
    CHECK(found.servers.servers() == kThree);
  }

  TEST_CASE("a list is taken as an event is") {
    Found found;
    found.discovery.begin_list();
    found.discovery.list(kTwo);
    found.discovery.end_list("9");
    CHECK(found.servers.servers() == kThree);
  }
}

}  // namespace winnow::live
