// What the rules of a KubeSchedulerConfiguration hold. Whether a file is accepted, and which plugins run in
// which order, is scheduler_configs_test.cc's to check.
#include "extender/config/scheduler_config.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/rule/shared_args.h"
#include "cluster/text/characters.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/config/scheduler_setup.h"
#include "predicates/records.h"
#include "priorities/pod_affinity.h"
#include "priorities/records.h"
#include "priorities/resources.h"
#include "priorities/rules.h"

namespace winnow::scheduler_config_test {
namespace {

constexpr std::string_view kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

LoadedRules load(std::string_view body) {
  auto loaded = load_rules("f", std::string(kHead).append(body), {});
  INFO(body);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
  return std::move(*loaded);
}

LoadedRules load_args(std::string_view plugin, std::string_view args) {
  return load("profiles: [{pluginConfig: [{name: " + std::string(plugin) + ", args: " + std::string(args) +
              "}]}]\n");
}

template <class Rule>
const Rule& rule_of(const std::vector<Rule>& rules, std::string_view name) {
  const auto found = std::ranges::find(rules, name, &Rule::name);
  REQUIRE(found != rules.end());
  return *found;
}

template <class Args>
const Args& filter_args(const LoadedRules& loaded, std::string_view name) {
  return rule_of(loaded.sets.front().predicates, name).arguments.template get<Args>();
}

template <class Args>
const Args& score_args(const LoadedRules& loaded, std::string_view name) {
  return rule_of(loaded.sets.front().priorities, name).arguments.template get<Args>();
}

bool has_note(const LoadedRules& loaded, std::string_view note) {
  return std::ranges::contains(loaded.notes, note) || std::ranges::contains(loaded.warnings, note);
}

TEST_CASE("without arguments plugins have upstream's default ones") {
  const LoadedRules loaded = load("");
  const std::vector<WeighedResource> both{{"cpu", 1}, {"memory", 1}};
  const auto& fit = score_args<NodeResourcesFitArgs>(loaded, "NodeResourcesFit");
  CHECK(fit.strategy == ScoringStrategy::kLeastAllocated);
  CHECK(fit.resources == both);
  CHECK(filter_args<NodeResourcesFitArgs>(loaded, "NodeResourcesFit").ignored_resources.empty());
  CHECK(score_args<BalancedAllocationArgs>(loaded, "NodeResourcesBalancedAllocation").resources == both);
  CHECK(!filter_args<NodeAffinityArgs>(loaded, "NodeAffinity").added_affinity);
  CHECK(score_args<InterPodAffinityArgs>(loaded, "InterPodAffinity").hard_pod_affinity_weight == 1);
  const UtilizationShape falling{{0, 10}, {100, 0}};
  CHECK(score_args<VolumeBindingArgs>(loaded, "VolumeBinding").shape == falling);
  const auto& spread = score_args<PodTopologySpreadArgs>(loaded, "PodTopologySpread");
  CHECK(spread.system_defaulted);
  CHECK(spread.default_constraints.empty());
}

TEST_CASE("arguments arrive at the filter and at the score") {
  const LoadedRules fit =
      load_args("NodeResourcesFit",
                "{ignoredResources: [a.b/c], ignoredResourceGroups: [d.e], "
                "scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: cpu, "
                "weight: 3}, {name: a.b/f}], requestedToCapacityRatio: {shape: "
                "[{utilization: 0, score: 2}, {utilization: 100, score: 8}]}}}");
  const auto& args = score_args<NodeResourcesFitArgs>(fit, "NodeResourcesFit");
  CHECK(args.ignored_resources == std::vector<std::string>{"a.b/c"});
  CHECK(args.ignored_resource_groups == std::vector<std::string>{"d.e"});
  CHECK(args.strategy == ScoringStrategy::kRequestedToCapacityRatio);
  CHECK(args.resources == std::vector<WeighedResource>{{"cpu", 3}, {"a.b/f", 1}});
  CHECK(args.shape == UtilizationShape{{0, 2}, {100, 8}});
  CHECK(filter_args<NodeResourcesFitArgs>(fit, "NodeResourcesFit").resources == args.resources);

  const LoadedRules spread = load_args(
      "PodTopologySpread",
      "{defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: "
      "DoNotSchedule, minDomains: 3, matchLabelKeys: [app]}]}");
  const auto& list = filter_args<PodTopologySpreadArgs>(spread, "PodTopologySpread");
  CHECK(!list.system_defaulted);
  REQUIRE(list.default_constraints.size() == 1);
  CHECK(list.default_constraints[0].min_domains == 3);
  CHECK(list.default_constraints[0].match_label_keys == std::vector<std::string>{"app"});

  const LoadedRules affinity = load_args("InterPodAffinity", "{ignorePreferredTermsOfExistingPods: true}");
  CHECK(
      score_args<InterPodAffinityArgs>(affinity, "InterPodAffinity").ignore_preferred_terms_of_existing_pods);
  const LoadedRules shape = load_args("VolumeBinding", "{shape: [{utilization: 5, score: 7}]}");
  CHECK(score_args<VolumeBindingArgs>(shape, "VolumeBinding").shape == UtilizationShape{{5, 7}});
  const LoadedRules added =
      load_args("NodeAffinity",
                "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                "[{matchExpressions: [{key: pool, operator: In, values: [a]}]}]}}}");
  const auto& node_affinity = filter_args<NodeAffinityArgs>(added, "NodeAffinity").added_affinity;
  REQUIRE((node_affinity && node_affinity->required));
  CHECK(node_affinity->required->terms.front().match_expressions.front().key == "pool");
}

