// Users' expressions: what they may read, what they are found to read, and what they give for a node.
#include "cluster/expressions/expression.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using expressions::Expression;
using expressions::Question;
using expressions::ResultKind;
using expressions::Scope;
using Texts = std::vector<std::string>;

const Expression& expression(std::string_view text, Scope scope = Scope::kNodes) {
  const auto found = Expression::find(text, scope, ResultKind::kAnything);
  REQUIRE_MESSAGE(found, found.error());
  return **found;
}

std::string error_of(std::string_view text, ResultKind kind = ResultKind::kAnything,
                     Scope scope = Scope::kNodes) {
  const auto found = Expression::find(text, scope, kind);
  return found ? "" : found.error();
}

/// Three nodes in two zones.
struct World {
  World()
      : state({.accounting = Accounting::kToday,
               .generation = Generation::kToday,
               .node_fields = {"/metadata", "/spec", "/status"}}) {
    add("a", "x", "4", R"({"metadata":{"name":"a","annotations":{"load":"0.5"}},"spec":{"providerID":"p"}})");
    add("b", "x", "8", "");
    add("c", "y", "2", "");
    state.set_pod(pod("one").in("shop").cpu("1500m").label("app", "web").on("a"));
    state.set_pod(pod("two").in("shop").cpu("1").label("app", "web").on("c"));
    state.set_pod(pod("three").in("bank").cpu("500m").label("app", "web").on("c"));
  }
  void add(const std::string& name, const std::string& zone, const std::string& cpu,
           const std::string& fields) {
    Node made =
        node(name).cpu(cpu).memory("1Gi").pods("10").label("zone", zone).offers("example.com/gpu", "2");
    made.status.images = {{{"app:latest"}, 1000}, {{"bare"}, 50}};
    made.fields = fields;
    state.set_node(made);
  }
  /// The value for the pod on a node, as text.
  std::string ask(std::string_view text, const std::string& on = "a") {
    const View view(state);
    const Question question({.pod = asking,
                             .view = view,
                             .params = R"({"params":{"least":2,"names":["a"]}})",
                             .now = {.seconds = 60}});
    Question::Nodes nodes(question);
    const cel::Value value = nodes.ask(expression(text), view.find_node(on)).value;
    return value.is_error() ? "error: " + value.message() : cel::describe(value);
  }

  State state;
  Pod asking = pod("p").in("shop").cpu("250m");
};

}  // namespace

TEST_CASE("amounts are doubles: cpu in cores, all else in base units") {
  World world;
  CHECK(world.ask("node.allocatable.cpu") == "4.0");
  CHECK(world.ask("node.requested.cpu") == "1.5");
  CHECK(world.ask("node.allocatable.memory") == "1073741824.0");
  CHECK(world.ask("node.allocatable.pods") == "10.0");
  CHECK(world.ask(R"(node.allocatable["example.com/gpu"])") == "2.0");
  CHECK(world.ask(R"(node.requested["example.com/gpu"])") == "0.0");
  CHECK(world.ask(R"("example.com/other" in node.allocatable)") == "false");
  CHECK(world.ask("pod.requests.cpu") == "0.25");
  CHECK(world.ask("1.0 - node.requested.cpu / node.allocatable.cpu") == "0.625");
}

TEST_CASE("a map of amounts has what it finds: also what pods request and the node does not offer") {
  World world;
  world.state.set_node(node("g").offers("example.com/gone", "4"));
  world.state.set_pod(pod("four").in("shop").asks("example.com/gone", "3").on("b"));
  CHECK(world.ask("node.requested.map(r, node.requested[r]).sort()", "b") ==
        "[0.0, 0.0, 0.0, 0.0, 1.0, 3.0]");
  CHECK(world.ask("size(node.requested)", "b") == "6");
  CHECK(world.ask(R"(node.requested["example.com/gone"])", "b") == "3.0");
  CHECK(world.ask(R"("example.com/gone" in node.allocatable)", "b") == "false");
  CHECK(world.ask(R"(node.domain("zone").requested["example.com/gone"])") == "3.0");
  CHECK(world.ask(R"(node.domain("zone").requested["example.com/gpu"])") == "0.0");
}

TEST_CASE("a domain's sum does not hang on the order of its nodes, nor on how many there are") {
  World world;
  for (const char* const name : {"d", "e", "f"}) world.add(name, "z", "100m", "");
  CHECK(world.ask(R"(node.domain("zone").allocatable.cpu)", "d") == "0.3");
}

