// winnow compare, as a person or a program sees it: text or JSON, and an exit code.
#include <doctest/doctest.h>

#include "tests/extender/cli/command_rows.h"

namespace winnow::test {
namespace {

const std::string kCompared = R"({"kind":"List","items":[
  {"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"b","labels":{"ssd":""}},
   "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Pod","metadata":{"name":"runs","namespace":"shop","ownerReferences":[
    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"runs","uid":"1","controller":true}]},
   "spec":{"nodeName":"a","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}},
  {"kind":"Pod","metadata":{"name":"agent","namespace":"shop","ownerReferences":[
    {"apiVersion":"apps/v1","kind":"DaemonSet","name":"agent","uid":"2","controller":true}]},
   "spec":{"nodeName":"a","containers":[{"name":"c","image":"i"}]}},
  {"kind":"Pod","metadata":{"name":"waits","namespace":"shop"},
   "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1500m"}}}]}}]})";

std::string prefers(const std::string& present) {
  return "apiVersion: v1\nkind: Policy\npredicates: [{name: GeneralPredicates}]\npriorities:\n- {name: Ssd, "
         "weight: 2, argument: {labelPreference: {label: ssd, presence: " +
         present + "}}}\n";
}

/// The files that the rows name.
CommandFiles compared_files() {
  return {"compare",
          {{"cluster.json", kCompared},
           {"ssd.yaml", prefers("true")},
           {"no-ssd.yaml", prefers("false")},
           {"today.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"},
           {"wrong.yaml", "apiVersion: v1\nkind: Policy\npriorities: [{name: NoSuch, weight: 1}]\n"},
           {"web.yaml", web_deployment("100m")},
           {"none.yaml", kNoPods}}};
}

}  // namespace

TEST_CASE("compare: what differs, and the exit code") {
  const CommandFiles files = compared_files();
  struct Row {
    std::string sentence;
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  const Row rows[] = {
      {"the same file twice",
       {"--config", "@ssd.yaml", "--with", "@ssd.yaml"},
       kDone,
       "\n1 pod: 1 the same under both, 0 differ.\n"},
      {"what is pending",
       {"--config", "@ssd.yaml", "--with", "@no-ssd.yaml"},
       kAnswerIsNo,
       "\n1 pod: 0 the same under both, 1 differs.\n"},
      {"pods of a file",
       {"--config", "@ssd.yaml", "--with", "@no-ssd.yaml", "--pods", "@web.yaml"},
       kAnswerIsNo,
       "\n2 pods: 0 the same under both, 2 differ.\n"},
      {"and pending ones",
       {"--config", "@ssd.yaml", "--with", "@no-ssd.yaml", "--pods", "@web.yaml", "--replicas", "3",
        "--pending"},
       kAnswerIsNo,
       "\n4 pods: 0 the same under both, 4 differ.\n"},
      {"classic against today's",
       {"--config", "classic", "--with", "@today.yaml"},
       kDone,
       "A: v1.16, default provider"},
      {"a gate of each",
       {"--config", "classic", "--feature-gates", "ExactV116=true", "--with", "@today.yaml",
        "--with-feature-gates", ""},
       kDone,
       "B: "},
      {"pods that run",
       {"--placed", "--config", "@ssd.yaml", "--with", "@no-ssd.yaml"},
       kAnswerIsNo,
       "1 running pod: 0 the same under both, 1 differs.\nUnder A: 0 would stay, 1 would go"},
      {"pods that run, of one configuration",
       {"--placed", "--config", "@ssd.yaml"},
       kAnswerIsNo,
       "1 running pod: 0 would stay, 1 would go to another node, 0 would fit nowhere.\nLeft out: 1 pod of"},
      {"which stay", {"--placed", "--config", "@no-ssd.yaml"}, kDone, "1 running pod: 1 would stay, 0 would"},
      {"one pod",
       {"--config", "@ssd.yaml", "--with", "@no-ssd.yaml", "--pod", "shop/waits"},
       kAnswerIsNo,
       "\nshop/waits: A takes b, B takes a.\n"},
      {"one pod that runs",
       {"--placed", "--config", "@ssd.yaml", "--pod", "shop/runs"},
       kAnswerIsNo,
       "\nshop/runs: it is on a, and A takes b now.\n"},
      {"one pod, the same",
       {"--config", "@ssd.yaml", "--with", "@ssd.yaml", "--pod", "shop/waits"},
       kDone,
       "\nshop/waits: both take b.\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::string text = files.check_answer(row.words, row.code);
    CHECK_MESSAGE(text.contains(row.says), text);
  }
}

TEST_CASE("compare: how the configurations differ is said first") {
  const CommandFiles files = compared_files();
  CHECK(files.check_answer({"--config", "@ssd.yaml", "--with", "@no-ssd.yaml"}, kAnswerIsNo)
            .contains("\nThey differ in this:\n  - Ssd: presence is true under A, false under B\n1 pod: "));
  CHECK(files.check_answer({"--config", "@ssd.yaml", "--with", "@ssd.yaml"}, kDone)
            .contains("\nA and B have the same rules.\n1 pod: "));
  CHECK(
      files.run({"--config", "@ssd.yaml", "--with", "@no-ssd.yaml", "-o", "json"})
          .out.contains(R"("configDiffers":[{"kind":"argument","text":"Ssd: presence is true under A, false )"
                        R"(under B","rule":"Ssd","field":"presence","a":"true","b":"false"}],"same":0)"));
  CHECK_FALSE(files.check_answer({"--placed", "--config", "@ssd.yaml"}, kAnswerIsNo).contains("rules.\n"));
}

