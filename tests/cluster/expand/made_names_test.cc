#include "cluster/expand/made_names.h"

#include <doctest/doctest.h>

#include <set>

namespace winnow::test {
namespace {

TEST_SUITE("made-up names") {
  TEST_CASE("a prefix gives another name for each number") {
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
      const std::string name = generated_name("web-", i);
      CHECK(name.size() == 9);
      CHECK(names.insert(name).second);
    }
    CHECK(generated_name("web-", 0) != "api-" + generated_name("web-", 0).substr(4));
    CHECK(generated_name("web-", 3) == generated_name("web-", 3));
  }

  TEST_CASE("names fit in a label's value") {
    const std::string longest(70, 'x');
    CHECK(cut_prefix(longest).size() == 58);
    CHECK(generated_name(longest, 1).size() == 63);
    CHECK(generated_name(longest, 1) == generated_name(longest + "y", 1));
  }

  TEST_CASE("the prefix of a controller's pods") {
    struct Row {
      const char* sentence;
      std::string controller;
      std::string prefix;
    };
    const Row rows[] = {
        {"a dash", "web", "web-"},
        {"dots may stand in a name", "web.v2", "web.v2-"},
        {"too long with a dash", std::string(253, 'x'), std::string(253, 'x')},
        {"no name of a pod", "Web", "Web"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(pods_prefix(row.controller) == row.prefix);
    }
    CHECK(indexed_prefix("job", 12) == "job-12-");
    CHECK(indexed_prefix(std::string(60, 'x'), 12) == std::string(54, 'x') + "-12-");
  }

  TEST_CASE("a hash in letters") {
    CHECK(encoded_hash(123456789) == "56789bcdf");
    CHECK(encoded_hash(0) == "4");
    CHECK(replica_set_name("web", "56") == "web-56");
    CHECK(replica_set_name(std::string(253, 'x'), "56") == std::string(250, 'x') + "-56");
    CHECK(fnv32("") == 2166136261u);
    CHECK(fnv32("foobar") == 0xbf9cf968u);
  }

  TEST_CASE("a UID has the form of a UUID, and differs from object to object") {
    const std::string uid = made_uid("Deployment shop/web");
    CHECK(uid.size() == 36);
    for (const std::size_t dash : {8u, 13u, 18u, 23u}) CHECK(uid[dash] == '-');
    CHECK(uid != made_uid("Deployment shop/api"));
    CHECK(uid == made_uid("Deployment shop/web"));
  }
}

}  // namespace
}  // namespace winnow::test