TEST_CASE("a node has its object, its images, its pods, and what is around it") {
  World world;
  CHECK(world.ask(R"(node.metadata.annotations["load"])") == R"("0.5")");
  CHECK(world.ask("node.metadata.name + node.spec.providerID") == R"("ap")");
  CHECK(world.ask("has(node.metadata)", "b") == "false");
  CHECK(world.ask("node.metadata.name", "b") == "error: no such key: metadata");
  CHECK(world.ask("node.pods", "c") == "2");
  CHECK(world.ask(R"("app" in node.images && node.images["app"].size == 1000)") == "true");
  CHECK(world.ask(R"(node.images["app:latest"].nodes)") == "3");
  CHECK(world.ask(R"(node.images["bare"].size)") == "50");
  CHECK(world.ask(R"("bare:latest" in node.images || "other" in node.images)") == "false");
  CHECK(world.ask("node.images.map(i, node.images[i].size).sort()") == "[50, 1000]");
  CHECK(world.ask(R"(node.podsMatching({"app": "web"}, []))", "c") == "2");
  CHECK(world.ask(R"(node.podsMatching({"app": "web"}, ["shop"]))", "c") == "1");
  CHECK(world.ask(R"(node.podsMatching({}, []))", "b") == "0");
  CHECK(world.ask(R"(node.podsMatching({"app": params.least}, []))") == "error: no such overload");
  CHECK(world.ask(R"(node.podsMatching({}, [params.least]))") == "error: no such overload");
  world.state.set_pod(pod("leaving").in("shop").label("app", "web").deleting().on("b"));
  CHECK(world.ask(R"(node.podsMatching({"app": "web"}, []) == node.pods)", "b") == "true");
  CHECK(world.ask(R"(node.domain("zone").allocatable.cpu)") == "12.0");
  CHECK(world.ask(R"(node.domain("zone").requested.cpu)", "c") == "1.5");
  CHECK(world.ask(R"(node.domain("zone").pods)", "b") == "2");
  CHECK(world.ask(R"(node.domain("zone").podsMatching({"app": "web"}, ["bank"]))", "c") == "1");
  CHECK(world.ask(R"(node.domain("rack").pods)") == "error: no such key: rack");
  CHECK(world.ask("has(node.usage)") == "false");
}

TEST_CASE("the cluster, the parameters and the time") {
  World world;
  CHECK(world.ask("cluster.nodes") == "3");
  CHECK(world.ask("cluster.pods") == "3");
  CHECK(world.ask(R"(cluster.domains("zone"))") == "2");
  CHECK(world.ask(R"(cluster.podsMatching({"app": "web"}, ["shop"]))") == "2");
  CHECK(world.ask("params.least + 1") == "3");
  CHECK(world.ask(R"("a" in params.names)") == "true");
  CHECK(world.ask("params.most") == "error: no such key: most");
  CHECK(world.ask(R"(now - timestamp("1970-01-01T00:00:00Z") == duration("60s"))") == "true");
}

TEST_CASE("a node that an overlay changes is read from the overlay") {
  World world;
  Overlay overlay(world.state);
  CHECK(overlay.remove_pod("shop", "one"));
  const View view(world.state, &overlay);
  const Question question({.pod = world.asking, .view = view});
  Question::Nodes nodes(question);
  CHECK(cel::describe(nodes.ask(expression("node.requested.cpu"), view.find_node("a")).value) == "0.0");
  CHECK(cel::describe(nodes.ask(expression("cluster.pods"), view.find_node("a")).value) == "2");
  CHECK(cel::describe(nodes.ask(expression("node.spec.providerID"), view.find_node("a")).value) == R"("p")");
}

TEST_CASE("what does not compile is told with its place and the near name") {
  CHECK(error_of("node.allocatabel.cpu > 1.0").starts_with("1:5: undefined field 'allocatabel'"));
  CHECK(error_of("nodes.pods").contains("undeclared reference to 'nodes'"));
  CHECK(error_of("pod.spec.container").contains("undefined field 'container'"));
  CHECK(error_of("node.pods", ResultKind::kBool) == "is a int, expected a bool");
  CHECK(error_of("'x'", ResultKind::kNumber) == "is a string, expected a number");
  CHECK(error_of("params.x", ResultKind::kNumber).empty());
  CHECK(error_of("node.pods > 1", ResultKind::kBool, Scope::kPod).contains("undeclared reference to 'node'"));
  CHECK(error_of("node.pods >").starts_with("1:"));
}

TEST_CASE("an object has the keys that it has, and is equal to itself") {
  World world;
  CHECK(world.ask("node == node") == "true");
  CHECK(world.ask("pod == pod", "b") == "true");
  CHECK(world.ask("node.usage == node.usage") == "error: no such key: usage");
}

