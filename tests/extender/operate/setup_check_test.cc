// What does not go together with kube-scheduler's file: the shipped files go with their flags, and each
// change to one of them is found.
#include "extender/operate/setup_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "extender/config/rules.h"
#include "extender/config/scheduler_setup.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

constexpr StartFlags kScores{.answer = AnswerMode::kOne};
constexpr StartFlags kEverything{.answer = AnswerMode::kOne};
const StartFlags kBest{.answer = AnswerMode::kBest, .bind_address = "127.0.0.1"};
const StartFlags kBestBinds{.answer = AnswerMode::kBest, .enable_bind = true, .bind_address = "127.0.0.1"};

std::string manifest(const std::string& name) {
  return read_file(std::string(WINNOW_ROOT) + "/manifests/" + name);
}

std::vector<RuleSet> today(const std::string& profile = "{schedulerName: default-scheduler}") {
  const std::string text =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [" + profile +
      "]\n";
  return load_rules("rules", text, {}).value().sets;
}

/// `error WHERE: WHAT` or `warning WHERE: WHAT` of each.
std::vector<std::string> found(const std::string& file, const std::vector<RuleSet>& rules,
                               const StartFlags& flags) {
  const auto setup = read_scheduler_setup(file);
  REQUIRE_MESSAGE(setup, setup.error());
  std::vector<std::string> lines;
  for (const Finding& one : check_setup(*setup, rules, flags)) {
    CHECK_MESSAGE(!one.mend.empty(), one.what);
    lines.push_back((one.is_error ? "error " : "warning ") + one.where + ": " + one.what);
  }
  return lines;
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

using Lines = std::vector<std::string>;

TEST_SUITE("setup check") {
  TEST_CASE("the shipped files go with the flags that they name, and rules of today") {
    CHECK(found(manifest("kube-scheduler-scores.yaml"), today(), kScores) == Lines());
    CHECK(found(manifest("kube-scheduler-everything.yaml"), today(), kEverything) == Lines());
    CHECK(found(manifest("kube-scheduler-best.yaml"), today(), kBest) == Lines());
  }

  TEST_CASE("the files of best go with --enable-bind once bindVerb is put in") {
    for (const char* const file : {"kube-scheduler-best.yaml", "kube-scheduler-best-no-filters.yaml"}) {
      CAPTURE(file);
      const std::string with_bind =
          changed(manifest(file), "  weight: 1\n", "  bindVerb: bind\n  weight: 1\n");
      for (const std::string& line : found(with_bind, today(), kBestBinds))
        CHECK_FALSE_MESSAGE(line.contains("extenders[0]"), line);
    }
  }

  TEST_CASE("kube-scheduler-best-1.38.yaml goes with rules of today, but not for an older kube-scheduler") {
    const std::string end =
        " is disabled: up to kube-scheduler 1.37, and later without --failed-nodes=judged, a pod that it "
        "keeps out preempts nobody";
    const std::string where = "warning profiles[0].plugins.filter: ";
    const std::string file = manifest("kube-scheduler-best-1.38.yaml");
    CHECK(found(file, today(), kBest) == Lines{where + "NodePorts" + end, where + "NodeResourcesFit" + end});
    const auto without_ports =
        today("{schedulerName: default-scheduler, plugins: {filter: {disabled: [{name: NodePorts}]}}}");
    const Lines lines = found(file, without_ports, kBest);
    REQUIRE_FALSE(lines.empty());
    CHECK(lines[0].starts_with("error profiles[0].plugins.filter: NodePorts is disabled, and Winnow has no"));
  }

  TEST_CASE("a sample of the nodes is an error where Winnow does not mend it") {
    const std::string begins = "error percentageOfNodesToScore: ";
    struct Row {
      const char* sentence;
      const char* file;
      StartFlags flags;
      std::string percentage;  ///< "": the file's.
      std::string error;       ///< Its begin; "": none.
    };
    const char* const everything = "kube-scheduler-everything.yaml";
    const Row rows[] = {
        {"best nominates what it refuses", "kube-scheduler-best.yaml", kBest, "", ""},
        {"so does one", everything, kEverything, "", ""},
        {"unless that is off",
         everything,
         {.answer = AnswerMode::kOne, .nominate_refused = false},
         "",
         begins + "is missing"},
        {"the same with half of the nodes",
         everything,
         {.answer = AnswerMode::kOne, .nominate_refused = false},
         "50",
         begins + "50"},
        {"the same with all of them",
         everything,
         {.answer = AnswerMode::kOne, .nominate_refused = false},
         "100",
         ""},
        {"complete does not", everything, {}, "", begins + "is missing"},
        {"unless it is on", everything, {.nominate_refused = true}, "", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      std::string file = manifest(row.file);
      if (!row.percentage.empty()) file += "\npercentageOfNodesToScore: " + row.percentage + "\n";
      const Lines lines = found(file, today(), row.flags);
      const auto is_about_it = [&](const std::string& line) { return line.starts_with(begins); };
      const auto line = std::ranges::find_if(lines, is_about_it);
      CHECK((line == lines.end() ? std::string() : *line).starts_with(row.error));
      CHECK((line == lines.end()) == row.error.empty());
    }
  }

  TEST_CASE("a filter that Winnow is to rely on is one that kube-scheduler runs") {
    const auto with = [](StartFlags flags) {
      flags.scheduler_filters = {"NodeResourcesFit", "NodePorts"};
      return flags;
    };
    CHECK(found(manifest("kube-scheduler-scores.yaml"), today(), with(kScores)) == Lines());
    CHECK(found(manifest("kube-scheduler-everything.yaml"), today(), with(kEverything)) == Lines());
    CHECK(found(manifest("kube-scheduler-best.yaml"), today(), with(kBest)) == Lines());
    const Lines lines = found(manifest("kube-scheduler-best-1.38.yaml"), today(), with(kBest));
    REQUIRE_FALSE(lines.empty());
    CHECK(lines[0] ==
          "error profiles[0].plugins.filter: \"NodeResourcesFit\" is not run, and --scheduler-filters tells "
          "Winnow that it is: a node may be given to more pods than it has room for");
  }

  TEST_CASE("a Policy goes with scores, and lacks what the others leave to it") {
    const auto policy = load_rules("policy", manifest("policy.yaml"), {}).value().sets;
    CHECK(found(manifest("kube-scheduler-scores.yaml"), policy, kScores) == Lines());
    const Lines lines = found(manifest("kube-scheduler-everything.yaml"), policy, kEverything);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] ==
          "error profiles[0].plugins.filter: VolumeZone is disabled, and Winnow has no rule for zones of "
          "volumes: the predicate NoVolumeZoneConflict is not among the rules");
    CHECK(lines[1].starts_with("error profiles[0].plugins.filter: NodeDeclaredFeatures is disabled"));
    StartFlags allowed = kEverything;
    allowed.allow_missing_rules = true;
    for (const std::string& line : found(manifest("kube-scheduler-everything.yaml"), policy, allowed))
      CHECK(line.starts_with("warning "));
    CHECK(found(manifest("kube-scheduler-best.yaml"), policy, kBest).size() == 6);
  }

  TEST_CASE("a Policy that is given back what it does not know goes with best") {
    std::string file = manifest("kube-scheduler-best.yaml");
    for (const char* plugin : {"VolumeRestrictions", "NodeVolumeLimits", "VolumeZone", "PodTopologySpread",
                               "InterPodAffinity", "NodeDeclaredFeatures"})
      for (int list = 0; list < 2; ++list)
        file = changed(file, std::string("      - {name: ") + plugin + "}\n", "");
    CHECK(found(file, load_rules("policy", manifest("policy.yaml"), {}).value().sets, kBest) == Lines());
  }

  TEST_CASE("TLS, and binding beyond loopback for clients with certificates") {
    StartFlags flags = kBest;
    flags.tls_cert_file = "tls.crt";
    flags.client_ca_file = "ca.crt";
    flags.bind_address = "0.0.0.0";
    const std::string without =
        changed(manifest("kube-scheduler-best.yaml"), "http://127.0.0.1", "https://10.0.0.7");
    const auto with = [&](const std::string& fields) {
      return changed(without, "  filterVerb", "  tlsConfig: {" + fields + "}\n  filterVerb");
    };
    CHECK(found(with("caFile: ca.crt, certFile: c.crt, keyFile: c.key"), today(), flags) == Lines());
    CHECK(found(with("caData: Y2E=, certData: Yw==, keyData: aw=="), today(), flags) == Lines());
    const Lines lines = found(without, today(), flags);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] ==
          "warning extenders[0].tlsConfig: has no caFile: kube-scheduler takes any certificate for Winnow's");
    CHECK(lines[1].starts_with("error extenders[0].tlsConfig: has no certFile: Winnow, by --client-ca-file"));
    flags = kScores;
    flags.tls_cert_file = "tls.crt";
    const std::string scores = changed(manifest("kube-scheduler-scores.yaml"), "http:", "https:");
    CHECK(found(scores, today(), flags).size() == 1);
    CHECK(found(manifest("kube-scheduler-scores-tls.yaml"), today(), flags) == Lines());
  }

  TEST_CASE("a path prefix may stand in urlPrefix, or in the verbs") {
    StartFlags flags = kScores;
    flags.path_prefix = "/scheduler";
    const std::string scores = manifest("kube-scheduler-scores.yaml");
    CHECK(found(changed(scores, ":10290", ":10290/scheduler"), today(), flags) == Lines());
    CHECK(found(changed(scores, "Verb: prioritize ", "Verb: scheduler/prioritize "), today(), flags) ==
          Lines());
    CHECK(found(changed(scores, "Verb: prioritize ", "Verb: scheduler/priorities "), today(), flags) ==
          Lines());
    CHECK(found(changed(scores, "Verb: prioritize ", "Verb: scheduler/ "), today(), flags).size() == 1);
  }

  TEST_CASE("what is wrong with the extender that Winnow is") {
    struct Row {
      const char* sentence;
      const char* file;
      const char* from;
      const char* to;
      StartFlags flags;
      const char* begins;
    };
    const char* const best = "kube-scheduler-best.yaml";
    const char* const everything = "kube-scheduler-everything.yaml";
    const char* const scores = "kube-scheduler-scores.yaml";
    const char* const both = "scheduler-config.yaml";
    StartFlags binding = kEverything;
    binding.enable_bind = true;
    StartFlags port = kScores;
    port.port = 10291;
    StartFlags tls = kScores;
    tls.tls_cert_file = "tls.crt";
    StartFlags behind = kScores;
    behind.path_prefix = "/scheduler";
    const Row rows[] = {
        {"no path, where Winnow has a prefix", scores, "weight", "weight", behind,
         "error extenders[0].prioritizeVerb: Winnow has no path /prioritize: expected prioritizeVerb: "
         "prioritize, and a urlPrefix that ends in /scheduler"},
        {"a verb that is none, behind the prefix", scores,
         ":10290 # Winnow's default address.\n  prioritizeVerb: prioritize",
         ":10290/scheduler\n  prioritizeVerb: rank", behind,
         "error extenders[0].prioritizeVerb: Winnow has no path /scheduler/rank: expected prioritizeVerb: "
         "prioritize"},
        {"http where Winnow speaks TLS", scores, "weight", "weight", tls,
         "error extenders[0].urlPrefix: Winnow speaks TLS, by --tls-cert-file: expected https://"},
        {"no URL", scores, "urlPrefix: http://127.0.0.1:10290", "urlPrefix: winnow", kScores,
         "error extenders[0].urlPrefix: \"winnow\" is not a server's URL"},
        {"https", scores, "http://127", "https://127", kScores,
         "error extenders[0].urlPrefix: Winnow speaks plain http"},
        {"another port", scores, ":10290", ":10299", kScores,
         "error extenders[0].urlPrefix: port 10299: Winnow listens on 10290"},
        {"another port of Winnow's", scores, "weight", "weight", port,
         "error extenders[0].urlPrefix: port 10290: Winnow listens on 10291"},
        {"beyond loopback, where Winnow is not", best, "127.0.0.1:10290", "10.0.0.7:10290", kBest,
         "error extenders[0].urlPrefix: 10.0.0.7: Winnow listens on loopback alone"},
        {"a path in front", scores, ":10290", ":10290/scheduler", kScores,
         "error extenders[0].prioritizeVerb: Winnow has no path /scheduler/prioritize: expected "
         "prioritizeVerb: "
         "prioritize, and a urlPrefix without a path"},
        {"a verb that Winnow has not", everything, "filterVerb: filter", "filterVerb: filters", kEverything,
         "error extenders[0].filterVerb: Winnow has no path /filters: expected filterVerb: filter"},
        {"best without filter", best, "  filterVerb: filter\n", "", kBest,
         "error extenders[0].filterVerb: is missing: with --answer=best"},
        {"one without prioritize", everything, "  prioritizeVerb: prioritize\n", "", kEverything,
         "error extenders[0].prioritizeVerb: is missing: with --answer=one"},
        {"nothing is asked", scores, "  prioritizeVerb: prioritize ", "  bindVerb: bind ", binding,
         "error extenders[0].filterVerb: is missing, and so is prioritizeVerb"},
        {"preemption goes on by few filters", everything, "  preemptVerb: preempt\n", "", kEverything,
         "error extenders[0].preemptVerb: is missing"},
        {"preemption by all filters, and Winnow's not", both, "# Send", "# Send", kEverything,
         "warning extenders[0].preemptVerb: is missing"},
        {"preemption that is not Winnow's", scores, "  weight: 16", "  weight: 16\n  preemptVerb: preempt",
         kScores, "warning extenders[0].preemptVerb: Winnow does not filter"},
        {"bind, and binding is off", best, "  weight: 1\n", "  bindVerb: bind\n  weight: 1\n", kBest,
         "error extenders[0].bindVerb: every bind fails"},
        {"binding on, and no bind", everything, "weight", "weight", binding,
         "warning extenders[0].bindVerb: is missing"},
        {"binding on, and no bind, with best", best, "weight", "weight", kBestBinds,
         "warning extenders[0].bindVerb: is missing: kube-scheduler binds by itself"},
        {"hardly any time to bind", best, "httpTimeout: 5s", "bindVerb: bind\n  httpTimeout: 1s", kBestBinds,
         "warning extenders[0].httpTimeout: bind waits for the API server: expected 5s"},
        {"hardly any time", scores, "httpTimeout: 1s", "httpTimeout: 100ms", kScores,
         "warning extenders[0].httpTimeout: a call that is late has failed: expected 1s or more"},
        {"whole nodes", everything, "  nodeCacheCapable: true\n", "", kEverything,
         "error extenders[0].nodeCacheCapable: is not true"},
        {"whole nodes, for complete",
         both,
         "  nodeCacheCapable: true\n",
         "",
         {},
         "warning extenders[0].nodeCacheCapable: is not true"},
        {"ignorable, and hardly any rule without it", everything, "ignorable: false", "ignorable: true",
         kEverything,
         "error extenders[0].ignorable: while Winnow is down, pods are placed and hardly a rule"},
        {"ignorable, and kube-scheduler's rules without it",
         both,
         "ignorable: false",
         "ignorable: true",
         {},
         "warning extenders[0].ignorable: while Winnow is down, rules that only Winnow has"},
        {"some pods only", best, "  weight: 1\n",
         "  weight: 1\n  managedResources: [{name: example.com/x}]\n", kBest,
         "error extenders[0].managedResources: only pods that ask for example.com/x are sent to Winnow, and "
         "nobody"},
        {"a weight that is outvoted", scores, "weight: 16", "weight: 15", kScores,
         "warning extenders[0].weight: 15: kube-scheduler's own scorers may outvote"},
        {"an extender behind best", best, "profiles:\n",
         "- {urlPrefix: 'http://h:1', filterVerb: f, prioritizeVerb: p, weight: 1}\nprofiles:\n", kBest,
         "error extenders[1].filterVerb: this extender comes behind Winnow"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const Lines lines = found(changed(manifest(row.file), row.from, row.to), today(), row.flags);
      CHECK_MESSAGE(
          std::ranges::any_of(lines, [&](const auto& line) { return line.starts_with(row.begins); }),
          (lines.empty() ? std::string("nothing was found") : lines.front()));
    }
  }

  TEST_CASE("what is wrong with what kube-scheduler still does") {
    struct Row {
      const char* sentence;
      const char* file;
      const char* from;
      const char* to;
      const char* begins;
    };
    const char* const everything = "kube-scheduler-everything.yaml";
    const Row rows[] = {
        {"a profile that the rules do not have", everything, "schedulerName: default-scheduler",
         "schedulerName: other",
         "error profiles[0].schedulerName: \"other\": Winnow's rules have no profile"},
        {"rules for a profile that is not there", everything, "schedulerName: default-scheduler",
         "schedulerName: other", "warning profiles: none has the schedulerName \"default-scheduler\""},
        {"volumes filtered and not bound", everything, "    filter:\n      disabled:\n",
         "    filter:\n      disabled:\n      - {name: VolumeBinding}\n",
         "error profiles[0].plugins.filter: VolumeBinding is disabled: pods are bound without their volumes"},
        {"devices reserved and not filtered", everything, "    preFilter:\n      disabled:\n",
         "    preFilter:\n      disabled:\n      - {name: DynamicResources}\n",
         "error profiles[0].plugins.preFilter: DynamicResources is disabled"},
        {"no devices at all", everything, "  plugins:\n",
         "  plugins:\n    multiPoint: {disabled: [{name: DynamicResources}]}\n",
         "warning profiles[0].plugins.preFilter: DynamicResources is disabled"},
        {"nothing preempts for resources", everything, "    filter:\n      disabled:\n",
         "    filter:\n      disabled:\n      - {name: NodeResourcesFit}\n",
         "warning profiles[0].plugins.filter: NodeResourcesFit is disabled: up to kube-scheduler 1.37"},
        {"no preemption", everything, "  plugins:\n",
         "  plugins:\n    postFilter: {disabled: [{name: DefaultPreemption}]}\n",
         "warning profiles[0].plugins.postFilter: DefaultPreemption is disabled"},
        {"few candidates", everything, "minCandidateNodesPercentage: 100", "minCandidateNodesPercentage: 10",
         "warning profiles[0].pluginConfig: DefaultPreemption's minCandidateNodesPercentage is 10"},
        {"gated pods", everything, "  plugins:\n",
         "  plugins:\n    preEnqueue: {disabled: [{name: SchedulingGates}]}\n",
         "error profiles[0].plugins.preEnqueue: SchedulingGates is disabled"},
        {"filters off, and Winnow does not filter", "kube-scheduler-scores.yaml",
         "- schedulerName: default-scheduler",
         "- schedulerName: default-scheduler\n  plugins: {filter: {disabled: [{name: NodeName}]}}",
         "error profiles[0].plugins.filter: NodeName is disabled, and without filterVerb nobody checks"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const bool scores = std::string_view(row.file).contains("scores");
      const Lines lines =
          found(changed(manifest(row.file), row.from, row.to), today(), scores ? kScores : kEverything);
      CHECK_MESSAGE(
          std::ranges::any_of(lines, [&](const auto& line) { return line.starts_with(row.begins); }),
          (lines.empty() ? std::string("nothing was found") : lines.front()));
    }
  }

  TEST_CASE("rules that have a plugin switched off do not cover what kube-scheduler leaves to them") {
    const auto rules =
        today("{schedulerName: default-scheduler, plugins: {filter: {disabled: [{name: VolumeZone}]}}}");
    const Lines lines = found(manifest("kube-scheduler-everything.yaml"), rules, kEverything);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with(
        "error profiles[0].plugins.filter: VolumeZone is disabled, and Winnow has no rule"));
    CHECK(found(manifest("kube-scheduler-scores.yaml"), rules, kScores) == Lines());
  }

  TEST_CASE("of several extenders Winnow is the one at its port") {
    const char* const kOther = "extenders:\n- {urlPrefix: 'http://h:8888', filterVerb: f}\n";
    const std::string file = changed(manifest("kube-scheduler-scores.yaml"), "extenders:\n", kOther);
    CHECK(found(file, today(), kScores) == Lines());
    StartFlags elsewhere = kScores;
    elsewhere.port = 1;
    CHECK(found(file, today(), elsewhere) == Lines{"error extenders: none of them has Winnow's port, 1"});
  }

  TEST_CASE("nobody is asked") {
    const std::string file = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    CHECK(found(file, today(), kScores) ==
          Lines{"error extenders: is missing: kube-scheduler does not ask Winnow"});
  }
}

}  // namespace
}  // namespace winnow::test
