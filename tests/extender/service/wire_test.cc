// What kube-scheduler of any version, curl and a Python script send, and what they are answered.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using Names = std::vector<std::string>;
using Texts = std::map<std::string, std::string>;

constexpr const char* kUnknown = "node(s) were not in Winnow's picture of the cluster yet";

/// The full nodes of a captured request, as it has them.
std::string captured_nodes() {
  const std::string body = capture("full/filter-2.request.json");
  const auto from = body.find(R"("items":[)") + 9;
  return body.substr(from, body.find("]},\"NodeNames\"") - from);
}
std::unique_ptr<ClusterCache> captured_cache() {
  auto cache = std::make_unique<ClusterCache>(State::Options{});
  cache->write([&](State& state) {
    load(state,
         read_cluster_text("capture", R"({"kind":"NodeList","items":[)" + captured_nodes() + "]}").value());
  });
  return cache;
}

std::string in_case(std::string text, int (*change)(int)) {
  std::ranges::transform(text, text.begin(), [&](char c) { return static_cast<char>(change(c)); });
  return text;
}
/// The body with its three outer keys, and `items`, changed.
std::string with_keys(std::string body, int (*change)(int)) {
  for (const std::string key : {"\"Pod\":", "\"Nodes\":", "\"NodeNames\":", "\"items\":"})
    if (const auto at = body.find(key); at != std::string::npos)
      body.replace(at, key.size(), in_case(key, change));
  return body;
}

void check_partition(const FilterResult& result, const std::set<std::string>& asked) {
  std::set<std::string> seen(result.fit.begin(), result.fit.end());
  CHECK(seen.size() == result.fit.size());
  std::size_t entries = seen.size();
  for (const auto& map : {result.failed, result.unresolvable})
    for (const auto& [name, text] : map) {
      CHECK_FALSE(text.empty());
      seen.insert(name);
      ++entries;
    }
  CHECK(entries == seen.size());
  CHECK(result.entries == result.failed.size() + result.unresolvable.size());
  CHECK(seen == asked);
}

