// What is measured of nodes, and which pods are on their way to them.
#include "cluster/state/node_load.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "cluster/api/decode.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/wanted_fields.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"
#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
const StateOptions kWithLoad{.generation = Generation::kToday, .node_load = true};

NodeMetrics measured(const std::string& name, double cpu, std::int64_t taken, std::int64_t window = 15) {
  NodeMetrics made;
  made.metadata.name = name;
  made.usage = NodeUsage{.cpu = cpu, .memory = 1e9, .taken = taken * kSecond, .window = window * kSecond};
  return made;
}

Pod running(const std::string& name, const std::string& on, std::int64_t since) {
  Pod made = pod(name).cpu("500m").memory("1Gi").on(on).phase("Running");
  made.status.start_time = since - 5;
  made.status.running_since = since;
  return made;
}

const NodeLoad& load_of(const State& state, const std::string& name) {
  return state.nodes().load(state.find_node(name));
}

}  // namespace

TEST_CASE("a pod is on its way until a measurement begins after its start") {
  State state(kWithLoad);
  state.set_node(node("a"));
  state.set_pod(pod("web").cpu("500m").memory("1Gi").on("a"));
  CHECK(load_of(state, "a").coming_cpu == 500);
  state.set_node_metrics(measured("a", 1.5, 100));
  CHECK(load_of(state, "a").usage->cpu == 1.5);
  CHECK(load_of(state, "a").coming_cpu == 500);
  state.set_pod(running("web", "a", 101));
  CHECK(load_of(state, "a").coming_cpu == 500);
  state.set_node_metrics(measured("a", 1.6, 115));  // Its window begins at 100.
  CHECK(load_of(state, "a").coming_cpu == 500);
  state.set_node_metrics(measured("a", 1.9, 116));
  CHECK(load_of(state, "a").coming_cpu == 0);
  CHECK(load_of(state, "a").coming_memory == 0);
  state.remove_node_metrics("a");
  CHECK_FALSE(load_of(state, "a").usage);
  CHECK(load_of(state, "a").coming_cpu == 0);
}

TEST_CASE("a node that an overlay adds has its measurement, and the pods on their way to it") {
  State state(kWithLoad);
  state.set_node_metrics(measured("a", 1.5, 200));
  state.set_pod(running("old", "a", 100));
  state.set_pod(running("new", "a", 190));
  Overlay overlay(state);
  overlay.set_node(node("a"));
  const View view(state, &overlay);
  const NodeLoad& load = view.load(view.find_node("a"));
  CHECK(load.usage->cpu == 1.5);
  CHECK(load.coming_cpu == 500);
  CHECK(load.coming_pods == 1);
  overlay.remove_pod("default", "old");
  overlay.remove_pod("default", "new");
  CHECK(View(state, &overlay).load(view.find_node("a")).coming_pods == 0);
  overlay.restore_pod("default", "new");
  CHECK(View(state, &overlay).load(view.find_node("a")).coming_cpu == 500);
}

TEST_CASE("a measurement may come before its node and its pods") {
  State state(kWithLoad);
  state.set_node_metrics(measured("a", 1.5, 200));
  state.set_pod(running("old", "a", 100));
  state.set_pod(running("new", "a", 190));
  state.set_node(node("a"));
  CHECK(load_of(state, "a").usage->cpu == 1.5);
  CHECK(load_of(state, "a").coming_cpu == 500);
  CHECK(load_of(state, "a").coming_pods == 1);
  state.set_node_metrics(measured("a", 9, 150));  // An older one.
  CHECK(load_of(state, "a").usage->cpu == 1.5);
  state.remove_pod("default", "new");
  CHECK(load_of(state, "a").coming_pods == 0);
}

TEST_CASE("a container that requests nothing counts on its way as in the scheduler's scores") {
  State state(kWithLoad);
  state.set_node(node("a"));
  state.set_pod(pod("small").container().on("a"));
  CHECK(load_of(state, "a").coming_cpu == 100);
  CHECK(load_of(state, "a").coming_memory == 200 << 20);
}

TEST_CASE("another pod of the same name on the same node is on its way anew") {
  State state(kWithLoad);
  state.set_node(node("a"));
  state.set_pod(running("web", "a", 100));
  state.set_node_metrics(measured("a", 1, 200));
  CHECK(load_of(state, "a").coming_pods == 0);
  Pod again = pod("web").cpu("500m").memory("1Gi").on("a").uid("another");
  state.set_pod(again);
  CHECK(load_of(state, "a").coming_pods == 1);
  again.metadata.labels["changed"] = "x";
  state.set_pod(again);
  CHECK(load_of(state, "a").coming_pods == 1);
  state.remove_pod("default", "web");
  CHECK(load_of(state, "a").coming_cpu == 0);
}

