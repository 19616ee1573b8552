// winnow simulate, as a person or a program sees it: text or JSON, and an exit code.
#include <doctest/doctest.h>

#include "cluster/api/kinds.h"
#include "tests/extender/cli/command_rows.h"

namespace winnow::test {
namespace {

const std::string kSampleCluster = std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json";

const std::string kCluster = R"({"kind":"List","items":[
  {"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"2","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"b","labels":{"topology.kubernetes.io/zone":"z"}},"status":{"allocatable":{"cpu":"2","memory":"8Gi","pods":"10"}}},
  {"kind":"Pod","metadata":{"name":"runs","namespace":"shop","labels":{"app":"runs"},"ownerReferences":[
    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"runs","uid":"1","controller":true}]},
   "spec":{"nodeName":"a","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}},
  {"kind":"Pod","metadata":{"name":"waits","namespace":"shop"},
   "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1500m"}}}]}}]})";

const std::string kNode =
    "apiVersion: v1\nkind: Node\nmetadata: {name: big}\nstatus: {allocatable: {cpu: \"4\", memory: 8Gi, "
    "pods: \"10\"}}\n";

/// Its pods take half of such a node.
const std::string kDaemon =
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: infra}\nspec:\n"
    "  selector: {matchLabels: {app: agent}}\n  template:\n    metadata: {labels: {app: agent}}\n"
    "    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"2\"}}}]}\n";

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The files that the rows name.
CommandFiles simulated_files() {
  return {"simulate",
          {{"cluster.json", kCluster},
           {"web.yaml", web_deployment("100m")},
           {"large.yaml", web_deployment("3")},
           {"huge.yaml", web_deployment("8")},
           {"vast.yaml", replaced_all(web_deployment("8"), "web", "vast")},
           {"cordoned.yaml", kNode + "spec: {unschedulable: true, taints: [{key: "
                                     "node.kubernetes.io/unschedulable, effect: NoSchedule}]}\n"},
           {"node.yaml", kNode},
           {"daemon.yaml", kDaemon},
           {"two-nodes.yaml", kNode + "---\napiVersion: v1\nkind: Node\nmetadata: {name: small}\n"},
           {"none.yaml", kNoPods}}};
}

}  // namespace

TEST_CASE("simulate: what is placed, and the exit code") {
  const CommandFiles files = simulated_files();
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
      {"a node fails", {"--fail-nodes", "a"}, kDone, "1 pod: 1 placed."},
      {"a node fails, and the other is full",
       {"--fail-nodes", "a", "--pending"},
       kAnswerIsNo,
       "2 pods: 1 placed, 1 fits nowhere."},
      {"a node is removed, and the other is full",
       {"--remove-nodes", "a", "--pending"},
       kAnswerIsNo,
       "2 pods: 1 placed, 1 fits nowhere."},
      {"all nodes are cordoned", {"--cordon", "a,b"}, kAnswerIsNo, "1 pod: 0 placed, 1 fits nowhere."},
      {"a zone is removed", {"--remove-nodes", "zone=z"}, kDone, "0 pods: 0 placed."},
      {"nodes are cordoned by pattern", {"--cordon", "*"}, kAnswerIsNo, "1 pod: 0 placed, 1 fits nowhere."},
      {"a pod is deleted in a namespace",
       {"--delete-pods", "waits", "-n", "shop"},
       kDone,
       "0 pods: 0 placed."},
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
      {"until it is full",
       {"--pods", "@web.yaml", "--until-full"},
       kDone,
       "19 pods fit: all of --pods 9 times, and 1 more."},
      {"not once", {"--pods", "@large.yaml", "--until-full"}, kAnswerIsNo, "0 pods fit."},
      {"a pod is deleted", {"--delete-pods", "shop/waits"}, kDone, "0 pods: 0 placed."},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(files.check_answer(row.words, row.code).starts_with(row.headline + '\n'));
  }
}

