#include "extender/service/scheduling/pick_history.h"

#include <doctest/doctest.h>

namespace winnow {
namespace {

using Times = TextMap<std::uint32_t>;

TEST_CASE("what was answered to whom, and how often") {
  PickHistory picks;
  CHECK(picks.not_followed("u1").empty());
  picks.answered("u1", "a");
  picks.answered("u1", "b");
  picks.answered("u1", "a");
  picks.answered("u2", "a");
  CHECK(picks.not_followed("u1") == Times{{"a", 2}, {"b", 1}});
  CHECK(picks.not_followed("u2") == Times{{"a", 1}});
  CHECK(picks.not_followed("u3").empty());
}

TEST_CASE("the last 10,000 pods are remembered") {
  PickHistory picks;
  const auto uid = [](int i) {
    return "a pod's uid that is too long to be stored in place: " + std::to_string(i);
  };
  for (int i = 0; i < 10'000; ++i) picks.answered(uid(i), "n");
  CHECK(picks.not_followed(uid(0)).size() == 1);
  // The oldest one is heard of again: the next one is forgotten in its place.
  picks.answered(uid(0), "n");
  picks.answered(uid(10'000), "n");
  CHECK(picks.not_followed(uid(0)) == Times{{"n", 2}});
  CHECK(picks.not_followed(uid(1)).empty());
  CHECK(picks.not_followed(uid(2)).size() == 1);
  for (int i = 20'000; i < 50'000; ++i) picks.answered(uid(i), "n");
  CHECK(picks.not_followed(uid(0)).empty());
  CHECK(picks.not_followed(uid(39'999)).empty());
  CHECK(picks.not_followed(uid(40'000)).size() == 1);
}

}  // namespace
}  // namespace winnow