TEST_CASE("resources that an extender manages alone take the place of the ignored ones") {
  const LoadedRules loaded = load(
      "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [own.org/x]}}]}]\n"
      "extenders: [{urlPrefix: 'https://user:secret@host/x', managedResources: [{name: a.b/c, "
      "ignoredByScheduler: true}, {name: a.b/d}]}]\n");
  CHECK(filter_args<NodeResourcesFitArgs>(loaded, "NodeResourcesFit").ignored_resources ==
        std::vector<std::string>{"a.b/c"});
  CHECK(has_note(loaded, R"(extenders: not used here, 1 in the file: "https://host/x")"));
  CHECK(has_note(
      loaded,
      "extenders: a.b/c is ignoredByScheduler, so NodeResourcesFit ignores it here as it does there"));
}

TEST_CASE("a plugin without the point before its own fails as upstream's, or does without") {
  const RuleSet rules = load(
                            "profiles: [{plugins: {preFilter: {disabled: [{name: '*'}]}, preScore: "
                            "{disabled: [{name: '*'}]}}}]\n")
                            .sets.front();
  for (const ConfiguredPredicate& rule : rules.predicates) {
    CAPTURE(rule.name);
    const auto* row = predicates::find_plugin(rule.name);
    CHECK(!rule.pre_filters);
    CHECK((rule.bind == predicates::fails) == !row->without_pre_filter.empty());
    if (const auto* fails = rule.arguments.get_if<FailsWith>())
      CHECK(fails->error == row->without_pre_filter);
  }
  for (const ConfiguredPriority& rule : rules.priorities) {
    CAPTURE(rule.name);
    const auto* row = priorities::find_plugin(rule.name);
    CHECK((rule.bind == priorities::fails) ==
          !(row->without_pre_score.empty() && row->without_pre_filter.empty()));
    if (const auto* fails = rule.arguments.get_if<FailsWith>()) {
      CHECK(fails->error ==
            (row->without_pre_score.empty() ? row->without_pre_filter : row->without_pre_score));
      CHECK_FALSE(fails->at_pre_score);
    }
  }
}

TEST_CASE("what each profile leaves to kube-scheduler is no warning") { CHECK(load("").warnings.empty()); }

TEST_CASE("VolumeBinding's PreScore fails without its PreFilter, and it scores nothing without its Filter") {
  const auto volume_binding = [](const char* point) {
    const std::string body =
        std::string("profiles: [{plugins: {") + point + ": {disabled: [{name: VolumeBinding}]}}}]\n";
    const RuleSet rules = load(body.c_str()).sets.front();
    return *std::ranges::find(rules.priorities, "VolumeBinding", &ConfiguredPriority::name);
  };
  CHECK(volume_binding("preFilter").arguments.get<FailsWith>().at_pre_score);
  CHECK(volume_binding("filter").bind == priorities::scores_nothing);
  CHECK(volume_binding("preScore").bind == priorities::find_plugin("VolumeBinding")->bind);
}

TEST_CASE("what start-up says of a configuration") {
  struct Row {
    const char* sentence;
    const char* body;
    const char* note;
  };
  const Row rows[] = {
      {"what decides about nodes and is not here stays",
       "profiles: [{plugins: {multiPoint: {enabled: [{name: DeferredPodScheduling}]}}}]\n",
       "profiles[0]: DeferredPodScheduling stays in kube-scheduler: leave it enabled there"},
      {"an unknown plugin may be one of the user's own",
       "profiles: [{plugins: {filter: {enabled: [{name: Fairness}]}}}]\n",
       "profiles[0].plugins.filter.enabled[0].name: \"Fairness\" is no plugin of kube-scheduler's own: the "
       "stock "
       "kube-scheduler refuses this file; in one that was built with it, it stays in kube-scheduler: leave "
       "it "
       "enabled there"},
      {"or a slip", "profiles: [{plugins: {filter: {enabled: [{name: NodePort}]}}}]\n",
       "profiles[0].plugins.filter.enabled[0].name: \"NodePort\" is no plugin of kube-scheduler's own (did "
       "you "
       "mean \"NodePorts\"?): the stock kube-scheduler refuses this file; in one that was built with it, it "
       "stays in kube-scheduler: leave it enabled there"},
      {"an old plugin", "profiles: [{plugins: {score: {enabled: [{name: SelectorSpread}]}}}]\n",
       "profiles: kube-scheduler 1.37 no longer has SelectorSpread and refuses this file; Winnow runs it; "
       "SelectorSpread was removed in v1, PodTopologySpread with defaultingType System does its work"},
      {"a name of a Policy", "profiles: [{plugins: {filter: {enabled: [{name: NoVolumeNodeConflict}]}}}]\n",
       "profiles[0].plugins.filter.enabled[0].name: \"NoVolumeNodeConflict\" is no plugin of "
       "kube-scheduler's own (a "
       "Policy's name: VolumeBinding does its work): the stock kube-scheduler refuses this file; in one that "
       "was "
       "built with it, it stays in kube-scheduler: leave it enabled there"},
      {"an old plugin that is disabled",
       "profiles: [{plugins: {score: {disabled: [{name: NodeResourcesLeastAllocated}]}}}]\n",
       "profiles[0].plugins.score.disabled[0].name: this disables nothing: NodeResourcesLeastAllocated was "
       "removed in "
       "v1beta2, NodeResourcesFit with scoringStrategy.type LeastAllocated does its work"},
      {"arguments of a plugin that runs nowhere",
       "profiles: [{plugins: {multiPoint: {disabled: [{name: InterPodAffinity}]}}, pluginConfig: [{name: "
       "InterPodAffinity}]}]\n",
       "profiles[0].pluginConfig[0].name: no plugin \"InterPodAffinity\" is enabled, its args are not used"},
      {"a plugin of the file's own multiPoint may be disabled at a point",
       "profiles: [{plugins: {multiPoint: {enabled: [{name: Own}]}, score: {disabled: [{name: Own}]}}}]\n",
       "profiles[0].plugins.multiPoint.enabled[0].name: \"Own\" is no plugin of kube-scheduler's own: the "
       "stock "
       "kube-scheduler refuses this file; in one that was built with it, it stays in kube-scheduler: leave "
       "it enabled "
       "there"},
      {"what is disabled under a wrong name is not",
       "profiles: [{plugins: {filter: {disabled: [{name: nodeports}]}}}]\n",
       "profiles[0].plugins.filter.disabled[0].name: \"nodeports\" is no plugin of kube-scheduler's own, "
       "this "
       "disables nothing (did you mean \"NodePorts\"?)"},
      {"arguments of nobody", "profiles: [{pluginConfig: [{name: NodeAfinity}]}]\n",
       "profiles[0].pluginConfig[0].name: no plugin \"NodeAfinity\" is enabled, its args are not used (did "
       "you "
       "mean \"NodeAffinity\"?)"},
      {"documents behind the first", "---\nkind: Policy\n",
       "only the first of the file's YAML documents is read, as kube-scheduler does"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(has_note(load(row.body), row.note));
  }
  CHECK_FALSE(has_note(
      load("profiles: [{plugins: {multiPoint: {enabled: [{name: Own}]}, score: {disabled: [{name: "
           "Own}]}}}]\n"),
      "profiles[0].plugins.score.disabled[0].name: \"Own\" is no plugin of kube-scheduler's own, this "
      "disables nothing"));
}

TEST_CASE("a file that is refused says where, and what to do") {
  struct Row {
    const char* sentence;
    const char* text;
    const char* says;
  };
  const Row rows[] = {
      {"a version that never was",
       "apiVersion: kubescheduler.config.k8s.io/v1alpha3\nkind: KubeSchedulerConfiguration\n",
       "f: apiVersion: \"kubescheduler.config.k8s.io/v1alpha3\" is not kubescheduler.config.k8s.io/v1"},
      {"a Policy that is not in a file",
       "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n"
       "algorithmSource: {policy: {configMap: {name: a}}}\n",
       "f: algorithmSource.policy.configMap: a ConfigMap is not read: save its policy.cfg as a file, and "
       "name "
       "it as algorithmSource.policy.file.path"},
      {"a Policy that is in no file",
       "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n"
       "algorithmSource: {policy: {file: {path: /no/such/policy.json}}}\n",
       "f: algorithmSource.policy.file.path: \"/no/such/policy.json\" is no file, or larger than 16 MiB"},
      {"a plugin that came after the file's version",
       "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n"
       "plugins: {postFilter: {enabled: [{name: SelectorSpread}]}}\n",
       "f: plugins.postFilter.enabled[0].name: Invalid value: \"SelectorSpread\": kube-scheduler 1.18 had no "
       "such plugin"},
      {"a field of older versions",
       "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nhealthzBindAddress: "
       "x\n",
       "f: healthzBindAddress: unknown field (remove it, the flags --bind-address and --secure-port say "
       "that)"},
      {"a key that is merged in and given",
       "apiVersion: kubescheduler.config.k8s.io/v1\n"
       "kind: KubeSchedulerConfiguration\nprofiles:\n- &a {schedulerName: a}\n- {<<: *a, schedulerName: b}\n",
       "f: line 5, column 3: not YAML: the key \"schedulerName\" is there, and merged in"},
      {"profiles without a kind", "profiles: []\n",
       "f: kind: is missing, expected KubeSchedulerConfiguration"},
      {"no version", "kind: KubeSchedulerConfiguration\n",
       "f: apiVersion: is missing, expected kubescheduler.config.k8s.io/v1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto loaded = load_rules("f", row.text, {});
    REQUIRE(!loaded.has_value());
    CHECK(loaded.error() == row.says);
  }
}

TEST_CASE("a v1alpha1 file is read leniently, and says so") {
  const std::string head =
      "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n";
  const auto loaded = load_rules("f",
                                 head +
                                     "plugins: {postFilter: {disabled: [{name: TaintToleration, wait: 1}]}}\n"
                                     "parallelism: 3\nschedulerName: first\nschedulerName: last\n"
                                     "leaderElection: {lockObjectName: a}\n",
                                 {});
  REQUIRE(loaded.has_value());
  CHECK(loaded->sets.front().scheduler_name == "last");
  CHECK(loaded->notes ==
        std::vector<std::string>{
            "apiVersion: v1alpha1 is read as kube-scheduler 1.18 read it; a v1 file needs: apiVersion "
            "kubescheduler.config.k8s.io/v1; lockObjectName: now resourceName; plugins: now a field of "
            "profiles[0]; schedulerName: now a field of profiles[0]; postFilter: now preScore"});
  const std::string says =
      ": is not used, as in kube-scheduler 1.18: it has no such field, or it is there twice";
  std::vector<std::string> lenient;
  for (const std::string& warning : loaded->warnings)
    if (warning.ends_with(says)) lenient.push_back(warning.substr(0, warning.size() - says.size()));
  CHECK(lenient ==
        std::vector<std::string>{"plugins.postFilter.disabled[0].wait", "parallelism", "schedulerName"});
}

TEST_CASE("no rule of a default older file is one that fails for every pod") {
  for (const std::string version : {"v1beta3", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1"}) {
    CAPTURE(version);
    const auto loaded = load_rules(
        "f", "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n",
        {});
    REQUIRE(loaded.has_value());
    CHECK(loaded->warnings.empty());
    for (const ConfiguredPredicate& predicate : loaded->sets.front().predicates) {
      CAPTURE(predicate.name);
      CHECK(!predicate.arguments.holds<FailsWith>());
      const bool needs_it = predicate.name == "VolumeRestrictions" || predicate.name == "VolumeBinding";
      CHECK((predicate.pre_filters || !needs_it));
    }
    for (const ConfiguredPriority& priority : loaded->sets.front().priorities)
      CHECK(!priority.arguments.holds<FailsWith>());
  }
}

TEST_CASE("a Policy beside a v1alpha1 file has the rules") {
  const std::string folder = std::string(WINNOW_ROOT) + "/tests/extender/config/v1alpha1_configs/policies/";
  const auto loaded = load_rules("f",
                                 "apiVersion: kubescheduler.config.k8s.io/v1alpha1\n"
                                 "kind: KubeSchedulerConfiguration\n"
                                 "algorithmSource: {policy: {file: {path: " +
                                     folder + "two_rules.json}}}\n",
                                 {});
  REQUIRE(loaded.has_value());
  REQUIRE(loaded->sets.size() == 1);
  CHECK(loaded->sets[0].generation == Generation::kClassic);
  REQUIRE(loaded->sets[0].priorities.size() == 1);
  CHECK(loaded->sets[0].priorities[0].name == "LeastRequestedPriority");
  CHECK(loaded->sets[0].priorities[0].weight == 3);
}

TEST_CASE("a file of an older version says what a newer one needs, and where its plugins were lost") {
  const auto load_version = [](const std::string& version, const std::string& body) {
    return load_rules(
        "f",
        "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n" + body,
        {});
  };
  const auto first = load_version("v1beta1",
                                  "metricsBindAddress: x\nprofiles: [{plugins: {filter: {enabled: "
                                  "[{name: CinderLimits}]}}}]\n");
  REQUIRE(first.has_value());
  CHECK(first->notes ==
        std::vector<std::string>{
            "apiVersion: v1beta1 is read as kube-scheduler 1.22 read it; a v1 file needs: apiVersion "
            "kubescheduler.config.k8s.io/v1; CinderLimits was removed, NodeVolumeLimits limits these volumes "
            "too; metricsBindAddress: remove it, the flags --bind-address and --secure-port say that"});
  CHECK(first->warnings.empty());
  struct Row {
    const char* sentence;
    const char* version;
    const char* body;
    const char* says;
  };
  const Row rows[] = {
      {"a plugin that v1beta2 lost", "v1beta2",
       "profiles: [{plugins: {score: {enabled: [{name: NodeAffinity}, {name: NodeLabel}]}}}]\n",
       "f: profiles[0].plugins.score.enabled[1].name: Invalid value: \"NodeLabel\": was removed in v1beta2, "
       "NodeAffinity with addedAffinity does its work"},
      {"a plugin that came after v1beta1", "v1beta1",
       "profiles: [{plugins: {filter: {enabled: [{name: SchedulingGates}]}}}]\n",
       "f: profiles[0].plugins.filter.enabled[0].name: Invalid value: \"SchedulingGates\": kube-scheduler "
       "1.22 had no such plugin"},
      {"a port of v1beta2", "v1beta2", "healthzBindAddress: 0.0.0.0:10251\n",
       "f: healthzBindAddress: Invalid value: \"0.0.0.0:10251\": must be empty or with an explicit 0 port"},
      {"arguments of an enabled plugin of v1alpha1", "v1alpha1",
       "pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: x}}]\n",
       "f: pluginConfig[0].args.hardPodAffinityWeight: \"x\" is not a 32-bit integer"},
      {"two of a kind", "v1beta1", "profiles: [{plugins: {score: {enabled: [{name: NodeResourcesFit}]}}}]\n",
       "f: profiles[0].plugins.score: NodeResourcesFit and NodeResourcesLeastAllocated may not be on "
       "together"},
      {"a field that came later", "v1beta1", "profiles: [{plugins: {multiPoint: {}}}]\n",
       "f: profiles[0].plugins.multiPoint: unknown field"},
      {"an address", "v1beta1", "healthzBindAddress: localhost:80\n",
       "f: healthzBindAddress: Invalid value: \"localhost:80\": must be a valid IP address"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto loaded = load_version(row.version, row.body);
    REQUIRE(!loaded.has_value());
    CHECK(loaded.error() == row.says);
  }
}

TEST_CASE("gates are those of the file's generation") {
  const std::string today = std::string(kHead);
  const std::string classic = "apiVersion: v1\nkind: Policy\n";
  const auto error = [](const std::string& text, const char* gates) {
    const auto loaded = load_rules("f", text, parse_gates(gates).value());
    return loaded ? std::string() : loaded.error();
  };
  CHECK(error(today, "NodeDeclaredFeatures=true,GenericWorkload=false").empty());
  CHECK(error(classic, "ExactV116=true").empty());
  CHECK(error(today, "ExactV116=false") ==
        "f: --feature-gates: ExactV116 is a gate of v1.16, and a KubeSchedulerConfiguration has v1.37's");
  CHECK(error(classic, "GenericWorkload=false") ==
        "f: --feature-gates: GenericWorkload is a gate of v1.37, and the classic rules have v1.16's");
}

}  // namespace
TEST_CASE("texts of a configuration's are told quoted and cut, in notes and errors alike") {
  const std::string head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  const std::string hostile[] = {"a\\tb", "\\e[2J", "\\x7f", "\\x9b",   "\\u202e",
                                 "\\L",   "\\P",    "\\0",   "\\ufeff", std::string(5000, 'x')};
  for (const std::string& text : hostile)
    for (const std::string& rest :
         {"extenders: [{urlPrefix: \"" + text + "\"}]", "profiles: [{schedulerName: \"" + text + "\"}]",
          "profiles: [{plugins: {score: {enabled: [{name: \"" + text + "\"}]}}}]",
          "profiles: [{schedulerName: \"" + text + "\", plugins: {filter: {disabled: [{name: \"*\"}]}}}]",
          "profiles: [{pluginConfig: [{name: \"" + text + "\", args: {}}]}]", "\"" + text + "\": 1",
          "parallelism: \"" + text + "\"", "leaderElection: {resourceLock: \"" + text + "\"}"}) {
      CAPTURE(rest);
      const auto loaded = load_rules("f", head + rest, {});
      std::vector<std::string> lines;
      if (!loaded) lines.push_back(loaded.error());
      if (loaded) lines = loaded->notes;
      if (loaded) lines.insert(lines.end(), loaded->warnings.begin(), loaded->warnings.end());
      for (const std::string& line : lines) {
        CHECK(printable(line) == line);
        CHECK(line.size() < 4000);
      }
      if (loaded)
        for (const MissingRule& missing : missing_for_best(*loaded))
          CHECK(printable(missing.text()) == missing.text());
      if (const auto setup = read_scheduler_setup(head + rest); !setup)
        CHECK(printable(setup.error()) == setup.error());
    }
  CHECK(load_rules("f", head + "extenders: [{urlPrefix: \"a\\tb\"}]", {})->notes.back() ==
        R"(extenders: not used here, 1 in the file: "a\tb")");
}

}  // namespace winnow::scheduler_config_test
