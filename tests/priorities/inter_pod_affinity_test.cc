#include <doctest/doctest.h>

#include "priorities/pod_affinity.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::inter_pod_affinity_test {
namespace {

using Named = std::map<std::string, std::int64_t>;
const char* const kRule = "InterPodAffinityPriority";

PodAffinityTerm webs(std::string key, std::vector<std::string> namespaces = {}) {
  return pods_with({{"app", "web"}}, std::move(key), std::move(namespaces));
}
PodAffinityTerm broken() {
  PodAffinityTerm term = webs("host");
  term.label_selector = invalid_selector();
  return term;
}
PodBuilder web(std::string name = "web") { return pod(std::move(name)).label("app", "web"); }

/// Nodes a and b in zone x, c in zone y; each is its own host; d has no label.
std::vector<Node> nodes() {
  std::vector<Node> made;
  for (const char* host : {"a", "b", "c"})
    made.push_back(node(host).label("host", host).label("zone", *host == 'c' ? "y" : "x"));
  made.push_back(node("d"));
  return made;
}
Named named(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  return {{"a", a}, {"b", b}, {"c", c}, {"d", d}};
}
void fill(State& state, const std::vector<Pod>& pods) {
  for (const Node& node : nodes()) state.set_node(node);
  for (const Pod& pod : pods) state.set_pod(pod);
}

}  // namespace

TEST_CASE("InterPodAffinityPriority") {
  const Ranking rows[] = {
      {"nothing preferred", pod("p"), nodes(), {web().on("a")}, named(0, 0, 0, 0)},
      {"sums 5, 5, 0, 0", pod("p").likes(5, webs("zone")), nodes(), {web().on("a")}, named(10, 10, 0, 0)},
      {"sums 4+2, 2+2, 1+0, 0: 10*4/6 = 6, 10*1/6 = 1",
       pod("p").likes(1, webs("zone")).likes(2, webs("host")),
       nodes(),
       {web().on("a"), web().on("b"), web().on("c")},
       named(10, 10, 7, 0)},
      {"sums -3, -3, 0, 0: the lowest is -3, the highest starts at 0",
       pod("p").dislikes(3, webs("zone")),
       nodes(),
       {web().on("b")},
       named(0, 0, 10, 10)},
      {"sums 8-2, -2, 0, 0: 10*8/8 = 10, 10*0/8 = 0, 10*2/8 = 2",
       pod("p").likes(8, webs("host")).dislikes(2, webs("zone")),
       nodes(),
       {web().on("a")},
       named(10, 0, 2, 2)},
      {"equal sums are all the highest, for the lowest starts at 0",
       pod("p").likes(1, webs("zone")),
       {node("a").label("zone", "x"), node("b").label("zone", "x")},
       {web().on("a")},
       {{"a", 10}, {"b", 10}}},
      {"pods being deleted count",
       pod("p").likes(1, webs("host")),
       nodes(),
       {web().on("a").deleting()},
       named(10, 0, 0, 0)},
      {"pods of other namespaces do not",
       pod("p").likes(1, webs("host")),
       nodes(),
       {web().in("other").on("a")},
       named(0, 0, 0, 0)},
      {"unless named",
       pod("p").likes(1, webs("host", {"other"})),
       nodes(),
       {web().in("other").on("a")},
       named(10, 0, 0, 0)},
      {"an empty key is no domain", pod("p").likes(1, webs("")), nodes(), {web().on("a")}, named(0, 0, 0, 0)},
      {"a required term of the pod's own scores nothing",
       pod("p").joins(webs("zone")).avoids(webs("host")),
       nodes(),
       {web().on("a")},
       named(0, 0, 0, 0)},
      {"a pod that prefers this one",
       web("p"),
       nodes(),
       {pod("there").likes(7, webs("zone")).on("c")},
       named(0, 0, 10, 0)},
      {"one that prefers it away",
       web("p"),
       nodes(),
       {pod("there").dislikes(7, webs("host")).on("c")},
       named(10, 10, 0, 10)},
      {"one that requires it counts 1; 7+1, 1, 0: 10*1/8 = 1",
       web("p"),
       nodes(),
       {pod("there").joins(webs("zone")).likes(7, webs("host")).on("a")},
       named(10, 1, 0, 0)},
      {"one that forbids it counts nothing",
       web("p"),
       nodes(),
       {pod("there").avoids(webs("zone")).on("a")},
       named(0, 0, 0, 0)},
      {"its namespace is its own",
       web("p"),
       nodes(),
       {pod("there").in("other").likes(7, webs("zone")).on("c")},
       named(0, 0, 0, 0)},
      {"pods on nodes that are gone or pending count nothing",
       web("p").likes(1, webs("host")),
       nodes(),
       {web().on("gone"), pod("there").likes(7, webs("zone")),
        pod("there").likes(7, webs("zone")).on("gone")},
       named(0, 0, 0, 0)},
      {"a term that is there twice counts twice: 2, 1, 0: 10*1/2 = 5",
       web("p"),
       nodes(),
       {pod("x").likes(1, webs("host")).likes(1, webs("host")).on("a"),
        pod("y").likes(1, webs("host")).on("b")},
       named(10, 5, 0, 0)},
  };
  check_scores(kRule, rows);
}

