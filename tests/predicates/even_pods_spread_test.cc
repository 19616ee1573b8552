#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::even_pods_spread_test {
namespace {

using Answers = std::map<std::string, std::string>;
const char* const kRule = "EvenPodsSpread";
const std::string kRefused = "unschedulable: node(s) didn't match pod topology spread constraints";
const LabelSelector kWebs = selects({{"app", "web"}});

PodBuilder web(std::string name = "web") { return pod(std::move(name)).label("app", "web"); }

/// Nodes a and b in zone x, c in zone y; each is its own host; d has no label.
struct Row {
  std::string sentence;
  Pod pod;
  std::map<std::string, int> webs;  ///< By node.
  std::vector<Pod> others;
  Answers answers;
};

void check(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state(kExact);
    for (const char* host : {"a", "b", "c"})
      state.set_node(node(host).label("host", host).label("zone", *host == 'c' ? "y" : "x"));
    state.set_node(node("d"));
    for (const auto& [name, number] : row.webs)
      for (int i = 0; i < number; ++i) state.set_pod(web(name + std::to_string(i)).on(name));
    for (const Pod& other : row.others) state.set_pod(other);
    CHECK(judge(kRule, View(state), row.pod) == row.answers);
    state.groups.keep_wanted();
    CHECK(judge(kRule, View(state), row.pod) == row.answers);
  }
}

Answers answers(const std::string& a, const std::string& b, const std::string& c, const std::string& d) {
  return {{"a", a}, {"b", b}, {"c", c}, {"d", d}};
}
const std::string fits = "fits";

}  // namespace

TEST_CASE("EvenPodsSpread") {
  const Row rows[] = {
      {"no constraint", web("p"), {{"a", 5}}, {}, answers(fits, fits, fits, fits)},
      {"a soft constraint is not for here",
       web("p").spreads("zone", kWebs, 1, false),
       {{"a", 5}},
       {},
       answers(fits, fits, fits, fits)},
      {"3 + 1 - 2 > 1 in zone x, 2 + 1 - 2 <= 1 in y; no key, no place",
       web("p").spreads("zone", kWebs),
       {{"a", 2}, {"b", 1}, {"c", 2}},
       {},
       answers(kRefused, kRefused, fits, kRefused)},
      {"3 + 1 - 2 <= 2",
       web("p").spreads("zone", kWebs, 2),
       {{"a", 2}, {"b", 1}, {"c", 2}},
       {},
       answers(fits, fits, fits, kRefused)},
      {"a pod that does not match itself: 3 - 2 <= 1",
       pod("p").spreads("zone", kWebs),
       {{"a", 2}, {"b", 1}, {"c", 2}},
       {},
       answers(fits, fits, fits, kRefused)},
      {"by host the fewest are 0",
       web("p").spreads("host", kWebs),
       {{"a", 1}, {"c", 1}},
       {},
       answers(kRefused, fits, kRefused, kRefused)},
      {"all constraints hold",
       web("p").spreads("zone", kWebs).spreads("host", kWebs),
       {{"a", 1}, {"c", 1}},
       {},
       answers(kRefused, fits, kRefused, kRefused)},
      {"pods of other namespaces do not count",
       web("p").spreads("zone", kWebs),
       {},
       {web("1").in("other").on("a")},
       answers(fits, fits, fits, kRefused)},
      {"those being deleted do",
       web("p").spreads("zone", kWebs),
       {},
       {web("1").on("a").deleting()},
       answers(kRefused, kRefused, fits, kRefused)},
      {"an absent selector matches nothing, not even itself",
       web("p").spreads("zone", std::nullopt, 0),
       {{"a", 5}},
       {},
       answers(fits, fits, fits, kRefused)},
      {"an empty one everything",
       pod("p").spreads("zone", LabelSelector()),
       {},
       {pod("1").on("a")},
       answers(kRefused, kRefused, fits, kRefused)},
      {"constraints with one key share the sums of both: 1 + 1 + 1 - 0 > 2",
       web("p").spreads("zone", kWebs, 2).spreads("zone", LabelSelector(), 2),
       {{"a", 1}},
       {},
       answers(kRefused, kRefused, fits, kRefused)},
      {"nodes outside of the pod's node selector are not counted, but are judged",
       web("p").spreads("host", kWebs).selects_nodes("zone", "x"),
       {{"a", 1}, {"b", 1}},
       {},
       answers(fits, fits, fits, kRefused)},
      {"the counts of a domain are those of its counted nodes: b's 2 stay out",
       web("p").spreads("zone", kWebs).requires_nodes({{"host", "NotIn", {"b"}}, {"host", "Exists", {}}}),
       {{"b", 2}},
       {},
       answers(fits, fits, fits, kRefused)},
      {"where no node is counted every node fits",
       web("p").spreads("rack", kWebs),
       {{"a", 1}},
       {},
       answers(fits, fits, fits, fits)},
      {"a key that only some counted nodes have counts none of the others",
       web("p").spreads("zone", kWebs).spreads("rack", kWebs),
       {{"a", 1}},
       {},
       answers(fits, fits, fits, fits)},
  };
  check(rows);
}

