#include "cluster/expand/expand.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "cluster/admission/defaults.h"
#include "tests/cluster/expand/expanded.h"

namespace winnow::test {
namespace {

TEST_SUITE("expand") {
  TEST_CASE("each kind makes as many pods as its controller keeps") {
    struct Row {
      const char* sentence;
      std::string yaml;
      std::optional<std::uint32_t> replicas;
      std::size_t pods;
    };
    const auto deployment = [](const std::string& more) {
      return workload("apps/v1", "Deployment", kSelector + more);
    };
    const auto job = [](const std::string& more) { return workload("batch/v1", "Job", more); };
    const std::string cron = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web}\nspec:\n  suspend: ";
    const std::string cron_job =
        "\n  jobTemplate: {spec: {parallelism: 2, completions: 5, template: {spec: {containers: []}}}}\n";
    const Row rows[] = {
        {"a Pod is one", "kind: Pod\nmetadata: {name: p}\n", {}, 1},
        {"a Pod has no replicas", "kind: Pod\nmetadata: {name: p}\n", 5, 1},
        {"a Pod that has ended is none", "kind: Pod\nmetadata: {name: p}\nstatus: {phase: Failed}\n", {}, 0},
        {"replicas", deployment("  replicas: 3\n"), {}, 3},
        {"absent replicas are 1", deployment(""), {}, 1},
        {"null replicas are 1", deployment("  replicas: null\n"), {}, 1},
        {"0 replicas", deployment("  replicas: 0\n"), {}, 0},
        {"--replicas replaces", deployment("  replicas: 3\n"), 7, 7},
        {"--replicas 0", deployment("  replicas: 3\n"), 0, 0},
        {"a ReplicaSet", workload("apps/v1", "ReplicaSet", kSelector + "  replicas: 2\n"), {}, 2},
        {"a StatefulSet", workload("apps/v1", "StatefulSet", kSelector + "  replicas: 2\n"), 4, 4},
        {"a ReplicationController", workload("v1", "ReplicationController", "  replicas: 2\n"), {}, 2},
        {"a Job without numbers", job(""), {}, 1},
        {"a Job without numbers has one completion", job(""), 9, 1},
        {"parallelism", job("  parallelism: 4\n"), {}, 4},
        {"parallelism is bounded by completions", job("  parallelism: 4\n  completions: 3\n"), {}, 3},
        {"completions alone", job("  completions: 3\n"), {}, 1},
        {"--replicas is bounded by completions", job("  completions: 3\n"), 9, 3},
        {"--replicas of a work queue", job("  parallelism: 2\n"), 9, 9},
        {"a Job that is suspended", job("  parallelism: 4\n  suspend: true\n"), 9, 0},
        {"a CronJob makes the pods of one run", cron + "false" + cron_job, {}, 2},
        {"a CronJob that is suspended", cron + "true" + cron_job, {}, 0},
        {"a DaemonSet without nodes", workload("apps/v1", "DaemonSet", kSelector), 9, 0},
        {"kubectl's older group", workload("extensions/v1beta1", "Deployment", kSelector), {}, 1},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto made = expanded(row.yaml, "", row.replicas);
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      CHECK(pods_of(*made).size() == row.pods);
    }
  }

