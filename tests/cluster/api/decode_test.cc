#include "cluster/api/decode.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "cluster/api/storage.h"

#ifndef WINNOW_FIXTURES
#define WINNOW_FIXTURES "tests/fixtures"
#endif

namespace winnow {
namespace {

std::string fixture(const char* name) {
  std::ifstream file(std::string(WINNOW_FIXTURES) + "/" + name);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class Object>
std::string error_of(std::string_view json) {
  const auto object = decode<Object>(json);
  return object ? "" : object.error().message;
}

std::string nested(std::size_t levels) {
  std::string text = R"({"ignored":)";
  text.append(levels - 1, '[');
  text.append(levels - 1, ']');
  return text + "}";
}

}  // namespace

TEST_CASE("a pod as kube-scheduler sends it") {
  const auto pod = decode_pod(fixture("pod.json"));
  REQUIRE(pod);
  CHECK(pod->metadata.name == "rich");
  CHECK(pod->metadata.creation_timestamp == 1795216259);
  CHECK(pod->metadata.labels.at("tier") == "front");
  CHECK_FALSE(pod->metadata.deleting);

  const PodSpec& spec = pod->spec;
  CHECK(spec.node_selector.at("kubernetes.io/os") == "linux");
  REQUIRE(spec.containers.size() == 2);
  CHECK(spec.containers[0].ports[0].host_port == 8080);
  CHECK(spec.containers[0].resources.requests.at("memory").value() == 1536LL << 20);
  CHECK(spec.containers[1].resources.requests.at("cpu").milli_value() == 100);
  CHECK(spec.init_containers[1].restart_policy == "Always");
  CHECK(spec.tolerations[2].toleration_seconds == 300);

  const Affinity& affinity = spec.affinity.value();
  CHECK(affinity.node_affinity->required->terms[1].match_fields[0].values[0] == "node-00000");
  CHECK(affinity.node_affinity->preferred[0].weight == 10);
  const PodAffinityTerm& near = affinity.pod_affinity->preferred[0].term;
  CHECK(near.label_selector->match_labels.at("app") == "db");
  CHECK(near.namespace_selector == LabelSelector());
  CHECK_FALSE(affinity.pod_anti_affinity->required[0].namespace_selector);
  CHECK(spec.topology_spread_constraints[1].min_domains == 2);
  CHECK(spec.topology_spread_constraints[0].match_label_keys == std::vector<std::string>{"tier"});
}

TEST_CASE("decoding in place gives the same, and puts back what is behind") {
  const std::string text = fixture("pod.json");
  std::string body = text + ",\"NodeNames\":[]}";
  const auto pod = decode_in_situ<Pod>(std::span(body).first(text.size()));
  REQUIRE(pod);
  CHECK(*pod == *decode_pod(text));
  CHECK(body.substr(text.size()) == ",\"NodeNames\":[]}");
}

TEST_CASE("what is wrong is named with its place") {
  struct Row {
    const char* sentence;
    const char* json;
    const char* error;
  };
  const Row rows[] = {
      {"a quantity that is none", R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1..5"}}}]}})",
       R"(spec.containers[0].resources.requests.cpu: "1..5" is not a quantity)"},
      {"a number for a string", R"({"metadata":{"labels":{"a.b/c":5}}})",
       R"(metadata.labels["a.b/c"]: 5 is not a string)"},
      {"a string for a list", R"({"spec":{"containers":"x"}})", R"(spec.containers: "x" is not a list)"},
      {"a list for an object", R"({"spec":[]})", "spec: a list is not an object"},
      {"an object for a string", R"({"spec":{"nodeName":{}}})", "spec.nodeName: an object is not a string"},
      {"a string for a number", R"({"spec":{"priority":"5"}})",
       R"(spec.priority: "5" is not a 32-bit integer)"},
      {"a number that is too large", R"({"spec":{"priority":2147483648}})",
       "spec.priority: 2147483648 is not a 32-bit integer"},
      {"a fraction", R"({"spec":{"priority":1.5}})", "spec.priority: 1.5 is not a 32-bit integer"},
      {"nearly nothing, below zero", R"({"spec":{"priority":-1e-999}})",
       "spec.priority: -5e-324 is not a 32-bit integer"},
      {"a number for a boolean", R"({"spec":{"hostNetwork":1}})", "spec.hostNetwork: 1 is not a boolean"},
      {"a day that does not exist", R"({"metadata":{"creationTimestamp":"2026-02-30T00:00:00Z"}})",
       R"(metadata.creationTimestamp: "2026-02-30T00:00:00Z" is not a time in RFC 3339 form)"},
      {"not an object at all", "5", "5 is not an object"},
      {"not JSON", "{\n  \"a\": x}", "line 2, column 8: not JSON: Invalid value."},
      {"cut short", R"({"a": "b)", "line 1, column 9: not JSON: the text ends early"},
      {"nothing", "", "line 1, column 1: not JSON: the text ends early"},
      {"something behind it", "{} {}", "line 1, column 4: not JSON: something follows the value"},
      {"not UTF-8", "{\"a\": \"\xff\"}", "line 1, column 8: not UTF-8"},
      {"a character cut short", "\"\xe2\x98", "line 1, column 2: not UTF-8"},
      {"a line end in a string", "{\"a\":\n\"b\n\"}",
       "line 2, column 3: not JSON: Invalid escape character in string."},
  };
  for (const auto& row : rows) {
    CAPTURE(row.sentence);
    CHECK(error_of<Pod>(row.json) == row.error);
  }
  CHECK(error_of<Pod>(std::string_view("{}\0x", 4)) ==
        "line 1, column 3: not JSON: something follows the value");
}

TEST_CASE("what is not wrong") {
  CHECK(decode_pod(R"({"unknown":[1e5,{"x":-0.5}],"spec":null,"status":{"phase":null}})"));
  CHECK(decode_pod(R"({"spec":{"nodeName":"a","nodeName":"b"}})")->spec.node_name == "b");
  const auto node =
      decode_node(R"({"status":{"allocatable":{"cpu":4,"memory":1.5e3,"pods":" 110 ","x":0.1}}})");
  REQUIRE(node);
  CHECK(node->status.allocatable.at("cpu").value() == 4);
  CHECK(node->status.allocatable.at("memory").value() == 1500);
  CHECK(node->status.allocatable.at("pods").value() == 110);
  CHECK(node->status.allocatable.at("x").milli_value() == 100);
  CHECK(decode_pod(R"({"metadata":{"creationTimestamp":"1970-01-02T01:00:00.5+01:00"}})")
            ->metadata.creation_timestamp == 86400);
  CHECK(decode_pod(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})")->metadata.deleting);
  CHECK(decode_pod(R"({"metadata":{"labels":{"a":null}}})")->metadata.labels.at("a").empty());
}

TEST_CASE("what a pod needs of its node's software") {
  const auto pod = decode_pod(R"({"spec":{"hostUsers":false,
    "containers":[{"restartPolicyRules":[null,{"action":"Restart"},{"action":"RestartAllContainers"}]},
                  {"restartPolicyRules":[{"action":"Restart"}],"volumeMounts":[{"bindMountOptions":[]}]}],
    "initContainers":[{"volumeMounts":[{"name":"v","bindMountOptions":["noexec"]},null,{}]}],
    "ephemeralContainers":[{"name":"e","volumeMounts":[{"bindMountOptions":["noexec"]}]}]}})");
  REQUIRE(pod);
  CHECK(pod->spec.host_users == false);
  CHECK(pod->spec.containers[0].restarts_all);
  CHECK_FALSE(pod->spec.containers[1].restarts_all);
  CHECK_FALSE(pod->spec.containers[1].mounts_with_options);
  CHECK(pod->spec.init_containers[0].mounts_with_options);
  CHECK(pod->spec.ephemeral_containers[0].mounts_with_options);
  CHECK(error_of<Pod>(R"({"spec":{"containers":[{"volumeMounts":[{"bindMountOptions":"ro"}]}]}})") ==
        "spec.containers[0].volumeMounts[0].bindMountOptions: \"ro\" is not a list");
}