TEST_CASE("pods that an overlay adds are on their way, and a victim leaves with what is measured of it") {
  State state(kWithLoad);
  state.set_node(node("a"));
  state.set_node_metrics(measured("a", 1.5, 200));
  state.set_pod(running("old", "a", 100));
  state.set_pod(pod("coming").cpu("250m").on("a"));
  Overlay overlay(state);
  const auto mark = overlay.mark();
  overlay.add_pod(pod("more").cpu("1").on("a"));
  const auto coming = [&] {
    const View view(state, &overlay);
    return view.load(view.find_node("a")).coming_cpu;
  };
  CHECK(coming() == 1250);
  CHECK(overlay.remove_pod("default", "coming"));
  CHECK(coming() == 1000);
  CHECK(overlay.remove_pod("default", "old"));
  CHECK(coming() == 1000);
  overlay.return_to(mark);
  CHECK(coming() == 250);
}

TEST_CASE("a state that nobody asks for loads keeps none") {
  State state;
  state.set_node(node("a"));
  state.set_pod(pod("web").cpu("500m").on("a"));
  state.set_node_metrics(measured("a", 1.5, 100));
  CHECK(state.nodes().load(0) == NodeLoad());
}

TEST_CASE("NodeMetrics as metrics.k8s.io has them, and Winnow's numbers by name") {
  const auto made = decode<NodeMetrics>(R"({"kind":"NodeMetrics","apiVersion":"metrics.k8s.io/v1beta1",
    "metadata":{"name":"a"},"timestamp":"2026-01-01T00:00:30Z","window":"15.5s",
    "usage":{"cpu":"1500000000n","memory":"2Ki"},"metrics":{"gpu":0.5,"watts":200}})");
  REQUIRE(made);
  CHECK(made->usage ==
        NodeUsage{.cpu = 1.5, .memory = 2048, .taken = 1'767'225'630 * kSecond, .window = 31 * kSecond / 2});
  CHECK(made->metrics == MetricsByName{{"gpu", 0.5}, {"watts", 200}});
  CHECK_FALSE(decode<NodeMetrics>(R"({"metadata":{"name":"a"}})")->usage);
  CHECK(decode<NodeMetrics>(R"({"usage":{"cpu":"1x"}})").error().message.contains("usage.cpu"));
  CHECK(decode<NodeMetrics>(R"({"usage":{},"window":"x"})").error().message.contains("no duration"));
  CHECK(decode<NodeMetrics>(R"({"metrics":{"gpu":"1"}})").error().message.contains("a number"));
}

TEST_CASE("when the containers of a pod have started is read where it is wanted") {
  want_running_since();
  const auto pod = decode<Pod>(R"({"metadata":{"name":"a"},"status":{"phase":"Running","containerStatuses":[
    {"name":"x","state":{"running":{"startedAt":"2026-01-01T00:00:30Z"}}},
    {"name":"y","state":{"running":{"startedAt":"2026-01-01T00:00:10Z"}}},
    {"name":"z","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})");
  REQUIRE(pod);
  CHECK(pod->status.running_since == 1'767'225'630);
}

TEST_CASE("after random events each node has on its way what no measurement has included") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    State state(kWithLoad);
    struct Known {
      std::string node;
      std::int64_t since = 0;  ///< 0: it does not run.
      bool included = false;
    };
    std::map<std::string, Known> pods;
    std::map<std::string, NodeMetrics> metrics;
    std::set<std::string> nodes;
    std::int64_t now = 1000;
    const auto name = [&](const char* kind, std::size_t n) { return kind + std::to_string(draws.below(n)); };
    for (int step = 0; step < 300; ++step) {
      now += static_cast<std::int64_t>(draws.below(5));
      const std::string on = name("n", 4), of = name("p", 12);
      switch (draws.below(6)) {
        case 0:
          if (draws.one_in(3))
            nodes.erase(on), state.remove_node(on);
          else
            nodes.insert(on), state.set_node(node(on));
          break;
        case 1:
          if (draws.one_in(4)) {
            metrics.erase(on), state.remove_node_metrics(on);
          } else {
            metrics.insert_or_assign(on, measured(on, 1, now));
            state.set_node_metrics(metrics.at(on));
          }
          break;
        case 2:
          pods.erase(of), state.remove_pod("default", of);
          break;
        default: {
          // A pod starts on its node, and stays there. Another one of its name comes when it is gone.
          const auto known = pods.find(of);
          const bool stays = known != pods.end() && draws.one_in(2);
          if (known != pods.end() && !stays) state.remove_pod("default", of);
          Known made = stays ? known->second : Known{.node = on};
          if (stays && made.since == 0) made.since = now;
          Pod object = pod(of).cpu("500m").on(made.node);
          if (made.since != 0) object.status = running(of, made.node, made.since).status;
          pods.insert_or_assign(of, made);
          state.set_pod(object);
        }
      }
      for (auto& [pod_name, one] : pods) {
        const auto measure = metrics.find(one.node);
        if (one.since != 0 && nodes.contains(one.node) && measure != metrics.end())
          one.included |= one.since * kSecond <= measure->second.usage->taken - measure->second.usage->window;
      }
      for (const std::string& one : nodes) {
        std::int64_t coming = 0;
        for (const auto& [pod_name, known] : pods) coming += known.node == one && !known.included ? 500 : 0;
        // Without a measurement it makes no difference, and a pod that comes anew then is on its way again.
        if (metrics.contains(one)) CHECK(load_of(state, one).coming_cpu == coming);
        CHECK(load_of(state, one).usage.has_value() == metrics.contains(one));
      }
    }
  }
}

}  // namespace winnow::test