TEST_CASE("simulate: nodes that are needed are counted") {
  const CommandFiles files = simulated_files();
  const Outcome two = files.run({"--pods", "@large.yaml", "--add-nodes-until-fits", "@node.yaml"});
  CHECK(two.out.contains("2 nodes more are needed: with 2 all fit, with 1 not yet."));
  const Outcome in_turn = files.run({"--pods", "@large.yaml", "--add-nodes-until-fits", "@two-nodes.yaml"});
  CHECK(in_turn.out.contains(
      "2 nodes more are needed: with 2 all fit, with 1 not yet.\nAdded in turn: 2 of big, 0 of small."));
  const Outcome some = files.run(
      {"--pods", "@large.yaml", "@vast.yaml", "--add-nodes-until-fits", "@node.yaml", "--width", "0"});
  CHECK_MESSAGE(some.out.contains("2 nodes were added: 2 of 4 pods that fitted nowhere have a place. One "
                                  "more is of no use: shop/vast-"),
                some.out);
  const Outcome cordoned = files.run({"--pods", "@large.yaml", "--add-nodes-until-fits", "@cordoned.yaml"});
  CHECK(cordoned.code == kDone);
  CHECK(cordoned.out.contains("2 nodes more are needed"));
  const Outcome never = files.run({"--pods", "@huge.yaml", "--add-nodes-until-fits", "@node.yaml"});
  CHECK(never.out.contains("0 nodes were added. One more is of no use: shop/web-"));
  CHECK(never.out.contains("Insufficient cpu"));
}

TEST_CASE("simulate: an added node gets the pods of DaemonSets first") {
  const CommandFiles files = simulated_files();
  const std::vector<std::string> added = {"--pods",     "@daemon.yaml", "@web.yaml", "--add-nodes",
                                          "@node.yaml", "--count",      "2"};
  const std::string placed = files.run(added).out;
  CHECK(placed.starts_with("4 pods: 3 placed, 1 fits nowhere.\n"));
  CHECK(placed.contains("1 DaemonSet pod came first on each added node: infra/agent.\n"));
  const std::vector<std::string> never = {
      "--pods", "@daemon.yaml", "@large.yaml", "--add-nodes-until-fits", "@node.yaml", "--width", "200"};
  CHECK(files.check_answer(never, kAnswerIsNo)
            .contains(" never fits on it, for the pod of DaemonSet infra/agent comes first: Insufficient "
                      "cpu.\n"));
}

TEST_CASE("simulate: bad input is one line, and exit code 2") {
  const CommandFiles files = simulated_files();
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"--drain", "c"}, "--drain: node \"c\" is not in the cluster"},
      {{"--pods", "@none.yaml"}, "--pods: no pod in "},
      {{"--pods", "@missing.yaml"}, "missing.yaml: "},
      {{"--replicas", "2"}, "--replicas needs --pods"},
      {{"--until-full"}, "--until-full needs --pods or --scale"},
      {{"--count", "2"}, "--count needs --add-nodes"},
      {{"--most", "2"}, "--most needs --add-nodes-until-fits"},
      {{"--drain", "a", "--cordon", "a"}, "--cordon and --drain both name node \"a\""},
      {{"--drain", "a", "--remove-nodes", "b,a"}, "--remove-nodes and --drain both name node \"a\""},
      {{"--pods", "@web.yaml", "--until-full", "--add-nodes-until-fits", "@node.yaml"},
       "--until-full and --add-nodes-until-fits contradict each other"},
      {{"--fail-nodes", "c"}, "--fail-nodes: node \"c\" is not in the cluster"},
      {{"--drain", "a", "--fail-nodes", "a"}, "--fail-nodes and --drain both name node \"a\""},
      {{"--remove-nodes", "a", "--fail-nodes", "a"}, "--fail-nodes and --remove-nodes both name node \"a\""},
      {{"--add-nodes", "@web.yaml"}, "--add-nodes: no Node in "},
      {{"--set-label", "a"}, "--set-label: \"a\": expected NODES:KEY=VALUE"},
      {{"--delete-pods", "shop/wait"},
       "--delete-pods: pod \"shop/wait\" is not in the cluster (did you mean \"shop/waits\"?)"},
      {{"--delete-pods", "waits"},
       "--delete-pods: pod \"default/waits\" is not in the cluster (did you mean \"shop/waits\"?)"},
      {{"--drain", "zone=y"}, "--drain: no node has zone=y"},
      {{"-o", "json", "--all-pods"}, "--all-pods is of the table: json has all pods"},
  };
  for (const auto& [words, error] : rows) files.check_error(words, error);
}

TEST_CASE("simulate: the sample cluster, drained, the same each time") {
  const std::vector<std::string> words = {"simulate", "--cluster",  kSampleCluster,
                                          "--drain",  "node-00003", "--pending"};
  const Outcome once = classic_winnow(words), again = classic_winnow(words);
  CHECK(once.out == again.out);
  CHECK(once.code == kAnswerIsNo);
  CHECK(once.out.contains("cruncher"));
  CHECK(once.out.contains("node-00003"));
  auto seeded = words;
  seeded.insert(seeded.end(), {"--seed", "7"});
  CHECK(winnow(seeded).out == winnow(seeded).out);
}

}  // namespace winnow::test
