// What the page is told: overview, names, nodes, pods, who waits for what, a page of an explanation, pods as
// text.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/rule/budget.h"
#include "cluster/text/json_document.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation.h"
#include "extender/service/page/page_figures.h"
#include "extender/service/page/pod_page.h"
#include "extender/service/page/waiting.h"
#include "extender/service/verbs/routes.h"
#include "tests/builders.h"
#include "tests/devices.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

Document read(const std::string& json) {
  auto document = load_document(json);
  REQUIRE_MESSAGE(document, json);
  return std::move(*document);
}

std::string text_of(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

NodeBuilder in_zone(const std::string& name, const std::string& zone) {
  NodeBuilder made = node(name);
  made.cpu("10").memory("10Gi").offers("pods", "110");
  if (!zone.empty())
    made.label("topology.kubernetes.io/region", "north").label("topology.kubernetes.io/zone", zone);
  return made;
}

/// Where nobody is assumed.
std::optional<std::string> told_of_node(State& state, std::string_view name) {
  return node_json(state, AssumedPods(state), {}, name);
}
std::string pods_found(State& state, std::string_view text) {
  return found_pods_json(state, AssumedPods(state), text);
}

/// Three nodes in two zones, and one without a zone. Five pods, of which three wait.
void fill(State& state) {
  state.set_node(in_zone("b", "z2"));
  state.set_node(in_zone("c", "z1").offers("example.com/gpu", "2"));
  state.set_node(in_zone("a", "z1").label("note", "<b>").taint("key", "<i>", "NoSchedule"));
  state.set_node(in_zone("d", ""));
  state.set_pod(pod("one").in("shop").cpu("2500m").memory("1Gi").on("a"));
  state.set_pod(pod("two").in("shop").cpu("5").on("a"));
  state.set_pod(pod("big-1").in("shop").cpu("20"));
  state.set_pod(pod("big-2").in("shop").cpu("20"));
  state.set_pod(pod("small").in("shop").cpu("1"));
}

std::unique_ptr<ClusterCache> filled() {
  auto cache = std::make_unique<ClusterCache>(State::Options{});
  cache->write(fill);
  return cache;
}

struct Filled {
  State state{State::Options{}};
  Filled() { fill(state); }
};

TEST_SUITE("page data") {
  TEST_CASE("the overview: nodes by zone and name, what is requested of each") {
    const Filled filled;
    const Document document = read(overview_json(filled.state, "cpu"));
    const rapidjson::Value& all = document.root();
    CHECK(all["nodes"].GetInt() == 4);
    CHECK(all["pods"].GetInt() == 2);  // As the metric counts them: on nodes.
    CHECK(all["pending"].GetInt() == 3);
    REQUIRE(all["zones"].Size() == 3);
    CHECK(text_of(all["zones"][0]["name"]) == "north/z1");
    CHECK(all["zones"][0]["nodes"].GetInt() == 2);
    CHECK(text_of(all["zones"][2]["name"]).empty());
    REQUIRE(all["used"].Size() == 4);
    CHECK(all["used"][0].GetInt() == 750);
    CHECK(all["used"][1].GetInt() == 0);
    CHECK(all["flags"].Size() == 4);
    CHECK(text_of(all["resource"]) == "cpu");
    CHECK(text_of(all["resources"][4]) == "example.com/gpu");
  }

  TEST_CASE("the overview of another resource, and of one that nobody has") {
    const Filled filled;
    const Document gpu = read(overview_json(filled.state, "example.com/gpu"));
    CHECK(gpu.root()["used"][0].GetInt() == -1);
    CHECK(gpu.root()["used"][1].GetInt() == 0);
    CHECK(text_of(read(overview_json(filled.state, "pods")).root()["resource"]) == "pods");
    CHECK(read(overview_json(filled.state, "pods")).root()["used"][0].GetInt() == 18);
    CHECK(text_of(read(overview_json(filled.state, "nonsense")).root()["resource"]) == "cpu");
    const State empty{State::Options{}};
    CHECK(read(overview_json(empty, "")).root()["nodes"].GetInt() == 0);
  }

  TEST_CASE("what is not schedulable or not ready is flagged") {
    State state{State::Options{}};
    state.set_node(in_zone("a", "z").cordoned());
    state.set_node(in_zone("b", "z").condition("Ready", "Unknown"));
    state.set_node(in_zone("c", "z").cordoned().condition("Ready", "False"));
    const Document document = read(overview_json(state, "cpu"));
    const rapidjson::Value& flags = document.root()["flags"];
    CHECK(flags[0].GetInt() == 1);
    CHECK(flags[1].GetInt() == 2);
    CHECK(flags[2].GetInt() == 3);
  }

  TEST_CASE("names come in the overview's order, in parts, and a new set shows") {
    State state{State::Options{}};
    const std::string long_end(200, 'x');
    for (int i = 0; i < 1000; ++i) state.set_node(in_zone("n" + std::to_string(1000 + i) + long_end, "z"));
    const std::string set = text_of(read(overview_json(state, "cpu")).root()["set"]);
    std::size_t count = 0;
    int parts = 0;
    for (; count < 1000; ++parts) {
      const std::string json = node_names_json(state, count);
      CHECK(json.size() < 200'000);
      const Document part = read(json);
      CHECK(text_of(part.root()["set"]) == set);
      CHECK(part.root()["from"].GetUint64() == count);
      REQUIRE(part.root()["names"].Size() > 0);
      CHECK(text_of(part.root()["names"][0]) == "n" + std::to_string(1000 + count) + long_end);
      count += part.root()["names"].Size();
    }
    CHECK(parts == 2);
    CHECK(read(node_names_json(state, 5000)).root()["names"].Empty());
    state.set_node(in_zone("new", "z"));
    CHECK(text_of(read(overview_json(state, "cpu")).root()["set"]) != set);
  }

  TEST_CASE("a node: what it is, what it holds") {
    Filled filled;
    const Document document = read(told_of_node(filled.state, "a").value());
    const rapidjson::Value& a = document.root();
    CHECK(text_of(a["zone"]) == "north/z1");
    CHECK(text_of(a["labels"]["note"]) == "<b>");
    CHECK(text_of(a["taints"][0]) == "key=<i>:NoSchedule");
    CHECK(a["of"].GetInt() == 2);
    CHECK(text_of(a["pods"][0]["name"]) == "shop/two");
    CHECK(a["pods"][0]["cpu"].GetInt() == 5000);
    CHECK(a["resources"][0]["requested"].GetInt() == 7500);
    CHECK_FALSE(told_of_node(filled.state, "nobody"));
    CHECK_FALSE(told_of_node(filled.state, ""));
  }

  TEST_CASE("a pod that is nominated or on its way is not listed as if it ran") {
    Filled filled;
    AssumedPods assumed(filled.state);
    const HeldClocks now;
    Pod going = pod("going").in("shop").uid("u").cpu("1");
    going.metadata.resource_version = "5";
    assumed.assume(going, "a", now.steady);
    Pod preempts = pod("first").in("shop").cpu("2");
    preempts.status.nominated_node_name = "a";
    preempts.status.nominated_by = "kube-scheduler";
    filled.state.set_pod(preempts);
    const Document document = read(node_json(filled.state, assumed, now, "a").value());
    const rapidjson::Value& a = document.root();
    CHECK(a["of"].GetInt() == 2);
    CHECK(a["pods"].Size() == 2);
    REQUIRE(a["held"].Size() == 2);
    CHECK(text_of(a["held"][0]) == "2 cpu on a are held for shop/first, nominated by kube-scheduler");
    CHECK(text_of(a["held"][1]) ==
          "1 cpu on a are held for shop/going, chosen 0 s ago in an answer to kube-scheduler");
    CHECK(a["resources"][0]["requested"].GetInt() == 8500);
    CHECK(read(node_json(filled.state, assumed, now, "b").value()).root()["held"].Empty());
    const Document found = read(found_pods_json(filled.state, assumed, "going"));
    CHECK(text_of(found.root()["pods"][0]["node"]).empty());
  }

  TEST_CASE("the devices of a node: which are free, and who holds the others") {
    Filled filled;
    ResourceSlice slice = gpus_of("a", 3);
    slice.devices[1].taints = {{.key = "ecc", .effect = "NoSchedule"}};
    filled.state.devices.set(slice);
    ResourceSlice old = gpus_of("a", 0);
    old.metadata.name = "old";
    old.pool.generation = 0;
    old.devices.emplace_back().name = "gpu-9";
    filled.state.devices.set(old);
    ResourceClaim claim = simple_claim("c");
    claim.allocation =
        DeviceAllocation{.devices = {{.request = "r", .driver = "d", .pool = "a", .device = "gpu-2"}}};
    claim.reserved_for = {{.resource = "pods", .name = "one"}};
    filled.state.devices.set(claim);
    const Document document = read(told_of_node(filled.state, "a").value());
    const rapidjson::Value& devices = document.root()["devices"];
    CHECK(document.root()["deviceCount"].GetInt() == 4);
    REQUIRE(devices.Size() == 4);
    const auto line = [&](unsigned i) {
      return text_of(devices[i]["name"]) + ' ' + text_of(devices[i]["state"]);
    };
    CHECK(line(0) == "d/a/gpu-0 free");
    CHECK(line(1) == "d/a/gpu-1 tainted");
    CHECK(line(2) == "d/a/gpu-2 allocated");
    CHECK(line(3) == "d/a/gpu-9 outdated");
    CHECK(text_of(devices[2]["heldBy"][0]["claim"]) == "default/c");
    CHECK(text_of(devices[2]["heldBy"][0]["pods"][0]) == "default/one");
    CHECK(devices[0]["heldBy"].Empty());
    CHECK(read(told_of_node(filled.state, "b").value()).root()["devices"].Empty());
  }

  TEST_CASE("a node with many pods of long names: as many as fit, and how many there are") {
    State state{State::Options{}};
    state.set_node(in_zone("a", "z"));
    for (int i = 0; i < 500; ++i)
      state.set_pod(pod(std::to_string(i) + std::string(240, 'p')).in(std::string(60, 'n')).on("a"));
    const std::string json = told_of_node(state, "a").value();
    CHECK(json.size() < kNameBytes + 1000);
    const Document document = read(json);
    CHECK(document.root()["of"].GetInt() == 500);
    CHECK(document.root()["pods"].Size() > 300);
    CHECK(document.root()["pods"].Size() < 500);
  }

  TEST_CASE("pods are found by a part of their name, those that begin with it first") {
    Filled filled;
    const Document big = read(pods_found(filled.state, "big"));
    REQUIRE(big.root()["pods"].Size() == 2);
    CHECK(text_of(big.root()["pods"][0]["name"]) == "shop/big-1");
    CHECK(text_of(big.root()["pods"][0]["node"]).empty());
    CHECK(read(pods_found(filled.state, "shop/o")).root()["pods"].Size() == 1);
    CHECK(text_of(read(pods_found(filled.state, "one")).root()["pods"][0]["node"]) == "a");
    CHECK(read(pods_found(filled.state, "shop")).root()["pods"].Size() == 5);
    CHECK(read(pods_found(filled.state, "none")).root()["pods"].Empty());
    State many{State::Options{}};
    for (int i = 0; i < 3000; ++i) many.set_pod(pod("p" + std::to_string(9999 - i)).in("x"));
    const Document found = read(pods_found(many, "p"));
    REQUIRE(found.root()["pods"].Size() == 50);
    CHECK(text_of(found.root()["pods"][0]["name"]) == "x/p7000");
    CHECK(text_of(found.root()["pods"][49]["name"]) == "x/p7049");
    CHECK(found.root()["more"].GetBool());
    CHECK_FALSE(read(pods_found(many, "p7000")).root()["more"].GetBool());
  }

  TEST_CASE("pods that wait are grouped by reason, the largest group first") {
    const RunningService service(filled());
    std::string json = service.get("/page/waiting").body;
    CHECK(read(json).root()["pending"].GetInt() == 3);
    REQUIRE(http::test::eventually([&] {
      json = service.get("/page/waiting").body;
      return read(json).root()["judged"].GetInt() == 3;
    }));
    const Document document = read(json);
    const rapidjson::Value& all = document.root();
    REQUIRE(all["groups"].Size() == 2);
    CHECK(text_of(all["groups"][0]["reason"]).starts_with("0/4 nodes are available: "));
    CHECK(text_of(all["groups"][0]["reason"]).contains("Insufficient cpu"));
    CHECK(all["groups"][0]["count"].GetInt() == 2);
    CHECK_FALSE(all["groups"][0]["fits"].GetBool());
    CHECK(text_of(all["groups"][0]["pods"][0]) == "shop/big-1");
    REQUIRE(all["summary"].Size() == 2);
    CHECK(text_of(all["summary"][0]).starts_with("2 of 3 pending pods lack cpu"));
    CHECK(text_of(all["summary"][1]) == "1 of 3 pending pods fits somewhere");
    CHECK(text_of(all["groups"][1]["reason"]) == "fits 3 of 4 nodes: kube-scheduler has not placed it yet");
    CHECK(all["groups"][1]["fits"].GetBool());

    REQUIRE(http::test::eventually([&] {
      json = service.get("/page/waiting?node=b").body;
      return read(json).root()["judged"].GetInt() == 3;
    }));
    const Document there = read(json);
    REQUIRE(there.root()["groups"].Size() == 2);
    CHECK(text_of(there.root()["groups"][1]["reason"]).starts_with("fits 1 of 1 nodes"));
  }

  TEST_CASE("what was found of pods that wait is not shown when it is old") {
    const auto cache = filled();
    const std::vector<RuleSet> rules{default_rule_set()};
    Workers workers{0};
    const Engines engines(rules, workers);
    Metrics metrics("test", "test");
    const ActiveConfig active = active_config_of(*cache, engines, metrics);
    WaitingGroups waiting;
    REQUIRE(http::test::eventually(
        [&] { return read(waiting.json(active, {})).root()["judged"].GetInt() == 3; }));
    const auto late = std::chrono::steady_clock::now() + WaitingGroups::kKept + WaitingGroups::kForgotten +
                      std::chrono::hours(1);
    CHECK(read(waiting.json(active, {}, late)).root()["judged"].GetInt() == 0);
  }

  TEST_CASE("no answer about pods that wait is above 200 kB, whatever they wait for") {
    auto cache = std::make_unique<ClusterCache>(State::Options{});
    cache->write([](State& state) {
      state.set_node(in_zone("a", "z"));
      for (int i = 0; i < 2000; ++i) {
        Pod gated = pod("p" + std::to_string(i));
        gated.spec.scheduling_gates = {std::to_string(i) + std::string(2000, 'g')};
        state.set_pod(gated);
      }
    });
    const RunningService service(std::move(cache));
    std::string json;
    REQUIRE(http::test::eventually([&] {
      json = service.get("/page/waiting?node=a").body;
      return read(json).root()["judged"].GetInt() > 200;
    }));
    CHECK(json.size() < 200'000);
    const Document document = read(json);
    const rapidjson::Value& all = document.root();
    CHECK(all["groups"].Size() > 50);
    CHECK(text_of(all["groups"][0]["reason"]).ends_with("g…"));
    CHECK(all["more"].GetInt() + static_cast<int>(all["groups"].Size()) == all["judged"].GetInt());
  }

  TEST_CASE("no page of an explanation is above 200 kB, though each node has a reason of its own") {
    Explanation explanation{.pod = "shop/small"};
    for (int i = 1000; i < 4000; ++i) {
      FilterEntry filter{.rule = "Rule", .fits = false};
      filter.reasons = {std::to_string(i) + std::string(100, 'r')};
      NodeExplanation& made = explanation.nodes.emplace_back();
      made.name = "n" + std::to_string(i);
      made.fits = false;
      made.filters = {filter};
    }
    for (int i = 0; i < 3000; ++i)
      explanation.held.push_back({.ns = "shop", .name = std::to_string(i), .node = "n", .milli_cpu = 1000});
    const std::string json = page_json(explanation, {.limit = 25}, nullptr);
    CHECK(json.size() < 50'000);
    CHECK(explanation.held.empty());
    CHECK(explanation.nodes.size() == 25);
    const Document document = read(json);
    const rapidjson::Value& page = document.root();
    CHECK(text_of(page["message"]).starts_with("0/3000 nodes are available: 1 1000r"));
    CHECK(text_of(page["message"]).ends_with("…"));
    CHECK(page["failures"].Size() > 50);
    CHECK(page["places"].GetInt() == 3000);
    CHECK(page["held"].Size() == 20);
    CHECK(text_of(page["held"][1]) == "1 cpu on n are held for shop/1, nominated, never tried");
    CHECK(page["more"].GetInt() + static_cast<int>(page["failures"].Size()) == 3000);
  }

  TEST_CASE("an explanation by pages: best first, matching names, by a rule, and why the others do not fit") {
    const RunningService service(filled());
    const auto ask = [&](const std::string& query) {
      return service.post("/explain?" + query, R"({"Namespace":"shop","Name":"small"})").body;
    };
    const Document first = read(ask("limit=2"));
    REQUIRE(first.root()["nodes"].Size() == 2);
    CHECK(first.root()["page"]["nodes"].GetInt() == 4);
    CHECK(first.root()["page"]["of"].GetInt() == 4);
    CHECK(first.root()["nodes"][0]["total"].GetInt64() >= first.root()["nodes"][1]["total"].GetInt64());
    REQUIRE(first.root()["page"]["failures"].Size() == 1);
    CHECK(first.root()["page"]["failures"][0]["nodes"].GetInt() == 1);
    const Document last = read(ask("limit=2&from=3"));
    REQUIRE(last.root()["nodes"].Size() == 1);
    CHECK(text_of(last.root()["nodes"][0]["name"]) == "a");
    const Document matching = read(ask("limit=9&match=c"));
    REQUIRE(matching.root()["nodes"].Size() == 1);
    CHECK(matching.root()["page"]["nodes"].GetInt() == 1);
    CHECK(read(ask("limit=9&from=99")).root()["nodes"].Empty());
    CHECK(read(ask("limit=9&by=LeastRequestedPriority")).root()["nodes"].Size() == 4);
    const Document whole = read(ask(""));
    CHECK(whole.root()["nodes"].Size() == 4);
    CHECK_FALSE(whole.root().HasMember("page"));
    const Document nowhere =
        read(service.post("/explain?limit=1", R"({"Namespace":"shop","Name":"big-1"})").body);
    CHECK(text_of(nowhere.root()["page"]["message"]).starts_with("0/4 nodes are available: "));
  }

  TEST_CASE("nodes that refuse alike stand together, and the page has their causes in words") {
    const RunningService service(filled());
    const Document document =
        read(service
                 .post("/page/try?limit=9",
                       "metadata: {name: x}\nspec:\n  nodeSelector: {topology.kubernetes.io/zone: z1}\n"
                       "  containers: [{name: c, image: i, resources: {requests: {cpu: 8}}}]\n")
                 .body);
    const rapidjson::Value& all = document.root();
    std::string order;
    for (const rapidjson::Value& one : all["nodes"].GetArray()) order += text_of(one["name"]);
    // It fits c. Node a is full, and nearer than b and d, which are in other zones.
    CHECK(order == "cabd");
    const rapidjson::Value& causes = all["page"]["causes"];
    CHECK_FALSE(causes.HasMember("c"));
    REQUIRE(causes["b"].MemberCount() == 1);
    CHECK(text_of(causes["b"].MemberBegin()->value[0])
              .ends_with("topology.kubernetes.io/zone=z1: the node has topology.kubernetes.io/zone=z2"));
  }

  TEST_CASE("what a pod asks for is told with its page") {
    const RunningService service(filled());
    const Document document = read(service
                                       .post("/page/try?limit=1", R"(
metadata: {name: x, namespace: shop}
spec:
  containers:
  - {name: c, image: i, resources: {requests: {cpu: 1500m, memory: 1Gi, example.com/gpu: 1}},
     ports: [{containerPort: 80, hostPort: 8080}]}
  nodeSelector: {pool: general}
  tolerations: [{key: dedicated, value: gpu, effect: NoSchedule}, {operator: Exists}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}]
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: host, labelSelector: {matchLabels: {app: web}}}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
)")
                                       .body);
    const rapidjson::Value& asks = document.root()["asks"];
    REQUIRE(asks["requests"].Size() == 3);
    CHECK(asks["requests"][0]["amount"].GetInt() == 1500);
    CHECK(text_of(asks["requests"][2]["name"]) == "example.com/gpu");
    std::vector<std::string> told;
    for (const rapidjson::Value& part : asks["more"].GetArray())
      for (const rapidjson::Value& text : part["texts"].GetArray())
        told.push_back(text_of(part["what"]) + " | " + text_of(text));
    const std::vector<std::string> expected = {
        "Node selector | pool=general",
        "Node affinity | required: zone in (a,b)",
        "Pod affinity | required: away from pods with app=web, by host",
        "Spread constraints | DoNotSchedule: maxSkew 1 by zone, pods with app=web",
        "Tolerations | dedicated=gpu:NoSchedule",
        "Tolerations | every taint",
        "Host ports | 8080/TCP",
        "Claims | data"};
    CHECK(told == expected);
    CHECK_FALSE(read(service.post("/explain", R"({"Namespace":"shop","Name":"small"})").body)
                    .root()
                    .HasMember("asks"));
  }

  TEST_CASE("of a workload a pod is tried, of several the one that is chosen") {
    RunningService service(filled());
    const std::string text =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
        "spec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        "    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 8}}}]}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
        "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 80}}}]}\n";
    const Document first = read(service.post("/page/try?limit=5", text).body);
    CHECK(first.root()["feasible"].GetInt() == 3);
    CHECK(text_of(first.root()["pod"]).starts_with("shop/web-"));
    REQUIRE(first.root()["tried"]["workloads"].Size() == 2);
    CHECK(text_of(first.root()["tried"]["workloads"][0]) == "Deployment shop/web");
    CHECK_FALSE(first.root()["tried"]["daemonSet"].GetBool());
    for (const char* const query : {"/page/try?limit=5&which=1", "/page/try?limit=5&which=99"}) {
      const Document second = read(service.post(query, text).body);
      CHECK(second.root()["feasible"].GetInt() == 0);
      CHECK(second.root()["tried"]["which"].GetInt() == 1);
    }
    CHECK(service.cache().read()->pod_count() == 5);
  }

  TEST_CASE("a pod is tried as YAML or JSON, and nothing is written") {
    RunningService service(filled());
    const Answer yaml =
        service.post("/page/try?limit=5",
                     "metadata: {name: x, namespace: shop}\nspec:\n  containers:\n  - name: c\n"
                     "    image: i\n    resources: {requests: {cpu: 8}}\n");
    CHECK(yaml.status == 200);
    CHECK(read(yaml.body).root()["feasible"].GetInt() == 3);
    CHECK(service.post("/page/try", R"({"kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[]}})")
              .status == 200);
    CHECK(service.cache().read()->pod_count() == 5);
    for (const char* wrong : {"", "- a", "kind: Node\n", "kind: 7\n", "a: [", "[1]", "\"text\""}) {
      CAPTURE(wrong);
      const Answer answer = service.post("/page/try", wrong);
      CHECK(answer.status == 400);
      CHECK(std::ranges::count(answer.body, '\n') <= 1);
    }
    CHECK(pod_as_json("a: 1").value() == R"({"a":1})");
    std::string lines = "a:\n";
    for (int i = 0; i < 10'000; ++i) lines += "- 1\n";
    int looks = 0;
    CHECK(pod_as_json(lines, [&] { ++looks; }));
    CHECK(looks > 20);
    CHECK_THROWS_AS(pod_as_json(lines, [] { throw OutOfTime(); }), OutOfTime);
  }

  TEST_CASE("on a loopback listener nothing but probes is answered under another name") {
    ExtenderOptions options;
    options.loopback = true;
    const RunningService service(filled(), default_rule_set(), options);
    const auto ask_as = [&](const char* host, std::string_view method, std::string_view path) {
      std::string request = request_text(method, path);
      request.replace(request.find("localhost"), std::string_view("localhost").size(), host);
      return service.client().ask(request);
    };
    for (const Route& route : routes()) {
      CAPTURE(route.path);
      const bool probe = route.path == "/livez" || route.path == "/readyz" || route.path == "/healthz";
      CHECK(ask_as("evil.example", route.method, route.path).status == (probe ? 200 : 403));
      CHECK(ask_as("127.0.0.1:10290", route.method, route.path).status != 403);
    }
    CHECK(ask_as("evil.example", "GET", "/other").status == 403);
    CHECK(ask_as("evil.example", "PUT", "/filter").status == 403);
    const Answer refused = ask_as("evil.example", "GET", "/flagz");
    CHECK(refused.body ==
          "Host: \"evil.example\": this is a loopback listener; expected localhost or a loopback "
          "address\n");
  }

  TEST_CASE("the page and its files: types, a strict policy, no script in the page, nothing from elsewhere") {
    const RunningService service(filled());
    for (const Asset& asset : assets()) {
      CAPTURE(asset.path);
      const Answer answer = service.get(asset.path);
      CHECK(answer.status == 200);
      CHECK(answer.body == asset.text);
      CHECK(answer.head.contains("Content-Type: " + std::string(asset.content_type)));
      CHECK(answer.head.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"));
      CHECK(answer.head.contains("X-Content-Type-Options: nosniff"));
      for (const char* markup : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                                 "<script>", "javascript:", "https://"})
        CHECK_MESSAGE(!asset.text.contains(markup), markup);
    }
    CHECK(service.get("/page/none").status == 404);
    CHECK(service.get("/page/node?name=none").status == 404);
    CHECK(service.get("/page/overview?resource=memory").head.contains("Cache-Control: no-store"));
    CHECK(read(service.get("/page/names").body).root()["names"].Size() == 4);
    CHECK(read(service.get("/page/pods?text=big%2D1").body).root()["pods"].Size() == 1);
    CHECK(read(service.get("/page/node?name=a").body).root()["of"].GetInt() == 2);
  }
}

}  // namespace
}  // namespace winnow::test