TEST_CASE("however many nodes ask for other pods, each gets its count") {
  State state({.generation = Generation::kToday, .node_fields = {"/metadata"}});
  for (int i = 0; i < 1200; ++i) {
    Node made = node("n" + std::to_string(i));
    made.fields = R"({"metadata":{"name":"n)" + std::to_string(i) + R"("}})";
    state.set_node(made);
    state.set_pod(pod("p" + std::to_string(i)).label("of", "n" + std::to_string(i)).on(made.metadata.name));
  }
  const View view(state);
  const Pod asking = pod("p");
  const Question question({.pod = asking, .view = view});
  Question::Nodes nodes(question);
  for (const NodeId one : view.all_nodes())
    CHECK(cel::describe(
              nodes.ask(expression("node.podsMatching({'of': node.metadata.name}, [])"), one).value) == "1");
}

TEST_CASE("what costs too much wherever it is evaluated does not compile") {
  const std::string ten = "[0,1,2,3,4,5,6,7,8,9]";
  std::string deep = "true";
  for (const char* const name : {"a", "b", "c", "d", "e", "f"})
    deep = ten + ".all(" + name + ", " + deep + ")";
  CHECK(error_of(deep) == "costs more than 1000000 units wherever it is evaluated");
  CHECK(error_of("node.pods > 1 && " + deep) == "costs more than 1000000 units wherever it is evaluated");
  CHECK(error_of("[1, 2].all(x, x > 0)").empty());
}

TEST_CASE("an evaluation that costs too much is an error") {
  World world;
  world.asking.fields = R"({"spec":{"containers":[)" + [] {
    std::string all = R"({"name":"x"})";
    for (int i = 0; i < 99; ++i) all += R"(,{"name":"x"})";
    return all;
  }() + "]}}";
  CHECK(world.ask("pod.spec.containers.all(a, pod.spec.containers.all(b, a.name == b.name))") == "true");
  CHECK(
      world.ask("pod.spec.containers.all(a, pod.spec.containers.all(b, pod.spec.containers.all(c, a.name == "
                "b.name)))") == "error: operation cancelled: actual cost limit exceeded");
}

TEST_CASE("an expression is known by what it reads") {
  const auto reads = [](std::string_view text) { return expression(text).reads(); };
  CHECK(reads(R"(pod.metadata.labels["app"] == "x")").pod_fields == Texts{"/metadata/labels/app"});
  CHECK(reads("pod.spec.containers.exists(c, c.image == 'x')").pod_fields == Texts{"/spec/containers"});
  CHECK(reads("pod.spec.containers[0].image == 'x'").pod_fields == Texts{"/spec/containers"});
  CHECK(reads("has(pod.spec.affinity.nodeAffinity)").pod_fields == Texts{"/spec/affinity/nodeAffinity"});
  CHECK(reads("[pod].size() > 1").pod_fields == Texts{"/metadata", "/spec"});
  CHECK(reads("pod.?spec.?dnsPolicy.orValue('')").pod_fields == Texts{"/spec/dnsPolicy"});
  CHECK(reads(R"(node.capacity["cpu"] > 1.0)").node_fields == Texts{"/status/capacity/cpu"});
  CHECK(reads("node.status.conditions.all(c, c.status != 'x')").node_fields == Texts{"/status/conditions"});
  CHECK(reads("node.requested.cpu > 1.0").node);
  CHECK(reads("node.requested.cpu > 1.0").node_fields.empty());
  CHECK(reads("node.podsMatching({}, []) > 1").node);
  CHECK_FALSE(reads("node.podsMatching({}, []) > 1").cluster);
  CHECK(reads("node.podsMatching({}, []) > 1").node_fields.empty());
  CHECK(reads("node.domain('zone').pods > 1").cluster);
  CHECK(reads("cluster.nodes > 1").cluster);
  CHECK(reads("has(node.usage)").usage);
  CHECK_FALSE(reads("has(node.usage) && node.usage.cpu > 1.0").age);
  CHECK(reads("node.usage.age > duration('1m')").age);
  CHECK(reads("cel.bind(u, node.usage, u.cpu > 1.0)").age);
  CHECK(reads("node.metrics.gpu > 0.5").metrics);
  CHECK(reads("node.images.size() > 1").images);
  CHECK_FALSE(reads("node.pods > 1").images);
  CHECK(reads("node.requested['example.com/gpu'] > 1.0").offers);
  CHECK(reads("node.requested[pod.spec.schedulerName] > 1.0").offers);
  CHECK_FALSE(reads("node.requested.cpu + node.requested['memory'] > 1.0").offers);
  CHECK(reads("now > timestamp('2026-01-01T00:00:00Z')").now);
  CHECK(reads("pod.requests.cpu > 1.0").requests);
  CHECK(reads("node.requested.cpu + node.allocatable['a b'] > 1.0").paths ==
        Texts{"node.requested.cpu", "node.allocatable[\"a b\"]"});
}

}  // namespace winnow::test
