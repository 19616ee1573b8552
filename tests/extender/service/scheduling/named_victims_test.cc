#include <doctest/doctest.h>

#include "extender/service/scheduling/pick_history.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;
using Uids = std::vector<std::string>;

constexpr VictimHistory::Time kStart{1h};

TEST_CASE("whom preempt named last for a pod, by node") {
  VictimHistory victims;
  CHECK(victims.on("p", "a").empty());
  victims.named("p", {{"a", {"one", "two"}}, {"b", {"three"}}});
  victims.named("q", {{"a", {"four"}}});
  CHECK(victims.on("p", "a") == Uids{"one", "two"});
  CHECK(victims.on("p", "b") == Uids{"three"});
  CHECK(victims.on("p", "c").empty());
  CHECK(victims.on("q", "a") == Uids{"four"});
  victims.named("p", {{"c", {"five"}}});
  CHECK(victims.on("p", "a").empty());
  CHECK(victims.on("p", "c") == Uids{"five"});
  victims.named("p", {});
  CHECK(victims.on("p", "c").empty());
  CHECK(victims.on("q", "a") == Uids{"four"});
}

TEST_CASE("the last pods are remembered, and no more") {
  VictimHistory victims;
  const auto uid = [](std::size_t i) { return "pod-" + std::to_string(i); };
  for (std::size_t i = 0; i < VictimHistory::kPods; ++i) victims.named(uid(i), {{"n", {"v"}}});
  CHECK(victims.on(uid(0), "n") == Uids{"v"});
  victims.named(uid(0), {{"n", {"w"}}});  // Which makes it the latest.
  victims.named(uid(VictimHistory::kPods), {{"n", {"v"}}});
  CHECK(victims.on(uid(0), "n") == Uids{"w"});
  CHECK(victims.on(uid(1), "n").empty());
  CHECK(victims.on(uid(2), "n") == Uids{"v"});
}

TEST_CASE("a request that says that victims are gone is believed for a while") {
  VictimHistory victims;
  CHECK_FALSE(victims.are_gone("p", kStart));  // Nobody was named.
  victims.named("p", {{"a", {"one"}}});
  CHECK(victims.are_gone("p", kStart + 1h));  // However long they took to go.
  CHECK(victims.are_gone("p", kStart + 1h + VictimHistory::kBelief - 1ms));
  CHECK_FALSE(victims.are_gone("p", kStart + 1h + VictimHistory::kBelief));
  victims.named("p", {{"b", {"two"}}});
  CHECK(victims.are_gone("p", kStart + 2h));
}

}  // namespace
}  // namespace winnow::test
