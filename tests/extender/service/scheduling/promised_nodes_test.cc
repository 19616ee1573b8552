#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "extender/service/scheduling/pick_history.h"
#include "tests/builders.h"

namespace winnow::test::promised_nodes_test {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

constexpr PromisedNodes::Time kStart{1h};
constexpr std::uint64_t kVersion = 1000;  ///< Of the pods that kube-scheduler asks about.

Pod named(const std::string& name, std::int32_t priority = 0) {
  Pod made = pod(name);
  made.metadata.resource_version = std::to_string(kVersion);
  made.spec.priority = priority;
  return made;
}

/// What another pod is told, so long after kStart, when the watch has come to that version.
Names of_others(PromisedNodes& promised, const State& state, std::uint64_t told = kVersion,
                std::chrono::milliseconds after = 500ms) {
  return promised.of_others(state, told, named("asked"), kStart + after);
}

}  // namespace

TEST_CASE("a promise is one of others only, and the next one replaces it") {
  State state;
  state.set_pod(pod("a"));
  state.set_pod(pod("b"));
  PromisedNodes promised;
  promised.promise(named("a"), "n0", kStart);
  promised.promise(named("b"), "n1", kStart);
  promised.promise(named("asked"), "n2", kStart);
  CHECK(of_others(promised, state) == Names{"n1", "n0"});
  promised.promise(named("b"), "", kStart);
  CHECK(of_others(promised, state) == Names{"n0"});
}

TEST_CASE("a promise ends with the nomination or a place on a node") {
  State state;
  PromisedNodes promised;
  Pod a = pod("a");
  a.status.nominated_node_name = "n9";  // An earlier one's.
  state.set_pod(a);
  promised.promise(named("a"), "n0", kStart);
  CHECK(of_others(promised, state) == Names{"n0"});
  a.status.nominated_node_name = "n0";
  state.set_pod(a);
  CHECK(of_others(promised, state).empty());

  promised.promise(named("b"), "n1", kStart);
  state.set_pod(pod("b").on("n1"));
  CHECK(of_others(promised, state).empty());
}

TEST_CASE("a promise ends with the pod, and is none of another pod with its name") {
  State state;
  PromisedNodes promised;
  promised.promise(named("a"), "n0", kStart);
  CHECK(of_others(promised, state, kVersion - 1) == Names{"n0"});  // The watch has not come to the pod.
  CHECK(of_others(promised, state, kVersion).empty());

  promised.promise(named("a"), "n0", kStart);
  state.set_pod(pod("a").uid("another"));
  CHECK(of_others(promised, state).empty());
}

TEST_CASE("a promise to a pod of lower priority keeps nobody away") {
  const State state;
  PromisedNodes promised;
  promised.promise(named("low", -1), "n0", kStart);
  promised.promise(named("equal", 0), "n1", kStart);
  promised.promise(named("high", 1), "n2", kStart);
  CHECK(of_others(promised, state, kVersion - 1) == Names{"n2", "n1"});
}

TEST_CASE("a promise that nothing ends is not believed for ever") {
  State state;
  state.set_pod(pod("a"));
  PromisedNodes promised;
  promised.promise(named("a"), "n0", kStart);
  CHECK(of_others(promised, state, kVersion, 9'999ms) == Names{"n0"});
  CHECK(of_others(promised, state, kVersion, 10s).empty());
}

TEST_CASE("the last promises are remembered, and no more") {
  const State state;
  PromisedNodes promised;
  for (std::size_t i = 0; i <= PromisedNodes::kPods; ++i)
    promised.promise(named("p" + std::to_string(i)), "n" + std::to_string(i), kStart);
  const Names nodes = of_others(promised, state, kVersion - 1);
  CHECK(nodes.size() == PromisedNodes::kPods);
  CHECK(nodes.back() == "n1");
}

}  // namespace winnow::test::promised_nodes_test
