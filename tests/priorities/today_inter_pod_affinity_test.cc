#include <doctest/doctest.h>

#include "priorities/pod_affinity.h"
#include "tests/ask.h"
#include "tests/spread_cluster.h"

namespace winnow::test::today_inter_pod_affinity_test {
namespace {

const char* const kRule = "InterPodAffinity";
using Score = std::int64_t;

PodAffinityTerm webs(const char* key) { return pods_with({{"app", "web"}}, key); }
Ranking on_spread_nodes(std::string sentence, Pod pod, std::vector<Pod> there,
                        std::map<std::string, Score> scores) {
  return {std::move(sentence), std::move(pod), spread_nodes(), std::move(there), std::move(scores)};
}

}  // namespace

TEST_CASE("InterPodAffinity, score") {
  const Ranking rows[] = {
      on_spread_nodes("nothing preferred", pod("p"), {web().on("a")}, of_nodes<Score>(0, 0, 0, 0)),
      on_spread_nodes("sums 5, 5, 0, 0", pod("p").likes(5, webs(kZoneKey)), {web().on("a")},
                      of_nodes<Score>(100, 100, 0, 0)),
      on_spread_nodes("sums -3, -3, 0, 0", pod("p").dislikes(3, webs(kZoneKey)), {web().on("b")},
                      of_nodes<Score>(0, 0, 100, 100)),
      on_spread_nodes("sums 7, -1, 0, 0: 100*8/8, 0, 100*1/8 = 12.5, truncated",
                      pod("p").likes(8, webs(kHostKey)).dislikes(1, webs(kZoneKey)), {web().on("a")},
                      of_nodes<Score>(100, 0, 12, 12)),
      on_spread_nodes("what running pods prefer of this one, and for what they require 1", web("p"),
                      {pod("1").likes(4, webs(kHostKey)).on("a"), pod("2").joins(webs(kHostKey)).on("b")},
                      of_nodes<Score>(100, 25, 0, 0)),
      on_spread_nodes("a pod that is being deleted counts", pod("p").likes(1, webs(kHostKey)),
                      {web().on("c").deleting()}, of_nodes<Score>(0, 0, 100, 0)),
  };
  check_plugin_scores(kRule, rows);
}

TEST_CASE("InterPodAffinity: equal sums are 0, and no match at all is nothing to say") {
  State state(kPlugins);
  for (const Node& node : spread_nodes()) state.set_node(node);
  state.set_pod(web().on("a"));
  const Scores equal = score(kRule, View(state), pod("p").likes(1, webs(kZoneKey)), {"a", "b"});
  CHECK(equal.raw == std::map<std::string, Score>{{"a", 1}, {"b", 1}});
  CHECK(equal.scores == std::map<std::string, Score>{{"a", 0}, {"b", 0}});
  CHECK_FALSE(equal.skipped);
  CHECK(score(kRule, View(state), pod("p").likes(1, webs("rack"))).skipped);
}

TEST_CASE("InterPodAffinity: arguments") {
  State state(kPlugins);
  for (const Node& node : spread_nodes()) state.set_node(node);
  state.set_pod(pod("1").joins(webs(kHostKey)).on("a"));
  state.set_pod(pod("2").likes(3, webs(kHostKey)).on("b"));
  const auto raw = [&](const Pod& pod, InterPodAffinityArgs args) {
    return score(priority(kRule), View(state), pod, args).raw;
  };
  CHECK(raw(web("p"), {.hard_pod_affinity_weight = 100}) == of_nodes<Score>(100, 3, 0, 0));
  CHECK(raw(web("p"), {.hard_pod_affinity_weight = 0}) == of_nodes<Score>(0, 3, 0, 0));
  const InterPodAffinityArgs ignoring{.ignore_preferred_terms_of_existing_pods = true};
  CHECK(score(priority(kRule), View(state), web("p"), ignoring).skipped);
  // The preferred terms of existing pods are ignored only for a pod without preferred terms of its own.
  CHECK(raw(web("p").likes(1, pods_with({{"no", "body"}}, kHostKey)), ignoring) ==
        of_nodes<Score>(1, 3, 0, 0));
}

}  // namespace winnow::test::today_inter_pod_affinity_test