TEST_CASE("kube-scheduler's own bytes, two pods on one connection") {
  const RunningService service(captured_cache());
  const std::string bytes = capture("names/conn-02.raw");
  REQUIRE(bytes.size() > 15'000);
  SUBCASE("one call after the other") {
    Client client = service.client();
    std::size_t at = 0;
    for (int call = 0; call < 4; ++call) {
      const std::size_t next = std::min(bytes.find("POST /", at + 1), bytes.size());
      const Answer answer = client.ask(std::string_view(bytes).substr(at, next - at));
      at = next;
      CHECK(answer.status == 200);
      CHECK(answer.head.contains("\r\nContent-Type: application/json\r\n"));
      CHECK(answer.head.contains("\r\nContent-Length: " + std::to_string(answer.body.size()) + "\r\n"));
      CHECK_FALSE(answer.head.contains("Transfer-Encoding"));
      CHECK_FALSE(answer.head.contains("Content-Encoding"));
      CHECK_FALSE(answer.head.contains("Connection: close"));
      CHECK(answer.body.back() != '\n');
      if (call % 2 == 0) {
        const FilterResult result = read_filter(answer.body);
        CHECK(result.valid);
        CHECK(result.error == "");
        check_partition(result, {"node-00000", "node-00001", "node-00002", "node-00003", "node-00004"});
      } else {
        CHECK(read_scores(answer.body).value().size() == 5);
      }
    }
    CHECK(at == bytes.size());
  }
  SUBCASE("all at once") {
    Client client = service.client();
    client.send(bytes);
    for (int call = 0; call < 4; ++call) CHECK(client.receive().status == 200);
    client.finish_sending();
    CHECK(client.sees_end());
  }
  CHECK(service.metric(R"(winnow_requests_total{result="ok",verb="filter"})") == 2);
  CHECK(service.metric(R"(winnow_requests_total{result="ok",verb="prioritize"})") == 2);
}

TEST_CASE("one connection serves a thousand calls") {
  const RunningService service(cache_of_size(5));
  Client client = service.client();
  const std::string call = request_text("POST", "/filter", args_with_names({"n0", "n1", "n2", "n3", "n4"}));
  for (int i = 0; i < 1000; ++i) REQUIRE(client.ask(call).status == 200);
}

TEST_CASE("spellings of one question have one answer") {
  const RunningService service(captured_cache());
  const std::string names = capture("names/filter-2.request.json");
  const std::string full = capture("full/filter-2.request.json");
  struct Row {
    const char* sentence;
    std::string body;
  };
  const std::string pod =
      R"({"metadata":{"name":"plain","namespace":"default","uid":"x"},"spec":{"containers":[]}})";
  const std::string list = R"(["node-00003","node-00001"])";
  const Row rows_of_names[] = {
      {"as kube-scheduler has it", names},
      {"all lower case", with_keys(names, std::tolower)},
      {"all upper case", with_keys(names, std::toupper)},
  };
  const std::string expected = service.post("/filter", names).body;
  const std::string scores = service.post("/prioritize", names).body;
  CHECK(read_filter(expected).fit.size() == 5);
  for (const Row& row : rows_of_names) {
    CAPTURE(row.sentence);
    CHECK(service.post("/filter", row.body).body == expected);
    CHECK(service.post("/predicates", row.body).body == expected);
    CHECK(service.post("/prioritize", row.body).body == scores);
    CHECK(service.post("/priorities", row.body).body == scores);
    CHECK(service.post("/filter?timeout=5s", row.body).body == expected);
  }
  const Row rows_of_orders[] = {
      {"names before the pod", R"({"NodeNames":)" + list + R"(,"Pod":)" + pod + "}"},
      {"sorted and spaced, as Python prints",
       R"({"NodeNames": )" + list + R"(, "Nodes": null, "Pod": )" + pod + "}"},
      {"Nodes missing", R"({"Pod":)" + pod + R"(,"NodeNames":)" + list + "}"},
      {"both forms: names win",
       R"({"Pod":)" + pod + R"(,"Nodes":{"items":[{"metadata":{"name":"q"}}]},"NodeNames":)" + list + "}"},
      {"both forms the other way round",
       R"({"NodeNames":)" + list + R"(,"Nodes":{"items":[{"metadata":{"name":"q"}}]},"Pod":)" + pod + "}"},
      {"both forms, with nodes that are wrong",
       R"({"NodeNames":)" + list + R"(,"Nodes":{"items":[{"spec":5}]},"Pod":)" + pod + "}"},
      {"unknown keys", R"({"apiVersion":"v9","Pod":)" + pod + R"(,"More":[{}],"NodeNames":)" + list + "}"},
      {"the pod twice, the last counts",
       R"({"Pod":{"spec":{"nodeName":"q"}},"NodeNames":)" + list + R"(,"pod":)" + pod + "}"},
      {"other names before",
       R"({"NodeNames":["node-00000","q"],"Pod":)" + pod + R"(,"NODENAMES":)" + list + "}"},
  };
  for (const Row& row : rows_of_orders) {
    CAPTURE(row.sentence);
    CHECK(
        service.post("/filter", row.body).body ==
        R"({"Nodes":null,"NodeNames":["node-00003","node-00001"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
  }
  const Row rows_of_nodes[] = {
      {"as kube-scheduler has it", full},
      {"all lower case", with_keys(full, std::tolower)},
      {"all upper case", with_keys(full, std::toupper)},
      {"names that were taken back",
       R"({"NodeNames":["a","b","c","d","e","f","g"],)" + with_keys(full, std::tolower).substr(1)},
      {"names that were taken back, behind",
       full.substr(0, full.rfind("null}")) + R"(["a","b"],"NodeNames":null})"},
  };
  for (const Row& row : rows_of_nodes) {
    CAPTURE(row.sentence);
    const Answer answer = service.post("/filter", row.body);
    CHECK(answer.status == 200);
    CHECK(answer.body ==
          R"({"Nodes":{"metadata":{},"items":[)" + captured_nodes() +
              R"(]},"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
    CHECK(read_scores(service.post("/prioritize", row.body).body).value().size() == 5);
  }
}

TEST_CASE("every node asked about is answered once") {
  RuleSet rules;
  rules.predicates = {full_on({"n1", "n3"}), never_on({"n3", "n4"})};
  rules.priorities = {by_digit()};
  const RunningService service(cache_of_size(6), rules);
  struct Row {
    const char* sentence;
    Names asked;
    Names fit;
    Texts failed, unresolvable;
  };
  const Row rows[] = {
      {"nobody", {}, {}, {}, {}},
      {"one that fits", {"n0"}, {"n0"}, {}, {}},
      {"the order is the request's", {"n5", "n0", "n2"}, {"n5", "n0", "n2"}, {}, {}},
      {"the first failure ends a node's filtering",
       {"n1", "n3", "n4", "n0"},
       {"n0"},
       {{"n1", "full"}, {"n3", "full"}},
       {{"n4", R"(not "here")"}}},
      {"unknown nodes fail with one text",
       {"x", "n0", "y9"},
       {"n0"},
       {{"x", kUnknown}, {"y9", kUnknown}},
       {}},
      {"none is known", {"x", "y"}, {}, {{"x", kUnknown}, {"y", kUnknown}}, {}},
      {"duplicates once", {"n0", "x", "n0", "n1", "x", "n1"}, {"n0"}, {{"n1", "full"}, {"x", kUnknown}}, {}},
      {"the empty name", {"", "n0"}, {"n0"}, {{"", kUnknown}}, {}},
      {"an escaped name", {R"(n\u0030)", R"(\u006e4)"}, {"n0"}, {}, {{"n4", R"(not "here")"}}},
      {"other alphabets",
       {"nœud-☃", "n0", R"(\ud83d\ude00)"},
       {"n0"},
       {{"nœud-☃", kUnknown}, {"\U0001f600", kUnknown}},
       {}},
      {"quotes and backslashes in an unknown name", {R"(a\"b\\c)"}, {}, {{R"(a"b\c)", kUnknown}}, {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = service.post("/filter", args_with_names(row.asked));
    CHECK(answer.status == 200);
    const FilterResult result = read_filter(answer.body);
    CHECK(result.valid);
    CHECK(result.nodes_are_null);
    CHECK_FALSE(result.names_are_null);
    CHECK(result.fit == row.fit);
    CHECK(result.failed == row.failed);
    CHECK(result.unresolvable == row.unresolvable);
    CHECK(result.entries == row.failed.size() + row.unresolvable.size());
    CHECK(result.error == "");
  }
  CHECK(service.metric("winnow_unknown_nodes_total") > 0);
  CHECK(service.metric(R"(winnow_rejections_total{rule="Full"})") == 3);
  CHECK(service.metric(R"(winnow_rejections_total{rule="Never"})") == 2);
}

TEST_CASE("where all predicates are asked, their reasons stand in rule order") {
  RuleSet rules;
  rules.predicates = {full_on({"n1", "n2"}, "A"), never_on({"n2", "n3"}, "B"), full_on({"n2", "n1"}, "C")};
  rules.always_check_all_predicates = true;
  const RunningService service(cache_of_size(4), rules);
  const FilterResult result =
      read_filter(service.post("/filter", args_with_names({"n0", "n1", "n2", "n3"})).body);
  CHECK(result.fit == Names{"n0"});
  CHECK(result.failed == Texts{{"n1", "full, full"}});
  CHECK(result.unresolvable == Texts{{"n2", R"(full, not "here", full)"}, {"n3", R"(not "here")"}});
}

TEST_CASE("the answer is in the form asked: full nodes") {
  RuleSet rules;
  rules.predicates = {full_on({"n1"}), never_on({"new-1"})};
  rules.priorities = {by_digit()};
  const RunningService service(cache_of_size(3), rules);
  const std::string n0 = R"({"metadata": {"name":"n\u0030","x":[1, 2]},"spec":{"a" : "\u003c"},"status":{}})";
  const std::string n1 = R"({"metadata":{"name":"n1"}})";
  const std::string new0 = R"({"metadata":{"name":"new-0"}})";
  const std::string new1 = R"({"metadata":{"name":"new-1"}})";
  const std::string body = R"({"Pod":{},"Nodes":{"metadata":{},"items":[)" + new0 + "," + n1 + " , " + n0 +
                           "," + new1 + "," + n1 + R"(]},"NodeNames":null})";
  const Answer answer = service.post("/filter", body);
  CHECK(answer.body == R"({"Nodes":{"metadata":{},"items":[)" + new0 + "," + n0 +
                           R"(]},"NodeNames":null,"FailedNodes":{"n1":"full"},)"
                           R"("FailedAndUnresolvableNodes":{"new-1":"not \"here\""},"Error":""})");
  CHECK(read_scores(service.post("/prioritize", body).body).value() ==
        HostScores{{"new-0", 0}, {"n1", 10}, {"n0", 0}, {"new-1", 10}});
  for (const char* empty : {R"({"Pod":{},"Nodes":{"items":[]}})", R"({"Pod":{},"Nodes":{"items":null}})",
                            R"({"Pod":{},"Nodes":{}})"}) {
    const FilterResult result = read_filter(service.post("/filter", empty).body);
    CHECK(result.valid);
    CHECK(result.names_are_null);
    CHECK(result.fit.empty());
  }
}

TEST_CASE("full nodes are judged by what the request says, with the picture's pods") {
  const RunningService service(
      cache_of({node("n0").cpu("2").memory("4Gi").pods("10"), node("n1").cpu("2").pods("10")},
               {pod("a").uid("a").cpu("1500m").on("n0"), pod("early").uid("e").cpu("1").on("new")}));
  const std::string wants_one =
      R"({"metadata":{"name":"p","uid":"p"},"spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}]}})";
  const auto ask = [&](const std::string& items) {
    const FilterResult result =
        read_filter(service
                        .post("/filter", R"({"Pod":)" + wants_one + R"(,"Nodes":{"items":[)" + items +
                                             R"(]},"NodeNames":null})")
                        .body);
    CHECK(result.valid);
    std::string text;
    for (const std::string& name : result.fit) text += name + " fits;";
    for (const auto& [name, reason] : result.failed) text += name + ": " + reason + ';';
    for (const auto& [name, reason] : result.unresolvable) text += name + ": never: " + reason + ';';
    return text;
  };
  const auto node_json = [](const char* name, const char* cpu, const char* more = "") {
    return std::string(R"({"metadata":{"name":")") + name + R"("},"spec":{)" + more +
           R"(},"status":{"allocatable":{"cpu":")" + cpu + R"(","pods":"10"}}})";
  };
  // By names: n0 has 2 - 1.5 left.
  CHECK(read_filter(service.post("/filter", args_with_names({"n0", "n1"}, wants_one)).body).fit ==
        Names{"n1"});
  CHECK(ask(node_json("n0", "2")) == "n0: Insufficient cpu;");
  CHECK(ask(node_json("n0", "3")) == "n0 fits;");
  CHECK(ask(node_json("n1", "500m")) == "n1: Insufficient cpu;");
  CHECK(ask(node_json("n1", "4", R"("unschedulable":true)")).starts_with("n1: never: "));
  CHECK(ask(node_json("template", "1")) == "template fits;");
  CHECK(ask(node_json("template", "0")) == "template: Insufficient cpu;");
  // A pod that was bound to the node before the cache heard of it counts.
  CHECK(ask(node_json("new", "1900m")) == "new: Insufficient cpu;");
  CHECK(ask(node_json("new", "2")) == "new fits;");
  // The cache is as it was.
  CHECK(read_filter(service.post("/filter", args_with_names({"n0", "n1", "new"}, wants_one)).body).fit ==
        Names{"n1"});
}

