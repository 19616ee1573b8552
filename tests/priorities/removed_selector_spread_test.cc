#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::removed_selector_spread_test {
namespace {

using Named = std::map<std::string, std::int64_t>;

PodBuilder web(std::string name) { return pod(std::move(name)).label("app", "web"); }

/// Nodes with zones by the new label; web pods: three on a, five on b, ten on c.
struct WebPods {
  explicit WebPods(bool zones) : state(kPlugins) {
    for (const char* const name : {"a", "b", "c", "d"}) {
      NodeBuilder made = node(name);
      if (zones) made.label("topology.kubernetes.io/zone", *name < 'c' ? "east" : "west");
      state.set_node(made);
    }
    const std::map<std::string, int> counts = {{"a", 3}, {"b", 5}, {"c", 10}};
    for (const auto& [name, count] : counts)
      for (int i = 0; i < count; ++i) state.set_pod(web(name + std::to_string(i)).on(name));
  }
  State state;
};

Scores scored(const State& state, const Pod& pod) {
  return score(priority("SelectorSpread"), View(state), pod);
}

void add_service(State& state, const std::string& name, const StringMap& selector) {
  state.workloads.set(WorkloadKind::kService, meta("default", name), selector);
}

}  // namespace

TEST_CASE("SelectorSpread: counts 3, 5 and 10 give 70, 50 and 0") {
  WebPods pods(false);
  State& state = pods.state;
  CHECK(scored(state, web("new")).scores == Named{{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}});
  add_service(state, "web", {{"app", "web"}});
  CHECK(scored(state, web("new")).raw == Named{{"a", 3}, {"b", 5}, {"c", 10}, {"d", 0}});
  CHECK(scored(state, web("new")).scores == Named{{"a", 70}, {"b", 50}, {"c", 0}, {"d", 100}});
}

TEST_CASE("SelectorSpread: a zone by its new label counts two thirds") {
  WebPods pods(true);
  State& state = pods.state;
  add_service(state, "web", {{"app", "web"}});
  // East has 8 pods, west 10: 70/3 + 20*2/3 = 36, 50/3 + 20*2/3 = 30; 0; 100/3.
  CHECK(scored(state, web("new")).scores == Named{{"a", 36}, {"b", 30}, {"c", 0}, {"d", 33}});
}

TEST_CASE("SelectorSpread: all of the pod's selectors must match, and its controller counts by its name") {
  WebPods pods(false);
  State& state = pods.state;
  add_service(state, "web", {{"app", "web"}});
  add_service(state, "front", {{"tier", "front"}});
  state.set_pod(web("both").label("tier", "front").on("a"));
  CHECK(scored(state, web("new").label("tier", "front")).raw ==
        Named{{"a", 1}, {"b", 0}, {"c", 0}, {"d", 0}});
}

TEST_CASE("SelectorSpread: a pod with constraints of its own gets 0 everywhere") {
  WebPods pods(false);
  State& state = pods.state;
  add_service(state, "web", {{"app", "web"}});
  const Scores scores = scored(state, web("new").spreads("zone", std::nullopt));
  CHECK(scores.error == "");
  CHECK(scores.scores == Named{{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}});
}

}  // namespace winnow::test::removed_selector_spread_test
