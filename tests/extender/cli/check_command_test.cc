// winnow check, as a person or a pipeline sees it: lines, and an exit code.
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

#include "cluster/text/json_document.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/service/live_config_switch.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

struct Checked {
  int code = -1;
  std::string printed;
};

Checked check(const CheckFlags& flags, const CommonFlags& common) {
  std::ostringstream text;
  std::streambuf* const out = std::cout.rdbuf(text.rdbuf());
  std::streambuf* const err = std::cerr.rdbuf(text.rdbuf());
  const int code = check_files(common, flags);
  std::cout.rdbuf(out);
  std::cerr.rdbuf(err);
  return {code, text.str()};
}

Checked check(const CheckFlags& flags, const std::string& gates = "",
              const std::vector<std::string>& cluster = {}) {
  CommonFlags common;
  common.feature_gates = gates;
  common.cluster = cluster;
  return check(flags, common);
}

/// A file of the first ConfigMap that has it.
std::string in_config_map(const std::string& manifest, const char* file) {
  DocumentReader reader(manifest);
  for (rapidjson::Document object; reader.next(object).value();)
    if (object.HasMember("data") && object["data"].HasMember(file)) return object["data"][file].GetString();
  FAIL("no ConfigMap has " << file);
  return {};
}

const std::string kManifests = std::string(WINNOW_ROOT) + "/manifests/";