TEST_CASE("prioritize gives every host asked an integer from 0 to 10") {
  RuleSet rules;
  rules.predicates = {full_on({"n0", "n1", "n2"})};
  rules.priorities = {by_digit(1'000'000'007)};
  const RunningService service(cache_of_size(10), rules);
  struct Row {
    const char* sentence;
    Names asked;
    HostScores scores;
  };
  const Row rows[] = {
      {"nobody", {}, {}},
      {"one", {"n4"}, {{"n4", 10}}},
      {"no predicate is run", {"n1", "n2"}, {{"n1", 0}, {"n2", 10}}},
      {"in the order asked", {"n9", "n0", "n5"}, {{"n9", 10}, {"n0", 0}, {"n5", 5}}},
      {"unknown hosts have 0 and do not count",
       {"x7", "n4", "n6", "n5"},
       {{"x7", 0}, {"n4", 0}, {"n6", 10}, {"n5", 5}}},
      {"only unknown ones", {"x7", "x9"}, {{"x7", 0}, {"x9", 0}}},
      {"duplicates once, or kube-scheduler would add them up",
       {"n9", "n0", "n9", "x", "x"},
       {{"n9", 10}, {"n0", 0}, {"x", 0}}},
      {"all equal", {"n7", R"(n\u0037)"}, {{"n7", 10}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = service.post("/prioritize", args_with_names(row.asked));
    CHECK(answer.status == 200);
    CHECK(read_scores(answer.body).value() == row.scores);
  }
}

TEST_CASE("the sample cluster: every node has one place in the answer, and the texts are few") {
  const RunningService service(sample_cache());
  std::set<std::string> asked;
  Names names;
  for (int i = 0; i < 9; ++i) names.push_back("node-0000" + std::to_string(i));
  for (const char* more : {"gpu-00000", "gpu-00001", "spot-00000"}) names.emplace_back(more);
  asked.insert(names.begin(), names.end());
  const std::string bodies[] = {
      R"({"metadata":{"name":"a","uid":"a"}})",
      R"({"metadata":{"name":"b","uid":"b"},"spec":{"containers":[{"resources":{"requests":{"cpu":"9"}}}]}})",
      R"({"metadata":{"name":"c","uid":"c"},"spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"1","memory":"1Gi"}}}],"tolerations":[{"operator":"Exists"}]}})",
      R"({"metadata":{"name":"d","uid":"d"},"spec":{"nodeSelector":{"no":"such"}}})",
      R"({"metadata":{"name":"e","uid":"e"},"spec":{"nodeName":"node-00001"}})",
  };
  std::set<std::string> texts;
  for (const std::string& body : bodies) {
    CAPTURE(body);
    const FilterResult result = read_filter(service.post("/filter", args_with_names(names, body)).body);
    CHECK(result.valid);
    check_partition(result, asked);
    for (const auto& map : {result.failed, result.unresolvable})
      for (const auto& [name, text] : map) texts.insert(text);
    const auto scores = read_scores(service.post("/prioritize", args_with_names(result.fit, body)).body);
    REQUIRE(scores);
    CHECK(scores->size() == result.fit.size());
    bool has_best = scores->empty();
    for (const auto& [host, score] : *scores) {
      CHECK(score >= 0);
      CHECK(score <= 10);
      has_best = has_best || score == 10;
    }
    CHECK(has_best);
  }
  // kube-scheduler groups nodes by text: few ones, without names or numbers of nodes in them.
  CHECK(texts.size() < 12);
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK_FALSE(text.contains("0000"));
  }
}

