#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using ByNode = std::map<std::string, std::int64_t>;

PodBuilder web_pod(std::string name) { return pod(std::move(name)).label("app", "web"); }

/// Of four web pods three are in rack 1, one in rack 2; a and c are in row x.
struct FourPods {
  FourPods() : state(kPlugins) {
    state.set_node(node("a").label("rack", "1").label("row", "x"));
    state.set_node(node("b").label("rack", "1").label("row", "y"));
    state.set_node(node("c").label("rack", "2").label("row", "x"));
    state.set_node(node("d"));
    int i = 0;
    for (const char* const on : {"a", "b", "b", "c"})
      state.set_pod(web_pod("web" + std::to_string(i++)).on(on));
    state.workloads.set(WorkloadKind::kService, meta("default", "web"), StringMap{{"app", "web"}});
  }
  State state;
};

ByNode scores(const State& state, const Pod& pod, std::vector<std::string> labels) {
  return score(priority("ServiceAffinity"), View(state), pod, ServiceAffinityArgs{{}, std::move(labels)})
      .scores;
}

}  // namespace

TEST_CASE("ServiceAffinity spreads a Service over the values of a label") {
  const FourPods pods;
  const State& state = pods.state;
  CHECK(scores(state, web_pod("new"), {"rack"}) == ByNode{{"a", 25}, {"b", 25}, {"c", 75}, {"d", 0}});
  // Row x has two pods, row y two: 50 each. The mean with the rack: 37.5, 37.5, 62.5.
  CHECK(scores(state, web_pod("new"), {"rack", "row"}) == ByNode{{"a", 37}, {"b", 37}, {"c", 62}, {"d", 0}});
  CHECK(scores(state, web_pod("new"), {}) == ByNode{{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}});
}

TEST_CASE("ServiceAffinity: without pods of a Service each node with the label gets 100") {
  FourPods pods;
  State& state = pods.state;
  const ByNode all = {{"a", 100}, {"b", 100}, {"c", 100}, {"d", 0}};
  CHECK(scores(state, pod("new").label("app", "db"), {"rack"}) == all);
  // The first Service by name counts, and one with an empty selector counts nobody.
  state.workloads.set_service(meta("default", "all"), StringMap());
  CHECK(scores(state, web_pod("new"), {"rack"}) == all);
}

}  // namespace winnow::test