TEST_CASE("the ResourceClaims of a pod, and their names in its status") {
  const auto pod = decode_pod(R"({"spec":{"resourceClaims":[
      {"name":"gpu","resourceClaimName":"one"},{"name":"nic","resourceClaimTemplateName":"any-nic"},null]},
    "status":{"resourceClaimStatuses":[{"name":"nic","resourceClaimName":"web-nic-x7"},{"name":"fpga"}],
      "extendedResourceClaimStatus":{"resourceClaimName":"web-extended-resources-9","requestMappings":[]}}})");
  REQUIRE(pod);
  CHECK(pod->spec.resource_claims ==
        std::vector<PodResourceClaim>{{"gpu", "one", std::nullopt}, {"nic", std::nullopt, "any-nic"}, {}});
  CHECK(pod->status.resource_claim_statuses ==
        std::vector<PodResourceClaimStatus>{{"nic", "web-nic-x7"}, {"fpga", std::nullopt}});
  CHECK(pod->status.extended_resource_claim_name == "web-extended-resources-9");
  CHECK(decode_pod(R"({"spec":{"resourceClaims":null},"status":{"extendedResourceClaimStatus":null}})")
            ->spec.resource_claims.empty());
  CHECK(error_of<Pod>(R"({"spec":{"resourceClaims":[{"name":5}]}})") ==
        "spec.resourceClaims[0].name: 5 is not a string");
  CHECK(error_of<Pod>(R"({"status":{"resourceClaimStatuses":{}}})") ==
        "status.resourceClaimStatuses: an object is not a list");
}