  TEST_CASE("a controller gives its pods names, labels and an owner") {
    struct Row {
      const char* sentence;
      std::string yaml;
      const char* source;
      const char* prefix;  ///< Of the name.
      const char* labels;  ///< Of the first pod. Hashes and UIDs are given as *.
      const char* owner;
    };
    const Row rows[] = {
        {"Deployment", workload("apps/v1", "Deployment", kSelector), "Deployment shop/web", "web-",
         "app=web pod-template-hash=*", "apps/v1 ReplicaSet web-*"},
        {"ReplicaSet", workload("apps/v1", "ReplicaSet", kSelector), "ReplicaSet shop/web", "web-", "app=web",
         "apps/v1 ReplicaSet web"},
        {"ReplicationController", workload("v1", "ReplicationController", "  selector: {app: web}\n"),
         "ReplicationController shop/web", "web-", "app=web", "v1 ReplicationController web"},
        {"StatefulSet", workload("apps/v1", "StatefulSet", kSelector + "  ordinals: {start: 3}\n"),
         "StatefulSet shop/web", "web-3",
         "app=web apps.kubernetes.io/pod-index=3 controller-revision-hash=web-* "
         "statefulset.kubernetes.io/pod-name=web-3",
         "apps/v1 StatefulSet web"},
        {"DaemonSet", workload("apps/v1", "DaemonSet", kSelector), "DaemonSet shop/web", "web-",
         "app=web controller-revision-hash=* pod-template-generation=1", "apps/v1 DaemonSet web"},
        {"Job", workload("batch/v1", "Job", ""), "Job shop/web", "web-",
         "app=web batch.kubernetes.io/controller-uid=* batch.kubernetes.io/job-name=web controller-uid=* "
         "job-name=web",
         "batch/v1 Job web"},
        {"Job with labels of its own", workload("batch/v1", "Job", "  manualSelector: true\n"),
         "Job shop/web", "web-", "app=web", "batch/v1 Job web"},
        {"indexed Job",
         workload("batch/v1", "Job", "  completionMode: Indexed\n  manualSelector: true\n  completions: 1\n"),
         "Job shop/web", "web-0-", "app=web batch.kubernetes.io/job-completion-index=0", "batch/v1 Job web"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto made = expanded(row.yaml, "kind: Node\nmetadata: {name: node}\n");
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      CHECK(made->sets.at(0).source() == row.source);
      Pod pod = made->sets[0].pod(0);
      CHECK(pod.metadata.name.starts_with(row.prefix));
      CHECK(pod.metadata.namespace_ == "shop");
      CHECK(pod.metadata.uid == "shop/" + pod.metadata.name);
      CHECK(pod.metadata.annotations.at("note") == "x");
      REQUIRE(pod.metadata.owner_references.size() == 1);
      const OwnerReference& owner = pod.metadata.owner_references[0];
      CHECK(owner.controller);
      CHECK(owner.uid.size() == 36);
      const std::string hash =
          std::string(row.sentence) == "Deployment" ? pod.metadata.labels.at("pod-template-hash") : "";
      for (auto& [key, value] : pod.metadata.labels) {
        if (key == "pod-template-hash" || key.ends_with("controller-uid")) value = "*";
        if (key == "controller-revision-hash") value = value.starts_with("web-") ? "web-*" : "*";
      }
      CHECK(text_of(pod.metadata.labels) == row.labels);
      const std::string name = hash.empty() ? owner.name : "web-*";
      if (!hash.empty()) CHECK(owner.name == "web-" + hash);
      CHECK(owner.api_version + " " + owner.kind + " " + name == row.owner);
    }
  }

  TEST_CASE("the controllers that rules look at are added, with the UID that the pods name") {
    struct Row {
      const char* kind;
      const char* version;
    };
    for (const Row& row : {Row{"Deployment", "apps/v1"},
                           {"ReplicaSet", "apps/v1"},
                           {"StatefulSet", "apps/v1"},
                           {"ReplicationController", "v1"}}) {
      CAPTURE(row.kind);
      const std::string selector = row.version == std::string("v1") ? "  selector: {app: web}\n" : kSelector;
      const auto made = expanded(workload(row.version, row.kind, selector));
      REQUIRE(made);
      const Pod pod = made->sets.at(0).pod(0);
      const OwnerReference owner = pod.metadata.owner_references.at(0);
      std::size_t owners = 0;
      const auto look = [&]<class Object>(const std::vector<Object>& objects) {
        for (const Object& object : objects) {
          ++owners;
          CHECK(object.metadata.uid == owner.uid);
          CHECK(object.metadata.name == owner.name);
        }
      };
      look(made->added.of<ReplicaSet>());
      look(made->added.of<StatefulSet>());
      look(made->added.of<ReplicationController>());
      CHECK(owners == 1);
      CHECK(made->added.of<Pod>().empty());
      for (const ReplicaSet& set : made->added.of<ReplicaSet>())
        if (row.kind == std::string("Deployment"))
          CHECK(text_of(set.selector->match_labels) == text_of(pod.metadata.labels));
    }
  }

  TEST_CASE("pods are complete: nothing is left for the API server to set") {
    const auto made = expanded(workload(
        "apps/v1", "Deployment", kSelector + "  replicas: 2\n",
        "nodeSelector: {a: b}, containers: [{name: c, image: i, resources: {limits: {cpu: 1500u}}}], "
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, "
        "matchLabelKeys: [pod-template-hash], labelSelector: {matchLabels: {app: web}}}]"));
    REQUIRE(made);
    const std::vector<Pod> pods = pods_of(*made);
    REQUIRE(pods.size() == 2);
    CHECK(pods[0].metadata.name != pods[1].metadata.name);
    for (const Pod& pod : pods) {
      Pod again = pod;
      set_defaults(again);
      CHECK((again == pod));
      CHECK(pod.spec.scheduler_name == "default-scheduler");
      CHECK(pod.spec.priority == 0);
      CHECK(pod.spec.preemption_policy == "PreemptLowerPriority");
      CHECK(pod.spec.tolerations.size() == 2);
      CHECK(pod.spec.containers.at(0).resources.requests.at("cpu") == Quantity::of_millis(2));
      const auto& selector = pod.spec.topology_spread_constraints.at(0).label_selector;
      REQUIRE(selector->match_expressions.size() == 1);
      CHECK(selector->match_expressions[0].values.at(0) == pod.metadata.labels.at("pod-template-hash"));
    }
    CHECK((made->sets[0].pod(1) == pods[1]));
    CHECK(made->added.refused.pods == 0);
  }

  TEST_CASE("equal templates have equal hashes, and others have others") {
    const auto hash = [](const std::string& pod_spec) {
      const auto made = expanded(workload("apps/v1", "Deployment", kSelector, pod_spec));
      return made.value().sets.at(0).pod(0).metadata.labels.at("pod-template-hash");
    };
    const std::string one = hash("containers: [{name: c, image: i}]");
    CHECK(one == hash("containers: [{image: i, name: c}]"));
    CHECK(one != hash("containers: [{name: c, image: j}]"));
    CHECK(one != hash("containers: [{name: c, image: i}], dnsPolicy: None"));
  }

  TEST_CASE("names are free, whatever the cluster and the files have") {
    const std::string rc = workload("v1", "ReplicationController", "  replicas: 40\n");
    const auto before = expanded(rc);
    std::string cluster;
    for (std::size_t i = 0; i < 40; i += 3)
      cluster +=
          "---\nkind: Pod\nmetadata: {namespace: shop, name: " + before.value().sets[0].pod(i).metadata.name +
          "}\n";
    // A ReplicaSet of the same name shares the prefix; a Pod of the files has one of its names.
    const auto made =
        expanded(rc + "---\n" + workload("apps/v1", "ReplicaSet", kSelector + "  replicas: 40\n") +
                     "---\nkind: Pod\nmetadata: {namespace: shop, name: " +
                     before.value().sets[0].pod(1).metadata.name +
                     "}\n---\nkind: Pod\nmetadata: {namespace: shop, generateName: web-}\n",
                 cluster);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    std::set<std::string> names;
    const ClusterOfText there(cluster);
    for (const Pod& pod : pods_of(*made)) {
      CHECK(names.insert(pod.metadata.name).second);
      CHECK(there.state().find_pod("shop", pod.metadata.name) == kNone);
    }
    CHECK(names.size() == 82);
  }

  TEST_CASE("a StatefulSet does not make the pods that the cluster has") {
    const auto made = expanded(workload("apps/v1", "StatefulSet", kSelector + "  replicas: 3\n"),
                               "kind: Pod\nmetadata: {name: web-1, namespace: shop}\n");
    REQUIRE(made);
    REQUIRE(made->sets.at(0).size() == 2);
    CHECK(made->sets[0].pod(0).metadata.name == "web-0");
    CHECK(made->sets[0].pod(1).metadata.name == "web-2");
  }

  TEST_CASE("a pod that another cluster had is new here") {
    const auto made = expanded(
        "kind: Pod\nmetadata: {name: p, uid: old, resourceVersion: '7', deletionTimestamp: "
        "2024-01-01T00:00:00Z, creationTimestamp: 2024-01-01T00:00:00Z}\n"
        "spec: {nodeName: node, priority: 9, priorityClassName: gone, containers: [{name: c, image: i}]}\n"
        "status: {phase: Running, nominatedNodeName: node}\n");
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    const Pod pod = made->sets.at(0).pod(0);
    CHECK(pod.spec.node_name.empty());
    CHECK((pod.status == PodStatus()));
    CHECK(pod.metadata.resource_version.empty());
    CHECK_FALSE(pod.metadata.deleting);
    CHECK_FALSE(pod.metadata.creation_timestamp);
    CHECK(pod.metadata.uid == "default/p");
    CHECK(pod.spec.priority == 9);
  }

  TEST_CASE("objects that make no pods are added, and others are counted") {
    const auto made = expanded(
        "kind: List\nitems:\n- {kind: Service, apiVersion: v1, metadata: {name: s}}\n"
        "- {kind: LimitRange, apiVersion: v1, metadata: {name: l}}\n"
        "- {kind: ConfigMap, apiVersion: v1, metadata: {name: c}}\n"
        "- {kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v2, metadata: {name: h}}\n"
        "- {kind: Pod, apiVersion: v1, metadata: {name: p}}\n"
        "- {kind: Pod, apiVersion: v1, metadata: {name: p}, spec: {hostNetwork: true}}\n");
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    CHECK(made->added.of<Service>().size() == 1);
    CHECK(made->added.of<LimitRange>().size() == 1);
    CHECK(made->added.skipped ==
          std::map<std::string, std::size_t>{{"ConfigMap", 1}, {"HorizontalPodAutoscaler.autoscaling", 1}});
    CHECK(made->added.repeated == 1);
    CHECK(made->added.first_repeated == "Pod default/p");
    REQUIRE(made->sets.size() == 1);
    CHECK(made->sets[0].pod(0).spec.host_network);
  }

  TEST_CASE("fields that the API server would refuse are noted, for each pod") {
    const auto made =
        expanded(workload("apps/v1", "StatefulSet", kSelector + "  replicas: 3\n", "containers: []"));
    REQUIRE(made);
    CHECK(made->added.refused.pods == 3);
    CHECK(made->added.refused.fields == 3);
    CHECK(made->added.refused.lines ==
          std::vector<std::string>{"shop/web-0: spec.containers: Required value"});
  }

  TEST_CASE("what the API server would refuse of the object itself is noted") {
    const auto refused = [](const std::string& yaml) {
      const auto made = expanded(yaml);
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      return made->added.refused.lines;
    };
    const auto job = [](const std::string& kind, const std::string& name, const std::string& spec,
                        const std::string& pods) {
      const std::string of_job = "{template: {spec: {" + pods + "containers: [{name: c, image: i}]}}}";
      return "apiVersion: batch/v1\nkind: " + kind + "\nmetadata: {name: " + name +
             "}\nspec: " + (kind == "Job" ? of_job : "{" + spec + "jobTemplate: {spec: " + of_job + "}}") +
             "\n";
    };
    const std::string never = "restartPolicy: Never, ", containers = "containers: [{name: c, image: i}]";
    struct Row {
      const char* sentence;
      std::string yaml;
      std::vector<std::string> lines;
    };
    const std::string long_name(53, 'n');
    const Row rows[] = {
        {"a Job", job("Job", "j", "", never), {}},
        {"a Job whose pods would be started again for ever",
         job("Job", "j", "", ""),
         {"Job default/j: spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
          "\"Never\""}},
        {"a Job with an unknown policy",
         job("Job", "j", "", "restartPolicy: Sometimes, "),
         {"Job default/j: spec.template.spec.restartPolicy: Unsupported value: \"Sometimes\": supported "
          "values: "
          "\"Never\", \"OnFailure\""}},
        {"a CronJob", job("CronJob", "j", "schedule: '* * * * *', ", never), {}},
        {"a CronJob without a schedule",
         job("CronJob", "j", "", never),
         {"CronJob default/j: spec.schedule: Required value"}},
        {"a CronJob with a long name",
         job("CronJob", long_name, "schedule: '* * * * *', ", never),
         {"CronJob default/" + long_name + ": metadata.name: Invalid value: \"" + long_name +
          "\": must be no more than 52 characters"}},
        {"a Deployment whose pods end",
         workload("apps/v1", "Deployment", kSelector, "restartPolicy: OnFailure, " + containers),
         {"Deployment shop/web: spec.template.spec.restartPolicy: Unsupported value: \"OnFailure\": "
          "supported "
          "values: \"Always\""}},
        {"a Pod with an unknown policy",
         "kind: Pod\nmetadata: {name: p}\nspec: {restartPolicy: never, " + containers + "}\n",
         {"Pod default/p: spec.restartPolicy: Unsupported value: \"never\": supported values: \"Always\", "
          "\"Never\", \"OnFailure\""}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(refused(row.yaml) == row.lines);
    }
    std::string named = workload("apps/v1", "Deployment", kSelector);
    named.replace(named.find("name: web"), 9, "name: Web_1");
    const auto lines = refused(named);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].starts_with(
        "Deployment shop/Web_1: metadata.name: Invalid value: \"Web_1\": a lowercase RFC 1123"));
    CHECK_MESSAGE(lines[1].starts_with("shop/Web_1-"), "and its pod's");
  }

