#include "cluster/watch/discovery.h"

#include <doctest/doctest.h>

#include "tests/cluster/watch/sim_clock.h"

namespace winnow::live {
namespace {

using List = std::vector<std::string>;

std::string slice(const std::string& endpoints,
                  const std::string& ports = R"([{"name":"https","port":6443}])") {
  return R"({"kind":"EndpointSlice","metadata":{"name":"kubernetes","namespace":"default","resourceVersion":"5"},)"
         R"("addressType":"IPv4","endpoints":)" +
         endpoints + R"(,"ports":)" + ports + "}";
}

struct Found {
  SimClock clock;
  ApiServers servers{{"https://configured:6443"}, clock};
  Discovery discovery{servers};

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
         slice(R"([{"addresses":["fd00::1"]}])"),
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