TEST_CASE("what no rule reads, and must be known: the group") {
  const auto group = [](const std::string& spec) {
    return decode_pod(R"({"spec":{)" + spec + "}}")->spec.in_pod_group;
  };
  CHECK(group(R"("schedulingGroup":{"podGroupName":"gang"})"));
  CHECK(group(R"("workloadRef":{"name":"training","podGroup":"workers"})"));
  CHECK_FALSE(group(R"("schedulingGroup":null)"));
  CHECK_FALSE(group(R"("priority":1)"));
  CHECK(error_of<Pod>(R"({"spec":{"resourceClaims":{}}})") == "spec.resourceClaims: an object is not a list");
}

TEST_CASE("requests in force: none are not the same as an empty list") {
  const auto pod = decode_pod(R"({"status":{"resources":{"limits":{"cpu":"1"}},
    "containerStatuses":[{"resources":{"requests":{}}},{"resources":{"requests":null}},{}]}})");
  REQUIRE(pod);
  CHECK_FALSE(pod->status.resources->requests);
  CHECK(pod->status.container_statuses[0].resources->requests == ResourceList());
  CHECK_FALSE(pod->status.container_statuses[1].resources->requests);
  CHECK_FALSE(pod->status.container_statuses[2].resources);
}

TEST_CASE("depth is bounded, without recursion") {
  CHECK(decode_pod(nested(64)));
  CHECK(error_of<Pod>(nested(65)).ends_with("nested deeper than 64 levels"));
  CHECK(error_of<Pod>(nested(1'000'000)).ends_with("nested deeper than 64 levels"));
}

TEST_CASE("volumes and what they name") {
  const auto pod = decode_pod(R"({"spec":{"volumes":[
    {"name":"a","gcePersistentDisk":{"pdName":"disk","readOnly":true}},
    {"name":"b","rbd":{"monitors":["m1","m2"],"image":"i","pool":"p"}},
    {"name":"c","persistentVolumeClaim":{"claimName":"claim"}},
    {"name":"d","ephemeral":{"volumeClaimTemplate":{"spec":{"storageClassName":"fast"}}}},
    {"name":"e","iscsi":{"iqn":"q"}},{"name":"f","csi":{"driver":"d"}},
    {"name":"g","image":{"reference":"r"}},{"name":"h","emptyDir":{}}]}})");
  REQUIRE(pod);
  const auto& volumes = pod->spec.volumes;
  CHECK(volumes[0].source == VolumeSource::kGcePersistentDisk);
  CHECK(volumes[0].id == "disk");
  CHECK(volumes[0].read_only);
  CHECK(volumes[1].monitors.size() == 2);
  CHECK(volumes[1].pool == "p");
  CHECK(volumes[2].id == "claim");
  CHECK(volumes[3].storage_class == "fast");
  CHECK(volumes[4].id == "q");
  CHECK(volumes[5].source == VolumeSource::kCsi);
  CHECK(volumes[6].id == "r");
  CHECK(volumes[7].source == VolumeSource::kOther);
}

