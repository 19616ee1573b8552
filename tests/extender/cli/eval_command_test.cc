// `winnow eval`: the value of an expression on each node.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "extender/cli/flags/eval_flags.h"
#include "tests/extender/cli/command_rows.h"

namespace winnow::test {
namespace {

const std::string kThree = R"({"kind":"List","items":[
  {"kind":"Node","metadata":{"name":"b","labels":{"pool":"spot","zone":"z1"},"annotations":{"rank":"7"}},
   "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"a","labels":{"zone":"z1"}},
   "status":{"allocatable":{"cpu":"2","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"c","labels":{"pool":"spot"},"annotations":{"rank":"x"}},
   "status":{"allocatable":{"cpu":"8","memory":"8Gi","pods":"10"}}},
  {"kind":"Pod","metadata":{"name":"waits","namespace":"shop","labels":{"app":"web"}},
   "spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1500m"}}}]}},
  {"kind":"Pod","metadata":{"name":"runs","namespace":"shop"},
   "spec":{"nodeName":"a","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}]})";

const std::string kNew =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: new, labels: {app: db}}\n"
    "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]}\n";

const CommandFiles& files() {
  static const CommandFiles files("eval", {{"cluster.json", kThree},
                                           {"pod.yaml", kNew},
                                           {"pods.yaml", kNew + "---\napiVersion: v1\nkind: Pod\n"
                                                                "metadata: {name: other}\nspec: {}\n"}});
  return files;
}

}  // namespace

TEST_CASE("an expression has a value on each node, with what it has read") {
  CHECK(files().check_answer({"node.allocatable.cpu >= 4.0"}, kDone) ==
        "NODE   VALUE   READ\n"
        "a      false   node.allocatable.cpu 2.0\n"
        "b      true    node.allocatable.cpu 4.0\n"
        "c      true    node.allocatable.cpu 8.0\n"
        "\ntrue on 2 of 3 nodes, false on 1.\n");
  CHECK(files()
            .check_answer({"node.allocatable.cpu / 2.0"}, kDone)
            .ends_with("\nmin 1, median 2, max 4 on 3 nodes.\n"));
  CHECK(files().check_answer({"node.metadata.name"}, kDone).ends_with("\n3 values on 3 of 3 nodes.\n"));
  CHECK(files().check_answer({"node.domain('zone').pods"}, kAnswerIsNo).contains("a      1"));
}

TEST_CASE("errors are told on their nodes, and make the exit code 1") {
  const std::string table =
      files().check_answer({"int(node.metadata.annotations['rank']) > 5", "--width", "0"}, kAnswerIsNo);
  CHECK(table.contains("\na      error: no such key: "));
  CHECK(table.contains("\nb      true "));
  CHECK(table.contains("\nc      error: "));
  CHECK(table.ends_with("\ntrue on 1 of 3 nodes, error on 2.\n"));
  const Outcome json = files().run({"int(node.metadata.annotations['rank'])", "-o", "json"});
  CHECK(json.out.contains(R"({"node":"a","error":")"));
  CHECK(json.out.contains(R"({"node":"b","value":7,"read":)"));
}

TEST_CASE("what reads no node has one value") {
  CHECK(files()
            .check_answer({"cluster.nodes + cluster.pods"}, kDone)
            .starts_with("VALUE   READ\n4       cluster.nodes 3"));
  const Outcome json = files().run({"{'a': [1, 2]}", "-o", "json"});
  CHECK_MESSAGE(json.out.contains(R"(,"values":[{"value":{"a":[1,2]},"cost":)"), json.out);
}

TEST_CASE("the pod is one of the cluster, or of a file") {
  const std::string reads = "pod.metadata.labels.app + ' ' + string(pod.requests.cpu)";
  CHECK(files().check_answer({reads, "--pod", "shop/waits"}, kDone).contains("\"web 1.5\""));
  CHECK(files().check_answer({reads, "--pod", "waits", "-n", "shop"}, kDone).contains("\"web 1.5\""));
  CHECK(files().check_answer({reads, "--pod", "@pod.yaml"}, kDone).contains("\"db 3\""));
  CHECK(files().run({reads, "--pod", "@pod.yaml", "-o", "json"}).out.contains(R"("pod":"default/new")"));
  CHECK_MESSAGE(files().check_answer({"node.pods == 0", "--pod", "shop/runs"}, kDone).contains("true on 3"),
                "a rule judges a pod without its own place");
}

TEST_CASE("parameters are JSON, or texts") {
  CHECK(params_json({}).value() == "");
  CHECK(params_json({"a=0.8", "b=x=y", "c=[1]", "d=", "e=\"7\""}).value() ==
        R"({"params":{"a":0.8,"b":"x=y","c":[1],"d":"","e":"7"}})");
  CHECK(files()
            .check_answer({"node.allocatable.cpu > params.least && params.zone == 'z'", "--param",
                           "least=3.5", "--param", "zone=z"},
                          kDone)
            .contains("true on 2 of 3 nodes"));
}

TEST_CASE("nodes are chosen by name and by label") {
  CHECK(files().check_answer({"node.pods", "--nodes", "a,b"}, kDone).contains("on 2 nodes"));
  CHECK(files().check_answer({"node.pods", "-l", "pool=spot"}, kDone).contains("on 2 nodes"));
}

TEST_CASE("an expression behind the files of the cluster is no file") {
  const Outcome outcome = winnow({"eval", "--cluster", files().path("cluster.json"), "1 + 1"});
  CHECK_MESSAGE(outcome.code == kDone, outcome.err);
  CHECK(outcome.lines.back() == "2");
}

TEST_CASE("long columns are broken, and --width 0 breaks none") {
  const std::vector<std::string> words = {
      "node.allocatable.cpu + node.allocatable.memory + node.requested.cpu + node.requested.memory > 0.0"};
  const auto with = [&](const char* width) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--width", width});
    return files().run(all);
  };
  CHECK(with("0").lines.size() == 6);
  const Outcome narrow = with("70");
  CHECK(narrow.lines.size() > 6);
  for (const std::string& line : narrow.lines) CHECK_MESSAGE(line.size() <= 70, line);
}

TEST_CASE("bad input of eval is told in one line") {
  struct Row {
    std::vector<std::string> words;
    const char* error;
  };
  const Row rows[] = {
      {{"node.requestd.cpu > 1.0"},
       "winnow eval: 1:5: undefined field 'requestd' (did you mean \"requested\"?)"},
      {{"node.pods >"}, "winnow eval: 1:"},
      {{"pod.requests.cpu"}, "the expression reads pod: expected --pod"},
      {{"1", "--pod", "shop/wait"}, "pod \"shop/wait\" is not in the cluster (did you mean \"shop/waits\"?)"},
      {{"1", "--pod", "@pods.yaml"}, "has 2 pods: expected one"},
      {{"1", "--param", "x"}, "--param: \"x\" is not KEY=VALUE"},
      {{"node.pods", "--nodes", "d"}, "--nodes: node \"d\" is not in the cluster"},
      {{}, "no expression: expected one"},
  };
  for (const Row& row : rows) files().check_error(row.words, row.error);
}

}  // namespace winnow::test