TEST_SUITE("check") {
  TEST_CASE("a cluster that does not answer is an error where a flag names it, and else a warning") {
    const live::test::TempFolder folder;
    const std::string file =
        folder.write("config",
                     "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
                     "contexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n");
    const CheckFlags flags = {.files = {kManifests + "policy.yaml"}};
    CommonFlags by_flag, by_variable;
    by_flag.client.kubeconfig = file;
    by_variable.client.files = {file};
    CHECK(check(flags, by_flag).code == kBadInput);
    const Checked done = check(flags, by_variable);
    CHECK(done.code == kDone);
    CHECK(done.printed.contains("policy.yaml: ok: "));
  }

  TEST_CASE("good files: a line each, and 0") {
    const live::test::TempFolder folder;
    const std::string both = folder.write("both.yaml", R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- {schedulerName: a, plugins: {multiPoint: {disabled: [{name: DynamicResources}]}}}
- {schedulerName: b, plugins: {multiPoint: {disabled: [{name: DynamicResources}]}, filter: {disabled: [{name: NodeName}]}}}
)");
    const Checked done = check({.files = {kManifests + "policy.yaml", both}});
    CHECK(done.code == kDone);
    CHECK(done.printed.contains(kManifests + "policy.yaml: note: predicates[4]: NotRetiring runs here"));
    CHECK(done.printed.contains(kManifests + "policy.yaml: ok: Policy, 5 predicates, 8 priorities\n"));
    CHECK(done.printed.ends_with(
        both +
        ": ok: KubeSchedulerConfiguration, profile a with 13 filter and 8 score plugins, "
        "profile b with 12 filter and 8 score plugins\n"));
  }

  TEST_CASE("bad files: what is wrong, where, and 2; the good ones are told all the same") {
    const live::test::TempFolder folder;
    const std::string unknown = folder.write("unknown.yaml", "kind: Policy\npredicates: [{name: NoSuch}]\n");
    const std::string broken = folder.write("broken.yaml", "kind: [\n");
    const std::string good = folder.write("good.json", kReadsFew);
    const Checked done = check({.files = {unknown, broken, "/nowhere/rules.yaml", good}});
    CHECK(done.code == kBadInput);
    CHECK(done.printed.contains(unknown + ": error: predicates[0].name: unknown predicate \"NoSuch\""));
    CHECK(done.printed.contains(broken + ": error: line 2, column 1: "));
    CHECK(done.printed.contains("/nowhere/rules.yaml: error: No such file or directory\n"));
    CHECK(done.printed.contains(good + ": ok: Policy, 3 predicates, 1 priorities\n"));
  }

  TEST_CASE("warnings alone are 0") {
    const live::test::TempFolder folder;
    const std::string file = folder.write("f.yaml", R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {score: {enabled: [{name: SelectorSpread}]}}}]
)");
    const Checked done = check({.files = {file}});
    CHECK(done.code == kDone);
    CHECK(done.printed.contains(": warning: profiles: kube-scheduler 1.37 no longer has SelectorSpread"));
    CHECK(done.printed.contains(": ok: "));
  }

  TEST_CASE("rules for best: what they lack is an error, unless it is allowed") {
    CheckFlags flags{.files = {kManifests + "policy.yaml"}};
    flags.start.answer = AnswerMode::kBest;
    const Checked refused = check(flags);
    CHECK(refused.code == kBadInput);
    CHECK(refused.printed.contains("policy.yaml: error: no rule for ReadWriteOncePod claims"));
    CHECK_FALSE(refused.printed.contains(": ok: "));
    flags.start.allow_missing_rules = true;
    const Checked allowed = check(flags);
    CHECK(allowed.code == kDone);
    CHECK(allowed.printed.contains("policy.yaml: warning: no rule for ReadWriteOncePod claims"));
    CHECK(allowed.printed.contains("policy.yaml: ok: "));
    flags = {.files = {kManifests + "scheduler-config.yaml"}};
    flags.start.answer = AnswerMode::kBest;
    CHECK(check(flags).code == kDone);
  }

  TEST_CASE("every shipped file of kube-scheduler's goes with the flags that its comment names") {
    struct Row {
      const char* file;
      StartFlags flags;
      const char* asks;
      std::string url = "http://127.0.0.1:10290";
      bool warns = false;
    };
    const Row rows[] = {
        {"kube-scheduler-scores.yaml", {.answer = AnswerMode::kOne}, "prioritize"},
        {"kube-scheduler-scores-tls.yaml",
         {.answer = AnswerMode::kOne, .tls_cert_file = "tls.crt", .client_ca_file = "ca.crt"},
         "prioritize",
         "https://winnow.kube-system.svc:10290"},
        {"kube-scheduler-everything.yaml", {.answer = AnswerMode::kOne}, "filter, prioritize, preempt"},
        {"kube-scheduler-best.yaml",
         {.answer = AnswerMode::kBest, .bind_address = "127.0.0.1"},
         "filter, prioritize, preempt"},
        {.file = "kube-scheduler-best-1.38.yaml",
         .flags = {.answer = AnswerMode::kBest, .bind_address = "127.0.0.1"},
         .asks = "filter, prioritize, preempt",
         .warns = true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.file);
      const Checked done = check({.files = {kManifests + "scheduler-config.yaml"},
                                  .scheduler_config = kManifests + row.file,
                                  .start = row.flags});
      CHECK(done.code == kDone);
      CHECK(done.printed.ends_with(kManifests + row.file + ": ok: KubeSchedulerConfiguration, asks " +
                                   row.url + " to " + row.asks + "\n"));
      CHECK(done.printed.contains(row.file + std::string(": warning")) == row.warns);
    }
  }

  TEST_CASE("what second-scheduler.yaml has of both goes together with its container's arguments") {
    const live::test::TempFolder folder;
    const std::string manifest = read_file(kManifests + "second-scheduler.yaml");
    CHECK(
        manifest.contains("args: [serve, --config=/etc/winnow/rules.yaml, --answer=best, "
                          "\"--scheduler-filters=NodeResourcesFit,NodePorts\", --bind-address=127.0.0.1"));
    const Checked done = check(
        {.files = {folder.write("rules.yaml", in_config_map(manifest, "rules.yaml"))},
         .scheduler_config = folder.write("scheduler.yaml", in_config_map(manifest, "kube-scheduler.yaml")),
         .start = {.answer = AnswerMode::kBest, .bind_address = "127.0.0.1"}});
    CHECK(done.code == kDone);
    CHECK(done.printed.contains("scheduler.yaml: ok: "));
  }

  TEST_CASE("kube-scheduler's file alone is held against today's rules") {
    const Checked done = check({.scheduler_config = kManifests + "kube-scheduler-everything.yaml",
                                .start = {.answer = AnswerMode::kOne}});
    CHECK(done.code == kDone);
    CHECK(done.printed.contains(": ok: "));
  }

  TEST_CASE("a warning is as bad as an error where one asks for that") {
    const live::test::TempFolder folder;
    const std::string file = folder.write(
        "p.json",
        R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}],"ExtenderConfigs":[]})");
    const Checked lenient = check({.files = {file}});
    CHECK(lenient.code == kDone);
    CHECK(lenient.printed.contains(": warning: ExtenderConfigs: not a field of a Policy, ignored"));
    CHECK(check({.files = {file}, .strict = true}).code == kBadInput);
  }

  TEST_CASE("a file of something else is an error, and says what to give") {
    const live::test::TempFolder folder;
    const auto says = [&](const char* text) {
      const Checked done = check({.files = {folder.write("f.yaml", text)}});
      CHECK(done.code == kBadInput);
      return done.printed;
    };
    CHECK(says("kube-scheduler-arg:\n- config=/etc/sched.yaml\n").contains("no field of a Policy"));
    CHECK(says("apiVersion: v1\nkind: Pod\n").contains("the file that the container's --config names"));
    CHECK(says("{{- if .Values.on }}\nkind: Policy\n{{- end }}\n").contains("render it first"));
  }

  TEST_CASE("a ConfigMap with one file of rules is read as that file") {
    const live::test::TempFolder folder;
    const Checked done =
        check({.files = {folder.write(
                   "map.yaml",
                   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  policy.cfg: |\n"
                   "    {\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": [{\"name\": "
                   "\"HostName\"}]}\n")}});
    CHECK(done.code == kDone);
    CHECK(done.printed.contains("note: the file is a ConfigMap, its policy.cfg is read"));
  }

  TEST_CASE("of a ConfigMap's files the one with rules is read, and AKS's file has it as a string") {
    const live::test::TempFolder folder;
    const std::string config =
        "    apiVersion: kubescheduler.config.k8s.io/v1\n    kind: KubeSchedulerConfiguration\n";
    const std::string map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n";
    const std::string aks =
        "apiVersion: aks.azure.com/v1alpha1\nkind: SchedulerConfiguration\nmetadata: {name: upstream}\n";
    struct Row {
      const char* sentence;
      std::string text;
      const char* says;
      bool is_good;
    };
    const Row rows[] = {
        {"by its kind", map + "  a.txt: hello\n  b.txt: |\n" + config, "its b.txt is read", true},
        {"by its name, of two with rules", map + "  config.yaml: |\n" + config + "  old.yaml: |\n" + config,
         "its config.yaml is read", true},
        {"none", map + "  a.txt: hello\n  b.txt: hello\n", "a ConfigMap with several files (a.txt, b.txt)",
         false},
        {"of AKS", aks + "spec:\n  rawConfig: |\n" + config, "its spec.rawConfig is read", true},
        {"of AKS, empty", aks + "spec: {}\n", "a SchedulerConfiguration without spec.rawConfig", false},
        {"of AKS, with an error", aks + "spec: {rawConfig: 'kind: KubeSchedulerConfiguration'}\n",
         "spec.rawConfig: apiVersion", false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const std::string file = folder.write("f.yaml", row.text);
      const Checked rules = check({.files = {file}}), scheduler = check({.scheduler_config = file});
      CHECK_MESSAGE(rules.printed.contains(row.says), rules.printed);
      CHECK((rules.code == kDone) == row.is_good);
      if (row.is_good) CHECK_MESSAGE(scheduler.printed.contains(row.says), scheduler.printed);
    }
  }

  TEST_CASE("with kube-scheduler's file, what it keeps on is not asked of the rules; and all is said once") {
    CheckFlags flags{.files = {kManifests + "policy.yaml", kManifests + "policy.yaml"},
                     .scheduler_config = kManifests + "kube-scheduler-everything.yaml"};
    flags.start = {.answer = AnswerMode::kBest, .enable_bind = true};
    const Checked done = check(flags);
    CHECK(done.code == kBadInput);
    CHECK(done.printed.contains("VolumeZone is disabled, and Winnow has no rule"));
    CHECK_FALSE(done.printed.contains("InterPodAffinity"));
    const std::size_t first = done.printed.find("VolumeZone");
    CHECK(done.printed.find("VolumeZone is disabled", first + 1) == std::string::npos);
  }

  TEST_CASE("kube-scheduler's file that is none") {
    const live::test::TempFolder folder;
    const Checked done =
        check({.scheduler_config = folder.write("s.yaml", "kind: Policy\napiVersion: v1\n")});
    CHECK(done.code == kBadInput);
    CHECK(done.printed.contains("s.yaml: error: a Policy, which Winnow takes for its rules"));
  }

  TEST_CASE("a cluster alone: a line for each thing that cannot work, or one that nothing was found") {
    const live::test::TempFolder folder;
    const std::string node =
        "# YAML\n{apiVersion: v1, kind: Node, metadata: {name: a, labels: {pool: general}}}\n";
    const auto pod = [](const std::string& name, const std::string& pool) {
      return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
             ", namespace: shop}, spec: {nodeName: a, nodeSelector: {pool: " + pool +
             "}, containers: [{name: c, image: i}]}}\n";
    };
    const std::string clean = folder.write("clean.yaml", node + pod("web", "general"));
    const Checked good = check({.strict = true}, "", {clean});
    CHECK(good.code == kDone);
    CHECK(good.printed.ends_with("cluster: ok: 1 nodes, 1 pods, nothing found that cannot work as meant\n"));

    const std::string typo = folder.write("typo.yaml", node + pod("web", "genral"));
    const std::string line =
        "Pod shop/web: spec.nodeSelector: no node has pool=genral (did you mean \"general\"?)\n";
    const Checked warned = check({}, "", {typo});
    CHECK(warned.code == kDone);
    CHECK(warned.printed.ends_with(typo + ": warning: " + line));
    const Checked strict = check({.strict = true}, "", {clean, typo});
    CHECK(strict.code == kBadInput);
    CHECK(strict.printed.ends_with("cluster: warning: " + line));

    std::string many = node;
    for (int i = 0; i < 205; ++i) many += pod("web-" + std::to_string(i), "genral");
    CHECK(check({}, "", {folder.write("many.yaml", many)}).printed.ends_with("?)\n… and 5 more\n"));
  }

  TEST_CASE("a file that is no whole cluster is not looked through, and none is beside files of rules") {
    const live::test::TempFolder folder;
    const std::string node = "# YAML\n{apiVersion: v1, kind: Node, metadata: {name: a}}\n";
    const std::string pod =
        "# YAML\n{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {nodeSelector: "
        "{pool: "
        "genral}, containers: [{name: c, image: i}]}}\n";
    const std::string nodes = folder.write("nodes.yaml", node), pods = folder.write("pods.yaml", pod);
    CHECK(check({}, "", {nodes}).code == kBadInput);
    CHECK(check({}, "", {nodes}).printed.contains("winnow check: " + nodes + ": no Pod is there: expected"));
    CHECK(check({}, "", {pods}).printed.contains("winnow check: " + pods + ": no Node is there: expected"));
    const Checked beside = check({.files = {kManifests + "policy.yaml"}}, "", {nodes, pods});
    CHECK(beside.code == kBadInput);
    CHECK(beside.printed.contains("no PriorityClass is there"));
    CHECK_FALSE(beside.printed.contains("genral"));
  }

  TEST_CASE("nothing to check, and gates that are none") {
    CHECK(check({}).code == kBadInput);
    CHECK(check({}).printed.starts_with("winnow check: nothing to check"));
    const Checked done = check({.files = {kManifests + "policy.yaml"}}, "Nope=true");
    CHECK(done.code == kBadInput);
    CHECK(done.printed.starts_with("winnow check: --feature-gates: "));
  }
}

}  // namespace
}  // namespace winnow::test