  TEST_CASE("objects of other kinds with templates of pods are left out, and named") {
    const std::string pods = "template: {spec: {containers: [{name: c, image: i}]}}";
    const std::string pod =
        "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n---\n";
    struct Row {
      std::string yaml;
      std::vector<LeftOut> left_out;
    };
    const Row rows[] = {
        {"kind: RayCluster\napiVersion: ray.io/v1\nmetadata: {name: r}\nspec: {workerGroupSpecs: [{" + pods +
             "}]}\n",
         {{"RayCluster.ray.io default/r", "spec.workerGroupSpecs[0].template"}}},
        {"kind: Job\napiVersion: batch.volcano.sh/v1alpha1\nmetadata: {name: v, namespace: ml}\nspec: "
         "{tasks: [{" +
             pods + "}]}\n",
         {{"Job.batch.volcano.sh ml/v", "spec.tasks[0].template"}}},
        {"kind: JobSet\napiVersion: jobset.x-k8s.io/v1alpha2\nmetadata: {name: s}\nspec: {replicatedJobs: "
         "[{template: "
         "{spec: {" +
             pods + "}}}]}\n",
         {{"JobSet.jobset.x-k8s.io default/s", "spec.replicatedJobs[0].template.spec.template"}}},
        {"kind: Workflow\napiVersion: argoproj.io/v1alpha1\nmetadata: {name: w}\nspec: {templates: [{name: "
         "a}, "
         "{name: b, container: {image: i}}]}\n",
         {{"Workflow.argoproj.io default/w", "spec.templates[1].container"}}},
        {"kind: Service\napiVersion: serving.knative.dev/v1\nmetadata: {name: k}\nspec: {" + pods + "}\n",
         {{"Service.serving.knative.dev default/k", "spec.template"}}},
        // These have no pods: a policy, a schema, and what somebody wrote into a status or an annotation.
        {"kind: ClusterPolicy\napiVersion: kyverno.io/v1\nmetadata: {name: k}\nspec: {rules: [{validate: "
         "{pattern: "
         "{spec: {containers: [{image: '*'}]}}}}]}\n",
         {}},
        {"kind: Thing\napiVersion: a.b/v1\nmetadata: {name: t}\nstatus: {containers: [{image: i}]}\n", {}},
        {"kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\ndata: {containers: 'x'}\n", {}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.yaml);
      const auto made = expanded(pod + row.yaml);
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      CHECK(made->sets.size() == 1);
      CHECK(made->left_out == row.left_out);
    }
    CHECK_MESSAGE(error_in(rows[0].yaml).contains("spec.workerGroupSpecs[0].template: no pods can be made"),
                  "with nothing else there is nothing to answer");
  }

