#include <doctest/doctest.h>

#include "extender/service/recheck.h"

namespace winnow {

TEST_CASE("what changes the cluster is taken from kube-scheduler, and not from web pages") {
  struct Row {
    const char* sentence;
    Sender sender;
    bool loopback;
    int status;
  };
  const Row rows[] = {
      {"kube-scheduler", {"application/json", "", "127.0.0.1:10290"}, true, 0},
      {"by name", {"application/json", "", "localhost:10290"}, true, 0},
      {"by IPv6", {"application/json; charset=utf-8", "", "[::1]:10290"}, true, 0},
      {"in capitals", {"Application/JSON", "", "localhost"}, true, 0},
      {"beyond loopback by any name", {"application/json", "", "winnow.kube-system:10290"}, false, 0},
      {"a form of a page", {"application/x-www-form-urlencoded", "", "localhost"}, true, 415},
      {"text of a page", {"text/plain", "", "localhost"}, true, 415},
      {"a type that ends like it", {"text/application/json", "", "localhost"}, true, 415},
      {"no type", {"", "", "localhost"}, true, 415},
      {"a page", {"application/json", "http://evil.example", "localhost"}, true, 403},
      {"a page without an origin of its own", {"application/json", "null", "localhost"}, true, 403},
      {"a page of the machine itself", {"application/json", "http://localhost:8080", "localhost"}, true, 403},
      {"a name that was pointed here", {"application/json", "", "evil.example:10290"}, true, 403},
      {"a name that begins like an address", {"application/json", "", "127.0.0.1.evil.example"}, true, 403},
      {"no host", {"application/json", "", ""}, true, 403},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto refused = check_sender(row.sender, row.loopback);
    CHECK((refused ? refused->status : 0) == row.status);
    if (refused) CHECK(refused->line.contains("expected "));
  }
  CHECK(check_sender({"text/plain", "", ""}, true)->line ==
        "Content-Type: \"text/plain\"; expected application/json");
  CHECK(check_sender({"\xff", "", ""}, true)->line == "Content-Type: \"\\xff\"; expected application/json");
}

TEST_CASE("what the page shows is for the page under the listener's own name") {
  for (const char* host : {"127.0.0.1:10290", "localhost", "[::1]:10290"})
    CHECK_FALSE(check_host(host, true));
  for (const char* host : {"evil.example:10290", "127.0.0.1.evil.example", ""}) {
    CAPTURE(host);
    const auto refused = check_host(host, true);
    REQUIRE(refused);
    CHECK(refused->status == 403);
    CHECK_FALSE(check_host(host, false));
  }
}

}  // namespace winnow
