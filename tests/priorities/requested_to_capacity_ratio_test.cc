#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
#include "priorities/resources.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const priorities::Record& rule() {
  return *priorities::find_classic_taking("requestedToCapacityRatioArguments");
}

PodBuilder asks(std::string_view cpu, std::string_view memory) { return pod("p").cpu(cpu).memory(memory); }

}  // namespace

TEST_CASE("RequestedToCapacityRatioPriority without arguments: from 10 when empty to 0 when full") {
  const Node four = node("n").cpu("4").memory("4Gi");
  const Ranking rows[] = {
      // 100-(4000-2000)*100/4000 = 50 %: 10 + (0-10)*50/100 = 5.
      {"half used", asks("2", "2Gi"), {four}, {}, {{"n", 5}}},
      {"what runs there counts", asks("1", "1Gi"), {four}, {asks("1", "1Gi").on("n")}, {{"n", 5}}},
      // 25 %: 10 - 250/100 = 8 (the division truncates); 75 %: 10 - 750/100 = 3; (8+3)/2 = 5.5 rounds up.
      {"the mean is rounded half up", asks("1", "3Gi"), {four}, {}, {{"n", 6}}},
      // Memory is full and scores 0, so it is left out of the mean.
      {"a resource that scores 0 is left out", asks("1", "4Gi"), {four}, {}, {{"n", 8}}},
      {"overcommitted is full", asks("1", "5Gi"), {four}, {}, {{"n", 8}}},
      {"all full", asks("4", "4Gi"), {four}, {}, {{"n", 0}}},
      // 100m of 4 cpu: 100-3900*100/4000 = 100-97 = 3 %: 10 - 30/100 = 10. 200Mi of 4Gi: 5 %: 10.
      {"a container that names neither counts 100m and 200Mi", pod("p").container(), {four}, {}, {{"n", 10}}},
      {"a node without any", asks("1", "1Gi"), {node("n")}, {}, {{"n", 0}}},
  };
  check_scores("RequestedToCapacityRatioPriority", rows);
}

TEST_CASE("RequestedToCapacityRatioPriority by a shape") {
  const Node four =
      node("n").cpu("4").memory("4Gi").offers("example.com/gpu", "8").offers("ephemeral-storage", "10Gi");
  const CapacityRatioShape packed{{{20, 1}, {60, 9}, {80, 4}}, {{"cpu", 1}}};
  const Ranking rows[] = {
      {"level before the first point", asks("400m", "0"), {four}, {}, {{"n", 1}}},
      {"the first point", asks("800m", "0"), {four}, {}, {{"n", 1}}},
      {"40 %: 1 + 8*20/40", asks("1600m", "0"), {four}, {}, {{"n", 5}}},
      {"50 %: 1 + 8*30/40", asks("2", "0"), {four}, {}, {{"n", 7}}},
      {"70 %, going down: 9 + -5*10/20 = 9-2", asks("2800m", "0"), {four}, {}, {{"n", 7}}},
      {"level behind the last", asks("4", "0"), {four}, {}, {{"n", 4}}},
      {"overcommitted is 100 %", asks("40", "0"), {four}, {}, {{"n", 4}}},
  };
  check_scores(rule(), rows, packed);
}

TEST_CASE("RequestedToCapacityRatioPriority by weighted resources") {
  const Node node =
      test::node("n").cpu("4").offers("example.com/gpu", "8").offers("ephemeral-storage", "10Gi");
  const auto shape = [](std::vector<WeighedResource> resources) {
    return CapacityRatioShape{{{0, 0}, {100, 10}}, std::move(resources)};
  };
  const Pod asks_gpu = pod("p").cpu("1").asks("example.com/gpu", "6").asks("ephemeral-storage", "5Gi");
  const Ranking gpu[] = {
      // 75 % is 7.
      {"an extended resource", asks_gpu, {node}, {}, {{"n", 7}}},
      {"what runs there counts: 7 of 8 is 88 %",
       asks_gpu,
       {node},
       {pod("q").asks("example.com/gpu", "1").on("n")},
       {{"n", 8}}},
      {"a pod that asks for none: 0 % scores 0", pod("p").cpu("1"), {node}, {}, {{"n", 0}}},
      {"a node without it is full", asks_gpu, {test::node("m").cpu("4")}, {}, {{"m", 10}}},
  };
  check_scores(rule(), gpu, shape({{"example.com/gpu", 1}}));
  // cpu 25 % is 2, gpu 7: (2*1 + 7*3)/4 = 5.75.
  const Ranking both[] = {{"weights", asks_gpu, {node}, {}, {{"n", 6}}}};
  check_scores(rule(), both, shape({{"cpu", 1}, {"example.com/gpu", 3}}));
  const Ranking storage[] = {{"ephemeral storage", asks_gpu, {node}, {}, {{"n", 5}}}};
  check_scores(rule(), storage, shape({{"ephemeral-storage", 1}}));
  const Ranking unknown[] = {{"a resource that nodes do not account for", asks_gpu, {node}, {}, {{"n", 10}}}};
  check_scores(rule(), unknown, shape({{"foo", 1}}));
}

}  // namespace winnow::test