  TEST_CASE("files are read in order, and errors name theirs") {
    const State cluster;
    const std::string manifests = std::string(WINNOW_ROOT) + "/manifests/";
    const std::string good[] = {manifests + "standalone.yaml", manifests + "second-scheduler.yaml"};
    const auto made = read_new_objects(good, {}, cluster);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    REQUIRE(made->sets.size() == 2);
    CHECK(made->sets[0].source() == "Deployment kube-system/winnow");
    CHECK(made->added.refused.pods == 0);
    const std::string missing[] = {good[0], "/does/not/exist"};
    CHECK(read_new_objects(missing, {}, cluster).error().message ==
          "/does/not/exist: No such file or directory");
  }

  TEST_CASE("half a million pods are kept as numbers") {
    const auto made = expanded(workload("apps/v1", "Deployment", kSelector), "", 500'000);
    REQUIRE(made);
    CHECK(made->sets.at(0).size() == 500'000);
    CHECK(made->sets[0].pod(499'999).metadata.name != made->sets[0].pod(0).metadata.name);
  }

  TEST_CASE("what is wrong is said with the file, the object and the field") {
    struct Row {
      const char* sentence;
      std::string yaml;
      const char* error;
    };
    const auto deployment = [](const std::string& more, const std::string& pods = "") {
      return workload("apps/v1", "Deployment", more, pods);
    };
    const char* const kExpected =
        "expected a Pod, Deployment, ReplicaSet, ReplicationController, StatefulSet, DaemonSet, Job or "
        "CronJob";
    const std::string rollout = std::string(
                                    "f: Rollout.argoproj.io shop/web: spec.template: no pods can be made of "
                                    "this kind; ") +
                                kExpected;
    const std::string pod_template =
        std::string("f: PodTemplate default/t: template: no pods can be made of this kind; ") + kExpected;
    const Row rows[] = {
        {"a type", deployment("  replicas: many\n"), "f: spec.replicas: \"many\" is not a 32-bit integer"},
        {"a version", "kind: Deployment\napiVersion: apps/v9\nmetadata: {name: a}\n",
         "f: apiVersion: \"v9\" is none of Deployment's; expected apps/v1"},
        {"a name", "kind: Deployment\nspec: {template: {}}\n", "f: has no metadata.name"},
        {"no template", "kind: Deployment\nmetadata: {name: a}\nspec: {}\n",
         "f: Deployment default/a: spec.template: is missing; expected the template of a pod"},
        {"no template of a Job", "kind: CronJob\nmetadata: {name: a}\nspec: {jobTemplate: {}}\n",
         "f: CronJob default/a: spec.jobTemplate.spec.template: is missing; expected the template of a pod"},
        {"a number", deployment(kSelector + "  replicas: -1\n"),
         "f: Deployment shop/web: spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
        {"too many", deployment(kSelector + "  replicas: 1000001\n"),
         "f: Deployment shop/web: 1000001 pods are too many of one object; expected at most 1000000"},
        {"no selector", deployment(""), "f: Deployment shop/web: spec.selector: Required value"},
        {"an empty selector", deployment("  selector: {}\n"),
         "f: Deployment shop/web: spec.selector: Invalid value: {}: empty selector is invalid for "
         "deployment"},
        {"a selector of other pods", deployment("  selector: {matchLabels: {app: api}}\n"),
         "f: Deployment shop/web: spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: "
         "`selector` does "
         "not match template `labels`"},
        {"an indexed Job without an end",
         workload("batch/v1", "Job", "  completionMode: Indexed\n  parallelism: 2\n"),
         "f: Job shop/web: spec.completions: Required value: when completion mode is Indexed"},
        {"a node", deployment(kSelector, "nodeName: node"),
         "f: Deployment shop/web: spec.template.spec.nodeName: \"node\": no scheduler places such a pod; "
         "expected none"},
        {"a class", deployment(kSelector, "priorityClassName: gold"),
         "f: Deployment shop/web: pods \"web-*-\" is forbidden: no PriorityClass with name gold was found; "
         "expected "
         "it in the cluster or in a file"},
        {"a class, for a pod that has a name",
         workload("apps/v1", "StatefulSet", kSelector, "priorityClassName: gold"),
         "f: StatefulSet shop/web: pods \"web-0\" is forbidden: no PriorityClass with name gold was found; "
         "expected "
         "it in the cluster or in a file"},
        {"a pod that exists", "kind: Service\nmetadata: {name: s}\n---\nkind: Pod\nmetadata: {name: there}\n",
         "f: Pod default/there: pods \"there\" already exists; expected a name that the cluster does not "
         "have"},
        {"a kind of others", workload("argoproj.io/v1alpha1", "Rollout", kSelector), rollout.c_str()},
        {"a template alone",
         "kind: PodTemplate\napiVersion: v1\nmetadata: {name: t}\ntemplate: {spec: {containers: []}}\n",
         pod_template.c_str()},
        {"a claim without a name",
         workload("apps/v1", "StatefulSet", kSelector + "  volumeClaimTemplates: [{spec: {}}]\n"),
         "f: StatefulSet shop/web: spec.volumeClaimTemplates[0].metadata.name: Required value"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      std::string error = error_in(row.yaml, "kind: Pod\nmetadata: {name: there}\n");
      // The hash of a Deployment's template.
      if (const auto at = error.find("pods \"web-"); at != std::string::npos && error.contains("Deployment"))
        error.replace(at + 10, error.find("-\"", at) - at - 10, "*");
      CHECK(error == row.error);
    }
  }
}

}  // namespace
}  // namespace winnow::test
