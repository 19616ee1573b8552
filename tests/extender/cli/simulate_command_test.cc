// winnow simulate, as a person or a program sees it: text or JSON, and an exit code.
#include <doctest/doctest.h>

#include "tests/cluster/transport/temp_folder.h"
#include "tests/extender/cli/run_command.h"
#include "tests/extender/service/answers.h"

namespace winnow::test {
namespace {

const std::string kSampleCluster = std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json";

const std::string kCluster = R"({"kind":"List","items":[
  {"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"2","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"b"},"status":{"allocatable":{"cpu":"2","memory":"8Gi","pods":"10"}}},
  {"kind":"Pod","metadata":{"name":"runs","namespace":"shop","labels":{"app":"runs"},"ownerReferences":[
    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"runs","uid":"1","controller":true}]},
   "spec":{"nodeName":"a","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}},
  {"kind":"Pod","metadata":{"name":"waits","namespace":"shop"},
   "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1500m"}}}]}}]})";

std::string deployment(const std::string& cpu) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: "
         "2\n"
         "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
         "    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"" +
         cpu + "\"}}}]}\n";
}

const std::string kNode =
    "apiVersion: v1\nkind: Node\nmetadata: {name: big}\nstatus: {allocatable: {cpu: \"4\", memory: 8Gi, "
    "pods: \"10\"}}\n";

/// The files that the rows name.
struct Files {
  Files() {
    for (const auto& [name, text] :
         {std::pair("cluster.json", kCluster), std::pair("web.yaml", deployment("100m")),
          std::pair("large.yaml", deployment("3")), std::pair("huge.yaml", deployment("8")),
          std::pair("node.yaml", kNode),
          std::pair("two-nodes.yaml", kNode + "---\napiVersion: v1\nkind: Node\nmetadata: {name: small}\n")})
      folder.write(name, text);
    folder.write("none.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
  }
  /// "@name" is the path of a file.
  std::vector<std::string> words(std::vector<std::string> words) const {
    for (std::string& word : words)
      if (word.starts_with('@')) word = folder.path(word.substr(1));
    words.insert(words.begin(), {"simulate", "--cluster", folder.path("cluster.json")});
    return words;
  }
  const live::test::TempFolder folder;
};

}  // namespace

TEST_CASE("simulate: what is placed, and the exit code") {
  const Files files;
  struct Row {
    std::string sentence;
    std::vector<std::string> words;
    int code;
    std::string headline;
  };
  const Row rows[] = {
      {"what is pending, where nothing is said", {}, kDone, "1 pod: 1 placed."},
      {"a Deployment alone", {"--pods", "@web.yaml"}, kDone, "2 pods: 2 placed."},
      {"with pending pods", {"--pods", "@web.yaml", "--pending"}, kDone, "3 pods: 3 placed."},
      {"more replicas", {"--pods", "@web.yaml", "--replicas", "5"}, kDone, "5 pods: 5 placed."},
      {"pods that do not fit", {"--pods", "@large.yaml"}, kAnswerIsNo, "2 pods: 0 placed, 2 fit nowhere."},
      {"a node is drained", {"--drain", "a"}, kDone, "1 pod: 1 placed."},
      {"a node is removed", {"--remove-nodes", "a"}, kDone, "1 pod: 1 placed."},
      {"a node is removed, and the other is full",
       {"--remove-nodes", "a", "--pending"},
       kAnswerIsNo,
       "2 pods: 1 placed, 1 fits nowhere."},
      {"all nodes are cordoned", {"--cordon", "a,b"}, kAnswerIsNo, "1 pod: 0 placed, 1 fits nowhere."},
      {"a node is added",
       {"--pods", "@large.yaml", "--add-nodes", "@node.yaml", "--count", "2"},
       kDone,
       "2 pods: 2 placed."},
      {"nodes are added until all fit",
       {"--pods", "@large.yaml", "--add-nodes-until-fits", "@node.yaml"},
       kDone,
       "2 pods: 2 placed."},
      {"no number of nodes is enough",
       {"--pods", "@huge.yaml", "--add-nodes-until-fits", "@node.yaml"},
       kAnswerIsNo,
       "2 pods: 0 placed, 2 fit nowhere."},
      {"too few may be added",
       {"--pods", "@large.yaml", "--add-nodes-until-fits", "@node.yaml", "--most", "1"},
       kAnswerIsNo,
       "2 pods: 1 placed, 1 fits nowhere."},
      {"until it is full", {"--pods", "@web.yaml", "--until-full"}, kDone, "19 pods fit: 9 whole rounds."},
      {"not once", {"--pods", "@large.yaml", "--until-full"}, kAnswerIsNo, "0 pods fit."},
      {"a pod is deleted", {"--delete-pods", "shop/waits"}, kDone, "0 pods: 0 placed."},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Outcome outcome = winnow(files.words(row.words));
    CHECK(outcome.code == row.code);
    REQUIRE_MESSAGE(!outcome.lines.empty(), outcome.err);
    CHECK(outcome.lines[0] == row.headline);
    auto words = row.words;
    words.insert(words.end(), {"-o", "json"});
    const Outcome json = winnow(files.words(words));
    CHECK(json.code == row.code);
    REQUIRE(json.lines.size() == 1);
    CHECK(is_json(json.lines[0]));
  }
}