TEST_CASE("EvenPodsSpread: without a maxSkew it is 1") {
  for (const int skew : {0, 1, 2}) {
    CAPTURE(skew);
    const auto a = skew == 2 ? std::string(fits) : std::string(kRefused);
    const Row rows[] = {{"one pod on a, none on the others, and no label on d",
                         web("p").spreads("host", kWebs, skew),
                         {{"a", 1}},
                         {},
                         answers(a, fits, fits, kRefused)}};
    check(rows);
  }
}

TEST_CASE("EvenPodsSpread: an invalid selector") {
  const std::string lost = "error: metadata not pre-computed for EvenPodsSpreadPredicate";
  const std::string invalid = "error: " + std::string(kInvalidSelectorError);
  PodAffinityTerm broken = pods_with({}, "zone");
  broken.label_selector = invalid_selector();
  const Row rows[] = {
      {"with a pod of the namespace to try it on",
       web("p").spreads("zone", invalid_selector()),
       {},
       {pod("1").on("a")},
       answers(lost, lost, lost, lost)},
      {"with none, it is met after the key",
       web("p").spreads("zone", invalid_selector()),
       {},
       {pod("1").in("other").on("a"), pod("2").on("d"), pod("3").on("gone")},
       answers(invalid, invalid, invalid, kRefused)},
      {"and after the constraints before it",
       web("p").spreads("host", LabelSelector(), -1).spreads("zone", invalid_selector()),
       {},
       {},
       answers(kRefused, kRefused, kRefused, kRefused)},
      {"with no node that counts it is never met",
       web("p").spreads("rack", invalid_selector()),
       {},
       {pod("1").on("a")},
       answers(fits, fits, fits, fits)},
      {"of a soft constraint is not met here",
       web("p").spreads("zone", kWebs).spreads("zone", invalid_selector(), 1, false),
       {},
       {pod("1").on("a")},
       answers(fits, fits, fits, kRefused)},
      {"of the pod's own affinity",
       web("p").spreads("zone", kWebs).joins(broken),
       {},
       {},
       answers(lost, lost, lost, lost)},
      {"of its anti-affinity",
       web("p").spreads("zone", kWebs).avoids(broken),
       {},
       {pod("1").on("d")},
       answers(lost, lost, lost, lost)},
      {"of its anti-affinity, with no pod on any node",
       web("p").spreads("zone", kWebs).avoids(broken),
       {},
       {pod("1").on("gone")},
       answers(fits, fits, fits, kRefused)},
      {"of another's anti-affinity",
       web("p").spreads("zone", kWebs),
       {},
       {pod("1").in("other").avoids(broken).on("d")},
       answers(lost, lost, lost, lost)},
  };
  check(rows);
}

}  // namespace winnow::test::even_pods_spread_test