TEST_CASE("InterPodAffinityPriority: pods of all nodes count, lowest and highest are of the nodes scored") {
  State state(kExact);
  fill(state, {web("1").on("a"), web("2").on("a"), web("3").on("c")});
  const Pod asked = pod("p").likes(2, webs("zone")).likes(1, webs("host"));
  const View view(state);
  // 4+2, 4, 2+1, 0 of all; of b and c: 4 and 3.
  CHECK(score(kRule, view, asked).scores == named(10, 6, 5, 0));
  CHECK(score(kRule, view, asked, {"b", "c"}).scores == Named{{"b", 10}, {"c", 7}});
}

TEST_CASE("InterPodAffinityPriority: the weight of others' required affinity is the policy's") {
  State state(kExact);
  fill(state, {pod("1").joins(webs("zone")).on("a"), pod("2").likes(10, webs("zone")).on("c")});
  const priorities::Record& row = *priorities::find_classic(kRule);
  const View view(state);
  CHECK(score(row, view, web("p")).scores == named(1, 1, 10, 0));
  CHECK(score(row, view, web("p"), HardPodAffinity{20}).scores == named(10, 10, 5, 0));
  CHECK(score(row, view, web("p"), HardPodAffinity{0}).scores == named(0, 0, 10, 0));
}

TEST_CASE("InterPodAffinityPriority: where nothing matches it has nothing to say") {
  State state(kExact);
  fill(state, {web("1").on("a"), pod("2").likes(1, pods_with({{"app", "db"}}, "zone")).on("a")});
  CHECK(score(kRule, View(state), web("p")).skipped);
  CHECK(score(kRule, View(state), pod("p").likes(1, pods_with({{"app", "db"}}, "zone"))).skipped);
}

TEST_CASE("InterPodAffinityPriority: an invalid selector fails the call where there is a pod to try it on") {
  const std::string invalid = kInvalidSelectorError;
  struct Row {
    std::string sentence;
    Pod pod;
    std::vector<Pod> there;
    std::string error;
  };
  const Row rows[] = {
      {"the pod's own", pod("p").likes(1, broken()), {pod("any").in("other").on("d")}, invalid},
      {"its anti-affinity's", pod("p").dislikes(1, broken()), {pod("any").on("a")}, invalid},
      {"no pod on a node", pod("p").likes(1, broken()), {pod("any").on("gone"), pod("other")}, ""},
      {"the pod's own required ones are not looked at",
       pod("p").joins(broken()).avoids(broken()),
       {pod("any").on("a")},
       ""},
      {"another's preferred", pod("p"), {pod("there").likes(1, broken()).on("a")}, invalid},
      {"another's preferred anti-affinity", pod("p"), {pod("there").dislikes(1, broken()).on("a")}, invalid},
      {"another's required affinity", pod("p"), {pod("there").joins(broken()).on("a")}, invalid},
      {"another's required anti-affinity is not looked at",
       pod("p"),
       {pod("there").avoids(broken()).on("a")},
       ""},
      {"a pending pod's is not", pod("p"), {pod("there").likes(1, broken())}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state(kExact);
    fill(state, row.there);
    CHECK(score(kRule, View(state), row.pod).error == row.error);
  }
  State state(kExact);
  fill(state, {pod("there").joins(broken()).on("a")});
  CHECK(score(*priorities::find_classic(kRule), View(state), pod("p"), HardPodAffinity{0}).error == "");
}

}  // namespace winnow::test::inter_pod_affinity_test
