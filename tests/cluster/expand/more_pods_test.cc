#include "cluster/expand/more_pods.h"

#include <doctest/doctest.h>

#include <set>

#include "cluster/state/state.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

Pod owned_by(Pod pod, const std::string& kind, const std::string& name) {
  pod.metadata.owner_references = {{"apps/v1", kind, name, name + "-uid", true}};
  return pod;
}

Volume volume_of(const std::string& name, VolumeSource source, const std::string& id = "") {
  Volume made;
  made.name = name;
  made.source = source;
  made.id = id;
  return made;
}

std::vector<std::string> pod_names(const PodSet& set) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < set.size(); ++i) names.push_back(set.pod(i).metadata.name);
  return names;
}

}  // namespace

TEST_CASE("more pods of a ReplicaSet are as one that is there, with free names") {
  State state;
  const Pod like =
      owned_by(pod("web-abc-12345").in("shop").label("app", "web").cpu("2").on("n"), "ReplicaSet", "web-abc");
  const PodSet set = more_pods(state, "Deployment shop/web", like, 3);
  CHECK(set.source() == "Deployment shop/web");
  REQUIRE(set.size() == 3);
  std::set<std::string> names;
  for (std::size_t i = 0; i < 3; ++i) {
    const Pod made = set.pod(i);
    CHECK(made.metadata.name.starts_with("web-abc-"));
    CHECK(made.metadata.labels == like.metadata.labels);
    CHECK(made.metadata.owner_references == like.metadata.owner_references);
    CHECK(made.metadata.uid == "shop/" + made.metadata.name);
    CHECK(made.spec.node_name == "");
    CHECK(made.spec.containers == like.spec.containers);
    names.insert(made.metadata.name);
  }
  CHECK(names.size() == 3);
  state.set_pod(set.pod(0));
  CHECK(more_pods(state, "Deployment shop/web", like, 1).pod(0).metadata.name != set.pod(0).metadata.name);
}

TEST_CASE("more pods of a StatefulSet have the ordinals that are free, and claims as those that are there") {
  State state;
  Pod like = owned_by(pod("db-0").in("data").label("apps.kubernetes.io/pod-index", "0"), "StatefulSet", "db");
  like.spec.volumes = {volume_of("disk", VolumeSource::kPersistentVolumeClaim, "disk-db-0"),
                       volume_of("shared", VolumeSource::kPersistentVolumeClaim, "shared")};
  state.set_pod(like);
  state.set_pod(owned_by(pod("db-2").in("data"), "StatefulSet", "db"));
  state.volumes.set(pvc("disk-db-0").in("data").of_class("fast").bound_to("v").phase("Bound"));
  state.volumes.set(pvc("disk-db-1").in("data").of_class("fast").bound_to("w"));
  const PodSet set = more_pods(state, "StatefulSet data/db", like, 2);
  CHECK(pod_names(set) == std::vector<std::string>{"db-1", "db-3"});
  const Pod third = set.pod(1);
  CHECK(third.metadata.labels.at("apps.kubernetes.io/pod-index") == "3");
  REQUIRE(third.spec.volumes.size() == 2);
  CHECK(third.spec.volumes[0].id == "disk-db-3");
  CHECK(third.spec.volumes[1].id == "shared");
  CHECK(set.claims(0).empty());  // It has outlived its pod.
  REQUIRE(set.claims(1).size() == 1);
  const PersistentVolumeClaim claim = set.claims(1).front();
  CHECK(claim.metadata.name == "disk-db-3");
  CHECK(claim.storage_class_name == "fast");
  CHECK(claim.volume_name == "");
  CHECK(claim.metadata.annotations.empty());
}

TEST_CASE("a StatefulSet's pod has its ordinal at the end of its name") {
  CHECK(ordinal_of("db", "db-12") == 12);
  CHECK_FALSE(ordinal_of("db", "db-x"));
  CHECK_FALSE(ordinal_of("db", "db"));
  CHECK_FALSE(ordinal_of("db", "db2-1"));
}

}  // namespace winnow::test
