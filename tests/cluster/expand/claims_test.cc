// The claims that controllers make with pods.
#include <doctest/doctest.h>

#include "tests/cluster/expand/expanded.h"

namespace winnow::test {
namespace {

const std::string kTemplates =
    "  replicas: 2\n  volumeClaimTemplates:\n"
    "  - {metadata: {name: data, labels: {tier: db}}, spec: {accessModes: [ReadWriteOnce], resources: "
    "{requests: {storage: 1Gi}}}}\n"
    "  - {metadata: {name: log}, spec: {storageClassName: slow}}\n";

std::string stateful_set() {
  return workload(
      "apps/v1", "StatefulSet", kSelector + kTemplates,
      "containers: [{name: c, image: i}], volumes: [{name: data, emptyDir: {}}, {name: tmp, emptyDir: {}}]");
}

std::string storage_class(const std::string& name, const std::string& more) {
  return "---\nkind: StorageClass\nmetadata: {name: " + name + ", " + more + "}\n";
}

const std::string kDefault = "annotations: {storageclass.kubernetes.io/is-default-class: 'true'}";

TEST_SUITE("claims of new pods") {
  TEST_CASE("a StatefulSet makes claims by its templates, and mounts them") {
    const auto made = expanded(stateful_set(), storage_class("fast", kDefault));
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    const PodSet& set = made->sets.at(0);
    const std::vector<PersistentVolumeClaim> claims = set.claims(1);
    REQUIRE(claims.size() == 2);
    CHECK(claims[0].metadata.name == "data-web-1");
    CHECK(claims[0].metadata.namespace_ == "shop");
    CHECK(claims[0].metadata.uid == "shop/data-web-1");
    CHECK(text_of(claims[0].metadata.labels) == "app=web tier=db");
    CHECK(claims[0].storage_class_name == "fast");
    CHECK(claims[0].access_modes == std::vector<std::string>{"ReadWriteOnce"});
    CHECK(claims[0].requests.at("storage") == Quantity::of_units(1 << 30));
    CHECK(claims[0].phase == "Pending");
    CHECK(claims[0].volume_mode == "Filesystem");
    CHECK(claims[1].metadata.name == "log-web-1");
    CHECK(claims[1].storage_class_name == "slow");
    const std::vector<Volume> volumes = set.pod(1).spec.volumes;
    REQUIRE(volumes.size() == 3);
    CHECK(volumes[0].name == "data");
    CHECK(volumes[0].source == VolumeSource::kPersistentVolumeClaim);
    CHECK(volumes[0].id == "data-web-1");
    CHECK(volumes[1].id == "log-web-1");
    CHECK(volumes[2].name == "tmp");
  }

  TEST_CASE("claims that are there are not made again") {
    const auto made =
        expanded(stateful_set() +
                     "---\nkind: PersistentVolumeClaim\nmetadata: {name: log-web-1, "
                     "namespace: shop}\n",
                 "kind: PersistentVolumeClaim\nmetadata: {name: data-web-0, namespace: shop}\n");
    REQUIRE(made);
    REQUIRE(made->sets.at(0).claims(0).size() == 1);
    CHECK(made->sets[0].claims(0)[0].metadata.name == "log-web-0");
    REQUIRE(made->sets[0].claims(1).size() == 1);
    CHECK(made->sets[0].claims(1)[0].metadata.name == "data-web-1");
    CHECK(made->sets[0].pod(0).spec.volumes.at(0).id == "data-web-0");
  }

  TEST_CASE("an ephemeral volume's claim belongs to its pod") {
    const auto made = expanded(workload(
        "apps/v1", "Deployment", kSelector + "  replicas: 2\n",
        "containers: [{name: c, image: i}], volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: "
        "{metadata: "
        "{labels: {a: b}}, spec: {storageClassName: fast, resources: {requests: {storage: 2Gi}}}}}}]"));
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    const Pod pod = made->sets.at(0).pod(1);
    const std::vector<PersistentVolumeClaim> claims = made->sets[0].claims(1);
    REQUIRE(claims.size() == 1);
    CHECK(claims[0].metadata.name == pod.metadata.name + "-scratch");
    CHECK(claims[0].metadata.namespace_ == "shop");
    CHECK(text_of(claims[0].metadata.labels) == "a=b");
    REQUIRE(claims[0].metadata.owner_references.size() == 1);
    CHECK(claims[0].metadata.owner_references[0].uid == pod.metadata.uid);
    CHECK(claims[0].metadata.owner_references[0].controller);
    CHECK(claims[0].storage_class_name == "fast");
    CHECK(claims[0].requests.at("storage") == Quantity::of_units(2LL << 30));
  }

  TEST_CASE("the default StorageClass") {
    struct Row {
      const char* sentence;
      std::string classes;
      const char* claim;
      std::optional<std::string> expected;
    };
    const std::string beta = "annotations: {storageclass.beta.kubernetes.io/is-default-class: 'true'}";
    const Row rows[] = {
        {"there is none", storage_class("a", "labels: {}"), "{}", std::nullopt},
        {"one is marked", storage_class("a", kDefault) + storage_class("b", "labels: {}"), "{}", "a"},
        {"by the beta mark", storage_class("a", beta), "{}", "a"},
        {"marked by another word",
         storage_class("a", "annotations: {storageclass.kubernetes.io/is-default-class: 'yes'}"), "{}",
         std::nullopt},
        {"of two the first by name", storage_class("b", kDefault) + storage_class("a", kDefault), "{}", "a"},
        {"of two the newer",
         storage_class("a", kDefault + ", creationTimestamp: 2024-01-01T00:00:00Z") +
             storage_class("b", kDefault + ", creationTimestamp: 2024-01-02T00:00:00Z"),
         "{}", "b"},
        {"the claim names one", storage_class("a", kDefault), "{storageClassName: z}", "z"},
        {"the claim wants none", storage_class("a", kDefault), "{storageClassName: ''}", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      // The claims of files and those of templates; classes of the cluster and of files.
      const std::string claim =
          std::string("---\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: ") + row.claim;
      for (const bool in_file : {false, true}) {
        const auto made =
            expanded("kind: Namespace\nmetadata: {name: x}\n" + (in_file ? row.classes : "") + claim + "\n",
                     in_file ? "" : row.classes);
        REQUIRE_MESSAGE(made.has_value(), made.error().message);
        CHECK(made->added.of<PersistentVolumeClaim>().at(0).storage_class_name == row.expected);
      }
    }
    const auto annotated = expanded(
        "kind: PersistentVolumeClaim\nmetadata: {name: c, annotations: "
        "{volume.beta.kubernetes.io/storage-class: z}}\n",
        storage_class("a", kDefault));
    CHECK_FALSE(annotated.value().added.of<PersistentVolumeClaim>().at(0).storage_class_name);
  }

  TEST_CASE("a LimitRange refuses claims") {
    const std::string range =
        "kind: LimitRange\nmetadata: {name: l, namespace: shop}\nspec: {limits: [{type: "
        "PersistentVolumeClaim, max: "
        "{storage: 512Mi}}]}\n";
    CHECK(error_in(stateful_set(), range) ==
          "f: StatefulSet shop/web: persistentvolumeclaims \"data-web-0\" is forbidden: maximum storage "
          "usage per "
          "PersistentVolumeClaim is 512Mi, but request is 1Gi");
    CHECK(
        error_in(
            "kind: PersistentVolumeClaim\nmetadata: {name: c, namespace: shop}\nspec: {resources: {requests: "
            "{storage: 1Gi}}}\n",
            range) ==
        "f: PersistentVolumeClaim shop/c: persistentvolumeclaims \"c\" is forbidden: maximum storage usage "
        "per "
        "PersistentVolumeClaim is 512Mi, but request is 1Gi");
  }
}

}  // namespace
}  // namespace winnow::test
