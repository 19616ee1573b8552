#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::even_pods_spread_test {
namespace {

using Named = std::map<std::string, std::int64_t>;
const char* const kRule = "EvenPodsSpreadPriority";
const LabelSelector kWebs = selects({{"app", "web"}});
constexpr bool kSoft = false;

PodBuilder web(std::string name = "web") { return pod(std::move(name)).label("app", "web"); }
PodBuilder spread(std::string key, std::optional<LabelSelector> selector) {
  return web("p").spreads(std::move(key), std::move(selector), 1, kSoft);
}

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

}  // namespace

TEST_CASE("EvenPodsSpreadPriority") {
  const std::vector<Pod> webs = {web().on("a"), web().on("a"), web().on("a"),
                                 web().on("a"), web().on("b"), web().on("b")};
  const Ranking rows[] = {
      {"no constraint", web("p"), nodes(), webs, named(0, 0, 0, 0)},
      {"a hard constraint is not for here", web("p").spreads("host", kWebs), nodes(), webs,
       named(0, 0, 0, 0)},
      {"4, 2, 0 of 6: 10*2/6 = 3, 10*4/6 = 6, 10*6/6 = 10; no key, 0", spread("host", kWebs), nodes(), webs,
       named(3, 6, 10, 0)},
      {"by zone 6, 6, 0 of 12: 10*6/12 = 5", spread("zone", kWebs), nodes(), webs, named(5, 5, 10, 0)},
      {"two constraints add up: 10, 8, 0 of 18: 10*8/18 = 4, 10*10/18 = 5",
       spread("zone", kWebs).spreads("host", kWebs, 1, kSoft), nodes(), webs, named(4, 5, 10, 0)},
      {"two of one key share their sums and count them twice: 8, 4, 0",
       spread("host", kWebs).spreads("host", std::nullopt, 1, kSoft), nodes(), webs, named(3, 6, 10, 0)},
      {"none match: the total is the fewest, all get 10",
       spread("host", kWebs),
       nodes(),
       {},
       named(10, 10, 10, 0)},
      {"an absent selector matches nothing", spread("host", std::nullopt), nodes(), webs,
       named(10, 10, 10, 0)},
      {"no node has all keys", spread("host", kWebs).spreads("rack", kWebs, 1, kSoft), nodes(), webs,
       named(0, 0, 0, 0)},
      {"namespaces make no difference: 1, 1, 0 of 2: 10*1/2 = 5",
       spread("host", kWebs),
       nodes(),
       {web().in("other").on("a"), web().on("b").deleting()},
       named(5, 5, 10, 0)},
      {"pods of nodes that the pod may not run on do not count: b's 2 by zone, so 4, 4, 0",
       spread("zone", kWebs).requires_nodes({{"host", "NotIn", {"b"}}}), nodes(), webs, named(5, 5, 10, 0)},
      {"nor do those of nodes without all keys",
       spread("host", kWebs),
       nodes(),
       {web().on("d")},
       named(10, 10, 10, 0)},
  };
  check_scores(kRule, rows);
}

TEST_CASE("EvenPodsSpreadPriority: pods of all nodes count, the total is of the nodes scored") {
  State state(kExact);
  for (const Node& node : nodes()) state.set_node(node);
  for (int i = 0; i < 3; ++i) state.set_pod(web(std::to_string(i)).on(i == 0 ? "c" : "b"));
  // a counts b's 2, c 1, of 3: 10*1/(3-1) = 5 and 10*2/(3-1) = 10.
  CHECK(score(kRule, View(state), spread("zone", kWebs), {"a", "c"}).scores == Named{{"a", 5}, {"c", 10}});
}

TEST_CASE("EvenPodsSpreadPriority: an invalid selector fails the call where there is a pod to try it on") {
  State state(kExact);
  for (const Node& node : nodes()) state.set_node(node);
  const auto error = [&](const Pod& pod, const std::vector<std::string>& scored = {}) {
    return score(kRule, View(state), pod, scored).error;
  };
  state.set_pod(pod("1").on("d"));
  CHECK(error(spread("zone", invalid_selector())) == "");
  state.set_pod(pod("2").in("other").on("b"));
  CHECK(error(spread("zone", invalid_selector())) == kInvalidSelectorError);
  CHECK(error(web("p").spreads("zone", invalid_selector())) == "");
  // Pods count only in the domains of nodes that are scored, and on nodes that the pod may run on.
  CHECK(error(spread("zone", invalid_selector()), {"a"}) == kInvalidSelectorError);
  CHECK(error(spread("zone", invalid_selector()), {"c"}) == "");
  CHECK(error(spread("zone", invalid_selector()).selects_nodes("host", "a")) == "");
}

}  // namespace winnow::test::even_pods_spread_test
