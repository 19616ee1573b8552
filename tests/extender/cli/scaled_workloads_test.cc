#include "extender/cli/scaled_workloads.h"

#include <doctest/doctest.h>

#include "tests/extender/cli/command_rows.h"

namespace winnow::test {
namespace {

std::string node_item(const std::string& name) {
  return R"({"kind":"Node","metadata":{"name":")" + name +
         R"("},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}})";
}

std::string pod_item(const std::string& name, const std::string& kind, const std::string& owner,
                     const std::string& node) {
  return R"({"kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"shop","labels":{"app":"x","pod-template-hash":"5d"},"ownerReferences":[{"apiVersion":"apps/v1","kind":")" +
         kind + R"(","name":")" + owner + R"(","uid":"1","controller":true}]},"spec":{)" +
         (node.empty() ? "" : R"("nodeName":")" + node + R"(",)") +
         R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})";
}

const std::string kStatefulSet =
    "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: shop}\nspec:\n  replicas: 2\n"
    "  selector: {matchLabels: {app: db}}\n  template:\n    metadata: {labels: {app: db}}\n"
    "    spec: {containers: [{name: c, image: i}]}\n";

CommandFiles scaled_files() {
  return {"simulate",
          {{"cluster.json", R"({"kind":"List","items":[)" + node_item("a") + ',' + node_item("b") + ',' +
                                pod_item("web-5d-1", "ReplicaSet", "web-5d", "a") + ',' +
                                pod_item("web-5d-2", "ReplicaSet", "web-5d", "b") + ',' +
                                pod_item("web-5d-3", "ReplicaSet", "web-5d", "") + ',' +
                                pod_item("db-0", "StatefulSet", "db", "a") + ',' +
                                pod_item("db-1", "StatefulSet", "db", "b") + ',' +
                                pod_item("same-5d-1", "ReplicaSet", "same-5d", "a") + ',' +
                                pod_item("same-0", "StatefulSet", "same", "") + "]}"},
           {"web.yaml", web_deployment("100m")},
           {"db.yaml", kStatefulSet}}};
}

}  // namespace

TEST_CASE("simulate: a workload of the cluster is scaled") {
  const CommandFiles files = scaled_files();
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  const Row rows[] = {
      {"up, and its pending pods are placed with the new ones",
       {"--scale", "shop/web=5"},
       kDone,
       "3 pods: 3 placed.\nDeployment shop/web is scaled from 3 to 5 pods, 1 of them pending: 2 come.\n"},
      {"by its namespace",
       {"--scale", "web=4", "-n", "shop"},
       kDone,
       "2 pods: 2 placed.\nDeployment shop/web is scaled from 3 to 4 pods, 1 of them pending: 1 comes.\n"},
      {"too far", {"--scale", "shop/web=9"}, kAnswerIsNo, "7 pods: 3 placed, 4 fit nowhere.\n"},
      {"down, the pending ones first",
       {"--scale", "shop/web=1"},
       kDone,
       "0 pods: 0 placed.\nDeployment shop/web is scaled from 3 to 1 pod, 1 of them pending: 2 go.\n"},
      {"a StatefulSet",
       {"--scale", "shop/db=3"},
       kDone,
       "1 pod: 1 placed.\nStatefulSet shop/db is scaled from 2 to 3 pods: 1 comes.\n"},
      {"to what it has", {"--scale", "shop/db=2"}, kDone, "to 2 pods: it has them already.\n"},
      {"with its kind", {"--scale", "deploy/shop/same=2"}, kDone, "1 pod: 1 placed.\n"},
      {"two of them", {"--scale", "shop/web=4,shop/db=3"}, kDone, "3 pods: 3 placed.\n"},
      {"until it is full", {"--scale", "shop/db=3", "--until-full"}, kDone, "3 pods fit"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::string text = files.check_answer(row.words, row.code);
    CHECK_MESSAGE(text.contains(row.says), text);
  }
  CHECK(
      files.run({"--scale", "shop/web=5", "-o", "json"})
          .out.contains(
              R"("existing":[{"workload":"Deployment shop/web","onNodes":2,"pending":1,"come":2,"go":0,"scaledTo":5}])"));
}

TEST_CASE("simulate: a file of a workload that is there says so") {
  const CommandFiles files = scaled_files();
  const std::string on_top = files.check_answer({"--pods", "@web.yaml", "--width", "0"}, kDone);
  CHECK_MESSAGE(on_top.contains("Deployment shop/web has 3 pods already, 1 of them pending: these 2 come on "
                                "top. --scale shop/web=N counts those that are there.\n"),
                on_top);
  const std::string none = files.check_answer({"--pods", "@db.yaml", "--width", "0"}, kDone);
  CHECK_MESSAGE(none.contains("0 pods: 0 placed.\nStatefulSet shop/db has 2 pods already, which are not made "
                              "again: none comes. --replicas above 2, or --scale shop/db=3, makes more.\n"),
                none);
  const std::string some =
      files.check_answer({"--pods", "@db.yaml", "--replicas", "3", "--width", "0"}, kDone);
  CHECK_MESSAGE(some.contains("1 comes to them.\n"), some);
}

TEST_CASE("simulate: pending pods are named") {
  const CommandFiles files = scaled_files();
  CHECK(files.check_answer({"--pending", "shop/web-5d-3"}, kDone).starts_with("1 pod: 1 placed.\n"));
  CHECK(files.check_answer({"--pending", "web-5d-3,same-0", "-n", "shop"}, kDone)
            .starts_with("2 pods: 2 placed.\n"));
  CHECK(files.check_answer({"--pending"}, kDone).starts_with("2 pods: 2 placed.\n"));
}

TEST_CASE("simulate: what cannot be scaled is an error") {
  const CommandFiles files = scaled_files();
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"--scale", "shop/web"}, "--scale: \"shop/web\": expected NAMESPACE/NAME=N, with N up to 1000000"},
      {{"--scale", "shop/web=-1"}, "--scale: \"shop/web=-1\": expected NAMESPACE/NAME=N"},
      {{"--scale", "shop/wep=2"},
       "--scale: no pod of the cluster is of a workload \"shop/wep\" (did you mean \"shop/web\"?)"},
      {{"--scale", "shop/same=2"},
       "--scale: \"shop/same\" names Deployment shop/same and StatefulSet shop/same: expected "
       "KIND/NAMESPACE/NAME=N"},
      {{"--scale", "shop/db=3,shop/db=4"}, "--scale: StatefulSet shop/db is scaled twice"},
      {{"--pods", "shop/web"}, "; Deployment shop/web is in the cluster: --scale shop/web=N scales it"},
      {{"--pods", "@db.yaml", "--until-full"},
       "--until-full: there is nothing to repeat: StatefulSet shop/db has 2 pods already; --replicas above "
       "2, or --scale shop/db=3, makes more"},
      {{"--scale", "shop/db=2", "--until-full"},
       "--until-full: there is nothing to repeat: neither --scale nor --pods makes a pod"},
      {{"--pods", "@db.yaml", "--replicas", "3", "--scale", "shop/db=3"},
       "--scale and --pods both have StatefulSet shop/db: leave one of them out"},
      {{"--pending", "shop/db-0"}, "--pending: pod \"shop/db-0\" is on a node already"},
      {{"--pending", "shop/web-5d-4"}, "--pending: pod \"shop/web-5d-4\" is not in the cluster"},
  };
  for (const auto& [words, error] : rows) files.check_error(words, error);
}

}  // namespace winnow::test