TEST_CASE("compare: bad input is one line, and exit code 2") {
  const CommandFiles files = compared_files();
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{}, "--with is missing: expected --with FILE"},
      {{"--with", "@missing.yaml"}, "missing.yaml: "},
      {{"--with", "@wrong.yaml"}, "wrong.yaml: "},
      {{"--config", "@wrong.yaml", "--with", "@ssd.yaml"}, "wrong.yaml: "},
      {{"--config", "classic", "--feature-gates", "ExactV116=true", "--with", "@today.yaml"},
       "are given with --with-feature-gates"},
      {{"--with", "@today.yaml", "--with-feature-gates", "ExactV116=true"},
       "--with-feature-gates: ExactV116"},
      {{"--placed", "--with-feature-gates", "A=true"}, "--with-feature-gates needs --with"},
      {{"--with", "@ssd.yaml", "--replicas", "2"}, "--replicas needs --pods"},
      {{"--with", "@ssd.yaml", "--placed", "--pods", "@web.yaml"},
       "--placed and --pods contradict each other"},
      {{"--placed", "--pending"}, "--placed and --pending contradict each other"},
      {{"--with", "@ssd.yaml", "--pods", "@none.yaml"}, "--pods: no pod in "},
      {{"--with", "@ssd.yaml", "--pod", "shop/wait"},
       "--pod: pod \"shop/wait\" is not among the pods that are placed (did you mean \"shop/waits\"?)"},
      {{"--placed", "--pod", "shop/waits"}, "--pod: pod \"shop/waits\" is on no node"},
      {{"--placed", "--pod", "shop/agent"}, "is of a DaemonSet or of a kubelet: it stays"},
      {{"--with", "@ssd.yaml", "-o", "json", "--all-pods"}, "--all-pods is of the table: json has all pods"},
  };
  for (const auto& [words, error] : rows) files.check_error(words, error);
}

TEST_CASE("compare: the sample cluster under classic rules and today's, the same each time") {
  const CommandFiles files = compared_files();
  const std::vector<std::string> words = {"compare",
                                          "--cluster",
                                          std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json",
                                          "--with",
                                          files.path("today.yaml"),
                                          "--pods",
                                          std::string(WINNOW_ROOT) + "/manifests/sample-deployment.yaml",
                                          "--pending",
                                          "--seed",
                                          "7"};
  const Outcome once = classic_winnow(words), again = classic_winnow(words);
  CHECK(once.out == again.out);
  CHECK(once.code == kAnswerIsNo);
  CHECK(once.out.contains("Why they differ:"));
}

}  // namespace winnow::test