TEST_CASE("the other kinds") {
  const auto node = decode_node(
      R"({"metadata":{"name":"n"},"spec":{"unschedulable":true,"taints":[{"key":"k","effect":"NoSchedule"}]},
      "status":{"conditions":[{"type":"Ready","status":"True"}],"images":[{"names":["i"],"sizeBytes":5}],
      "declaredFeatures":["f"]}})");
  REQUIRE(node);
  CHECK(node->spec.taints[0].key == "k");
  CHECK(node->status.images[0].size_bytes == 5);
  CHECK(node->status.declared_features[0] == "f");

  CHECK(decode<Namespace>(R"({"metadata":{"name":"x"}})")->metadata.name == "x");
  CHECK(decode<Service>(R"({"spec":{"selector":{"a":"b"}}})")->selector->at("a") == "b");
  CHECK(decode<ReplicationController>(R"({"spec":{"selector":{"a":"b"}}})")->selector.at("a") == "b");
  CHECK(decode<ReplicaSet>(R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})")->selector);
  CHECK_FALSE(decode<StatefulSet>(R"({"spec":{}})")->selector);
  CHECK(decode<StatefulSet>(R"({"spec":{"selector":{}}})")->selector == LabelSelector());

  const auto budget = decode<PodDisruptionBudget>(
      R"({"status":{"disruptionsAllowed":2,"currentHealthy":5,"desiredHealthy":3,
      "disruptedPods":{"p":"2026-01-01T00:00:00Z"}}})");
  REQUIRE(budget);
  CHECK(budget->disruptions_allowed == 2);
  CHECK(budget->current_healthy == 5);
  CHECK(budget->desired_healthy == 3);
  CHECK(budget->disrupted_pods.at("p") == "2026-01-01T00:00:00Z");
}

TEST_CASE("storage kinds") {
  const auto volume = decode<PersistentVolume>(
      R"({"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"storageClassName":"c",
      "nodeAffinity":{"required":{"nodeSelectorTerms":[{}]}},"claimRef":{"namespace":"n","name":"m","uid":"u"},
      "csi":{"driver":"d","volumeHandle":"h"}},"status":{"phase":"Bound"}})");
  REQUIRE(volume);
  CHECK(volume->capacity.at("storage").value() == 1 << 30);
  CHECK(volume->node_affinity->terms.size() == 1);
  CHECK(volume->claim_name == "m");
  CHECK(volume->source.id == "d");
  CHECK(volume->csi_volume_handle == "h");
  CHECK(volume->phase == "Bound");

  const auto claim = decode<PersistentVolumeClaim>(
      R"({"spec":{"storageClassName":"","volumeName":"v","resources":{"requests":{"storage":"2Gi"}}}})");
  REQUIRE(claim);
  CHECK(claim->storage_class_name == "");
  CHECK(claim->requests.at("storage").value() == 2LL << 30);

  const auto storage_class = decode<StorageClass>(
      R"({"provisioner":"p","volumeBindingMode":"Immediate",
      "allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a"]}]}]})");
  REQUIRE(storage_class);
  CHECK(storage_class->allowed_topologies[0][0] == SelectorRequirement{"zone", "In", {"a"}});

  CHECK(decode<CsiNode>(R"({"spec":{"drivers":[{"name":"d","allocatable":{"count":3}}]}})")
            ->drivers[0]
            .allocatable_count == 3);
  CHECK(decode<CsiDriver>(R"({"spec":{}})")->attach_required);
  CHECK_FALSE(decode<CsiDriver>(R"({"spec":{"attachRequired":false}})")->attach_required);
  CHECK(decode<CsiStorageCapacity>(R"({"capacity":"5Gi","nodeTopology":{}})")->capacity->value() ==
        5LL << 30);
  const auto attachment = decode<VolumeAttachment>(
      R"({"spec":{"attacher":"a","nodeName":"n","source":{"inlineVolumeSpec":{"csi":{"driver":"d","volumeHandle":"h"}}}},
      "status":{"attached":true}})");
  REQUIRE(attachment);
  CHECK(attachment->inline_volume->id == "d");
  CHECK(attachment->inline_csi_volume_handle == "h");
  CHECK(attachment->attached);
}

TEST_CASE("kinds of admission") {
  const auto priority = decode<PriorityClass>(
      R"({"metadata":{"name":"gold"},"value":-5,"globalDefault":true,"preemptionPolicy":"Never"})");
  REQUIRE(priority);
  CHECK(priority->metadata.name == "gold");
  CHECK(priority->value == -5);
  CHECK(priority->global_default);
  CHECK(priority->preemption_policy == "Never");
  CHECK(decode<PriorityClass>(R"({"value":2147483648})").error().message ==
        "value: 2147483648 is not a 32-bit integer");
  const auto range = decode<LimitRange>(
      R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"5"},"min":{"cpu":"1"},"default":{"cpu":"3"},
      "defaultRequest":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"4"}},{"type":"Pod"}]}})");
  REQUIRE(range);
  REQUIRE(range->limits.size() == 2);
  const LimitRangeItem& item = range->limits[0];
  CHECK(item.type == "Container");
  std::int64_t expected = 1;
  for (const ResourceList* list :
       {&item.min, &item.default_requests, &item.default_limits, &item.max_ratios, &item.max})
    CHECK(list->at("cpu").value() == expected++);
  CHECK(decode<LimitRange>(R"({"spec":{"limits":[{"max":{"cpu":"x"}}]}})").error().message ==
        "spec.limits[0].max.cpu: \"x\" is not a quantity");
}

