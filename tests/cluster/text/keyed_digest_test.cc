#include <doctest/doctest.h>

#include "cluster/text/keyed_hash.h"

namespace winnow {

TEST_CASE("a digest has one length, tells texts apart, and is another with each key") {
  const KeyedDigest one, other;
  CHECK(one("").size() == 32);
  CHECK(one(std::string(100'000, 'x')).size() == 32);
  CHECK(one("token") == one("token"));
  CHECK(one("token") != one("token "));
  CHECK(one(std::string_view("a\0b", 3)) != one("a"));
  CHECK(one("token") != other("token"));
  CHECK_FALSE(one("token").contains("token"));
}

}  // namespace winnow
