#include <doctest/doctest.h>

#include "extender/cli/flags/serve_flags.h"

namespace winnow {

TEST_CASE("an address and port as Kubernetes' components spell it") {
  struct Row {
    const char* text;
    const char* host;
    int port;
  };
  const Row rows[] = {
      {"127.0.0.1:10291", "127.0.0.1", 10291},
      {"0.0.0.0:10291", "0.0.0.0", 10291},
      {"[::]:10291", "::", 10291},
      {"[fd00::a]:1", "fd00::a", 1},
      {":10291", "", 10291},
      {":0", "", 0},
      {":65535", "", 65535},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto parsed = parse_listen_address(row.text);
    REQUIRE(parsed);
    REQUIRE(parsed->has_value());
    CHECK((*parsed)->host == row.host);
    CHECK((*parsed)->port == row.port);
  }
  for (const char* off : {"", "0"}) {
    const auto parsed = parse_listen_address(off);
    REQUIRE(parsed);
    CHECK_FALSE(parsed->has_value());
  }
}

TEST_CASE("what is no address and port is named, with what was expected") {
  for (const char* text : {"10291",
                           "1",
                           ":",
                           ":http",
                           ":65536",
                           ":-1",
                           ": 1",
                           ":1 ",
                           "localhost:10291",
                           "0.0.0.0",
                           "::",
                           ":::10291",
                           "fd00::a:10291",
                           "[::]",
                           "[::]10291",
                           "[127.0.0.1]:1",
                           "[]:1",
                           "127.0.0.1:",
                           "127.0.0:1",
                           "http://0.0.0.0:1",
                           "[::1%lo]:1"}) {
    CAPTURE(text);
    const auto parsed = parse_listen_address(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error() ==
          "found \"" + std::string(text) +
              "\", expected IP:PORT, such as 0.0.0.0:10291, [::]:10291 or :10291; 0 is off");
  }
}

}  // namespace winnow