TEST_CASE("a RuntimeClass") {
  const auto kata = decode<RuntimeClass>(
      R"({"metadata":{"name":"kata"},"handler":"kata-qemu","overhead":{"podFixed":{"cpu":"250m"}},
      "scheduling":{"nodeSelector":{"vm":"yes"},"tolerations":[{"key":"vm","operator":"Exists"}]}})");
  REQUIRE(kata);
  CHECK(kata->metadata.name == "kata");
  CHECK(kata->overhead.value().at("cpu").milli_value() == 250);
  CHECK(kata->scheduling.value().node_selector == StringMap{{"vm", "yes"}});
  CHECK(kata->scheduling->tolerations.at(0).key == "vm");
  const auto plain = decode<RuntimeClass>(R"({"handler":"runc"})");
  REQUIRE(plain);
  CHECK_FALSE(plain->overhead);
  CHECK_FALSE(plain->scheduling);
  CHECK(decode<RuntimeClass>(R"({"overhead":{}})")->overhead.value().empty());
  CHECK(error_of<RuntimeClass>(R"({"overhead":{"podFixed":{"cpu":"x"}}})") ==
        "overhead.podFixed.cpu: \"x\" is not a quantity");
  CHECK(error_of<RuntimeClass>(R"({"scheduling":{"tolerations":5}})") ==
        "scheduling.tolerations: 5 is not a list");
}

TEST_CASE("the annotation of pods to be avoided") {
  using Controllers = std::vector<AvoidedController>;
  const auto parse = parse_prefer_avoid_pods;
  CHECK(
      parse(R"({"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"u"}}}]})") ==
      Controllers{{"ReplicaSet", "u"}});
  CHECK(parse(R"({"PREFERAVOIDPODS":[{"PodSignature":{"podcontroller":{"Kind":"a","UID":"b"}}}]})") ==
        Controllers{{"a", "b"}});
  CHECK(parse(R"({"preferAvoidPods":[{"podSignature":{}},null]})") == Controllers{});
  CHECK(parse("{}") == Controllers{});
  CHECK(parse("null") == Controllers{});
  CHECK_FALSE(parse(""));
  CHECK_FALSE(parse("[]"));
  CHECK_FALSE(parse(R"({"preferAvoidPods":{}})"));
  CHECK_FALSE(parse(R"({"preferAvoidPods":[{"reason":5}]})"));
  CHECK_FALSE(parse(R"({"preferAvoidPods":[{"evictionTime":"yesterday"}]})"));
  CHECK(parse(R"({"preferAvoidPods":[{"evictionTime":"2016-05-18T1:23:45Z"}]})"));
  CHECK_FALSE(parse(R"({"preferAvoidPods":[{"evictionTime":"2016-05-18T01:3:45Z"}]})"));
}

TEST_CASE("a node avoids the pods that its annotation names, and none where it cannot be read") {
  const auto avoided = [](const std::string& annotation) {
    const auto node = decode_node(R"({"metadata":{"name":"n","annotations":)" + annotation + "}}");
    REQUIRE(node);
    return node->prefer_avoid_pods;
  };
  const auto with = [&](const std::string& value) {
    return avoided(R"({"scheduler.alpha.kubernetes.io/preferAvoidPods":")" + value + R"("})");
  };
  const std::string entry =
      R"({\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"1\"}}})";
  const std::vector<AvoidedController> one = {{"ReplicaSet", "1"}}, none;
  CHECK(with(R"({\"preferAvoidPods\":[)" + entry + "]}") == one);
  CHECK(with(R"({\"preferAvoidPods\":[)" + entry + "]]}") == none);
  CHECK(with(R"({\"preferAvoidPods\":[]})") == none);
  CHECK(with(R"({\"preferAvoidPods\":\"none\"})") == none);
  CHECK(with("") == none);
  CHECK(avoided("{}") == none);
}

}  // namespace winnow