TEST_CASE("simulate: nodes that are needed are counted") {
  const Files files;
  const Outcome two = winnow(files.words({"--pods", "@large.yaml", "--add-nodes-until-fits", "@node.yaml"}));
  CHECK(two.out.contains("With 2 nodes more all fit."));
  const Outcome never = winnow(files.words({"--pods", "@huge.yaml", "--add-nodes-until-fits", "@node.yaml"}));
  CHECK(never.out.contains("0 nodes were added. One more is of no use: shop/web-"));
  CHECK(never.out.contains("Insufficient cpu"));
}

TEST_CASE("simulate: bad input is one line, and exit code 2") {
  const Files files;
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"--drain", "c"}, "--drain: node \"c\" is not in the cluster"},
      {{"--pods", "@none.yaml"}, "--pods: no pod in "},
      {{"--pods", "@missing.yaml"}, "missing.yaml: "},
      {{"--replicas", "2"}, "--replicas needs --pods"},
      {{"--until-full"}, "--until-full needs --pods"},
      {{"--count", "2"}, "--count needs --add-nodes"},
      {{"--most", "2"}, "--most needs --add-nodes-until-fits"},
      {{"--drain", "a", "--cordon", "a"}, "--cordon and --drain both name node \"a\""},
      {{"--drain", "a", "--remove-nodes", "b,a"}, "--remove-nodes and --drain both name node \"a\""},
      {{"--pods", "@web.yaml", "--until-full", "--add-nodes-until-fits", "@node.yaml"},
       "--until-full and --add-nodes-until-fits contradict each other"},
      {{"--pods", "@web.yaml", "--add-nodes-until-fits", "@two-nodes.yaml"}, "2 Nodes in "},
      {{"--add-nodes", "@web.yaml"}, "--add-nodes: no Node in "},
      {{"--set-label", "a"}, "--set-label: \"a\": expected NODE:KEY=VALUE"},
      {{"--delete-pods", "shop/wait"},
       "--delete-pods: pod \"shop/wait\" is not in the cluster (did you mean \"shop/waits\"?)"},
      {{"-o", "json", "--all-pods"}, "--all-pods is of the table: json has all pods"},
  };
  for (const auto& [words, error] : rows) {
    CAPTURE(error);
    const Outcome outcome = winnow(files.words(words));
    CHECK(outcome.code == kBadInput);
    CHECK(outcome.out == "");
    CHECK_MESSAGE(outcome.err.contains(error), outcome.err);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK(outcome.err.starts_with("winnow simulate: "));
  }
}

TEST_CASE("simulate: the sample cluster, drained, the same each time") {
  const std::vector<std::string> words = {"simulate", "--cluster",  kSampleCluster,
                                          "--drain",  "node-00003", "--pending"};
  const Outcome once = winnow(words), again = winnow(words);
  CHECK(once.out == again.out);
  CHECK(once.code == kAnswerIsNo);
  CHECK(once.out.contains("cruncher"));
  CHECK(once.out.contains("node-00003"));
  auto seeded = words;
  seeded.insert(seeded.end(), {"--seed", "7"});
  CHECK(winnow(seeded).out == winnow(seeded).out);
}

}  // namespace winnow::test