TEST_CASE("a failure that the pod's owner must see is 200 with Error") {
  struct Row {
    const char* sentence;
    std::string pod;
    std::string error;
  };
  const Row rows[] = {
      {"a claim that is not there",
       R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data"}}]}})",
       R"(persistentvolumeclaim "data" not found)"},
      {"its name may look like a format",
       R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"100%d\"ata"}}]}})",
       R"(persistentvolumeclaim "100d\"ata" not found)"},
  };
  const RunningService service(cache_of_size(2));
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = service.post("/filter", args_with_names({"n0", "n1"}, row.pod));
    CHECK(answer.status == 200);
    const FilterResult result = read_filter(answer.body);
    CHECK(result.valid);
    CHECK(result.error == row.error);
    CHECK(result.fit.empty());
  }
  CHECK(service.metric(R"(winnow_requests_total{result="error",verb="filter"})") == 2);
}

TEST_CASE("a rule's error fails the call where upstream would have come to it") {
  RuleSet rules;
  rules.predicates = {full_on({"n1", "n2"}), errs_on({"n1", "n3"})};
  struct Row {
    const char* sentence;
    bool all;
    Names asked;
    std::string error;
  };
  const Row rows[] = {
      {"no node errs", false, {"n0", "n2"}, ""},
      {"an earlier failure hides it", false, {"n0", "n1"}, ""},
      {"one node is enough", false, {"n0", "n1", "n3"}, "100 broken"},
      {"where all are asked nothing hides it", true, {"n0", "n1"}, "100 broken"},
      {"where all are asked and none errs", true, {"n0", "n2"}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    rules.always_check_all_predicates = row.all;
    const RunningService service(cache_of_size(4), rules);
    const Answer answer = service.post("/filter", args_with_names(row.asked));
    CHECK(answer.status == 200);
    CHECK(read_filter(answer.body).valid);
    CHECK(read_filter(answer.body).error == row.error);
  }
}

TEST_CASE("a broken priority loses the scores, not the pod") {
  RuleSet rules;
  rules.priorities = {broken_priority()};
  const RunningService service(cache_of_size(2), rules);
  const Answer answer = service.post("/prioritize", args_with_names({"n0", "n1"}));
  CHECK(answer.status == 400);
  CHECK(answer.body == "this priority is broken\n");
  CHECK(read_filter(service.post("/filter", args_with_names({"n0", "n1"})).body).fit.size() == 2);
}

TEST_CASE("a request that has waited longer than kube-scheduler would is not worked on") {
  CHECK(ExtenderOptions{}.request_timeout == std::chrono::milliseconds(4500));
  auto cache = cache_of_size(1);
  const std::vector<RuleSet> rules{default_rule_set()};
  Workers workers(0);
  const Engines engines(rules, workers);
  Metrics metrics("test", "test");
  Extender extender(active_config_of(*cache, engines, metrics), metrics,
                    {.request_timeout = std::chrono::minutes(1)});
  for (const int waited : {0, 30, 61}) {
    http::Request request{.method = "POST", .path = "/filter", .body = args_with_names({"n0"})};
    request.arrived = std::chrono::steady_clock::now() - std::chrono::seconds(waited);
    http::Response response;
    extender.handle(request, response);
    CAPTURE(response.body);
    CHECK(response.status == (waited < 60 ? 200 : 503));
  }
  CHECK(metrics.render().contains(R"(winnow_requests_total{result="shed",verb="other"} 1)"));
}

TEST_CASE("the other paths") {
  const RunningService service(cache_of_size(1));
  CHECK(service.get("/livez").body == "ok\n");
  CHECK(service.get("/healthz").body == "ok\n");
  CHECK(service.get("/readyz").body == "ok\n");
  CHECK(is_json(service.get("/version").body));
  CHECK(service.get("/metrics").head.contains("Content-Type: text/plain; version=0.0.4"));
  const Answer bind = service.post("/bind", R"({"PodName":"a","PodNamespace":"b","PodUID":"c","Node":"d"})");
  CHECK(bind.status == 200);
  CHECK(json_at(bind.body, "Error").contains("binding is off"));
  const Answer head = service.ask("HEAD", "/livez");
  CHECK(head.status == 200);
  CHECK(head.head.contains("Content-Length: 3\r\n"));
  CHECK(head.body.empty());
}

TEST_CASE("readyz says when the service is not ready, livez does not") {
  GivenServices given;
  given.says_not_ready = [] { return std::string("the picture is not complete yet"); };
  const RunningService service(cache_of_size(1), default_rule_set(), {}, {}, {.cluster = &given});
  CHECK(service.get("/readyz").status == 503);
  CHECK(service.get("/livez").status == 200);
}

}  // namespace
}  // namespace winnow::test
