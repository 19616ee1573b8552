// The ResourceClaims that pods get from templates.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "cluster/expand/daemon_sets.h"
#include "cluster/expand/made_names.h"
#include "cluster/expand/more_pods.h"
#include "tests/builders.h"
#include "tests/cluster/expand/expanded.h"

namespace winnow::test {
namespace {

const std::string kClaimTemplate =
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: any-gpu, namespace: "
    "shop}\n"
    "spec: {metadata: {labels: {tier: ml}, annotations: {note: x}}, spec: {devices: {requests: [{name: one, "
    "exactly: {deviceClassName: gpu}}]}}}\n";

const std::string kClaimingPods =
    "containers: [{name: c, image: i}], resourceClaims: [{name: own, resourceClaimTemplateName: any-gpu}, "
    "{name: shared, resourceClaimName: card}]";

std::string claiming(const std::string& kind = "Deployment") {
  return workload("apps/v1", kind, kSelector + "  replicas: 2\n", kClaimingPods);
}

std::string claim_object(const std::string& name) {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name +
         ", namespace: shop}\n";
}

/// The name of the claim that a pod has by its status.
std::string own_claim(const Pod& pod) {
  const auto& statuses = pod.status.resource_claim_statuses;
  REQUIRE(statuses.size() == 1);
  CHECK(statuses[0].name == "own");
  return statuses[0].resource_claim_name.value();
}

/// The claim is the pod's, and named after it.
void check_owned(const ResourceClaim& claim, const Pod& pod) {
  CHECK(claim.metadata.name == own_claim(pod));
  CHECK(claim.metadata.name.starts_with(pod.metadata.name + "-own-"));
  CHECK(claim.metadata.name.size() == pod.metadata.name.size() + 10);
  CHECK(claim.metadata.namespace_ == "shop");
  CHECK(claim.metadata.uid == "shop/" + claim.metadata.name);
  REQUIRE(claim.metadata.owner_references.size() == 1);
  const OwnerReference& owner = claim.metadata.owner_references[0];
  CHECK(owner == OwnerReference{"v1", "Pod", pod.metadata.name, pod.metadata.uid, true});
}

TEST_SUITE("resource claims of new pods") {
  TEST_CASE("each pod gets a claim from the template, which it owns and names") {
    struct Row {
      const char *sentence, *kind;
      std::string files, cluster;
    };
    const Row rows[] = {
        {"the template is in the files", "Deployment", kClaimTemplate, ""},
        {"it is in the cluster", "Deployment", "", kClaimTemplate},
        {"of a StatefulSet", "StatefulSet", kClaimTemplate, ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto made = expanded(claiming(row.kind) + row.files, row.cluster);
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      const PodSet& set = made->sets.at(0);
      CHECK(set.not_judged().empty());
      std::set<std::string> names;
      for (std::size_t i = 0; i < 2; ++i) {
        const std::vector<ResourceClaim> claims = set.resource_claims(i);
        REQUIRE(claims.size() == 1);
        check_owned(claims[0], set.pod(i));
        CHECK(claims[0].metadata.labels == StringMap{{"tier", "ml"}});
        CHECK(claims[0].metadata.annotations ==
              StringMap{{"note", "x"}, {"resource.kubernetes.io/pod-claim-name", "own"}});
        REQUIRE(claims[0].spec.requests.size() == 1);
        CHECK(claims[0].spec.requests[0].exactly->count == 1);  // The template's default.
        CHECK_FALSE(claims[0].allocation);
        names.insert(claims[0].metadata.name);
      }
      CHECK(names.size() == 2);
      CHECK(set.pod(0) == set.pod(0));
      CHECK(set.resource_claims(0) == set.resource_claims(0));
    }
  }

  TEST_CASE("the template of the files counts before the cluster's of its name") {
    std::string other = kClaimTemplate;
    other.replace(other.find("tier: ml"), 8, "tier: db");
    const auto made = expanded(claiming() + kClaimTemplate, other);
    REQUIRE(made);
    CHECK(made->sets.at(0).resource_claims(0).at(0).metadata.labels.at("tier") == "ml");
  }

  TEST_CASE("without the template the pods have no claim, and so is said") {
    const auto made = expanded(claiming());
    REQUIRE(made);
    const PodSet& set = made->sets.at(0);
    CHECK(set.resource_claims(0).empty());
    CHECK(set.pod(0).status.resource_claim_statuses.empty());
    CHECK(set.not_judged() ==
          std::vector<std::string>{
              "spec.resourceClaims: ResourceClaimTemplate \"any-gpu\" is not in the input, so "
              "no claim is made from it"});
  }

  TEST_CASE("a claim that is there keeps its name, and the new one gets another") {
    const auto free = expanded(claiming("StatefulSet") + kClaimTemplate);
    REQUIRE(free);
    const std::string name = own_claim(free->sets.at(0).pod(0));
    for (const bool in_files : {true, false}) {
      CAPTURE(in_files);
      const auto made =
          expanded(claiming("StatefulSet") + kClaimTemplate + (in_files ? claim_object(name) : ""),
                   in_files ? "" : claim_object(name));
      REQUIRE_MESSAGE(made.has_value(), made.error().message);
      const PodSet& set = made->sets.at(0);
      CHECK(own_claim(set.pod(0)) != name);
      check_owned(set.resource_claims(0).at(0), set.pod(0));
      CHECK(own_claim(set.pod(1)) == own_claim(free->sets[0].pod(1)));
    }
  }

  TEST_CASE("the name of a claim is cut from both sides, as upstream cuts it") {
    CHECK(resource_claim_prefix("web-0", "gpu") == "web-0-gpu-");
    const std::string pod(50, 'p'), claim(40, 'c');
    CHECK(resource_claim_prefix(pod, claim) == std::string(30, 'p') + "-" + std::string(24, 'c'));
    CHECK(resource_claim_prefix(std::string(50, 'p'), "ccccc").size() == 57);
    CHECK(resource_claim_prefix(std::string(51, 'p'), "ccccc") == std::string(50, 'p') + "-cccc");
  }

  TEST_CASE("pods whose names differ only where the claim's name is cut have each a claim of their own") {
    const std::string name(60, 'w');
    const auto made =
        expanded("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: " + name +
                 ", namespace: shop}\nspec:\n  replicas: 40\n  selector: {matchLabels: {app: web}}\n"
                 "  template: {metadata: {labels: {app: web}}, spec: {" +
                 kClaimingPods + "}}\n" + kClaimTemplate);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    std::set<std::string> names;
    for (std::size_t i = 0; i < 40; ++i) names.insert(own_claim(made->sets.at(0).pod(i)));
    CHECK(names.size() == 40);
  }

  TEST_CASE("more pods of a workload get claims as the one that is there") {
    State state;
    Pod like = pod("web-abc-1").in("shop").on("n");
    like.metadata.owner_references = {{"apps/v1", "ReplicaSet", "web-abc", "r", true}};
    like.spec.resource_claims = {{"own", std::nullopt, "any-gpu"}};
    like.status.resource_claim_statuses = {{"own", "web-abc-1-own-x"}};
    ResourceClaim claim;
    claim.metadata = meta("shop", "web-abc-1-own-x");
    claim.metadata.labels["tier"] = "ml";
    claim.spec.requests.push_back({.name = "one", .exactly = DeviceRequestBody(), .first_available = {}});
    claim.allocation.emplace();
    claim.reserved_for = {{"", "pods", "web-abc-1", "u"}};
    SUBCASE("by its claim") {
      state.devices.set(claim);
      const PodSet set = more_pods(state, "Deployment shop/web", like, 1);
      const std::vector<ResourceClaim> claims = set.resource_claims(0);
      REQUIRE(claims.size() == 1);
      check_owned(claims[0], set.pod(0));
      CHECK(claims[0].metadata.labels == StringMap{{"tier", "ml"}});
      CHECK(claims[0].spec == claim.spec);
      CHECK_FALSE(claims[0].allocation);
      CHECK(claims[0].reserved_for.empty());
    }
    SUBCASE("by the template, if that is known") {
      state.devices.set(claim);
      ResourceClaimTemplate made;
      made.metadata = meta("shop", "any-gpu");
      made.labels["tier"] = "new";
      ObjectWriter<ResourceClaimTemplate>::set(state, made);
      const PodSet set = more_pods(state, "Deployment shop/web", like, 1);
      CHECK(set.resource_claims(0).at(0).metadata.labels == StringMap{{"tier", "new"}});
    }
    SUBCASE("none, if neither is known") {
      const PodSet set = more_pods(state, "Deployment shop/web", like, 1);
      CHECK(set.resource_claims(0).empty());
      CHECK(set.not_judged().size() == 1);
    }
  }

  TEST_CASE("a DaemonSet's pod on a new node has its claim, of files and of the cluster") {
    const std::string nodes = "---\nkind: Node\nmetadata: {name: a}\n";
    const auto made =
        expanded(workload("apps/v1", "DaemonSet", kSelector, kClaimingPods) + kClaimTemplate, nodes);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    const PodSet of_file = made->sets.at(0).on_new_node(node("b"));
    REQUIRE(of_file.size() == 1);
    check_owned(of_file.resource_claims(0).at(0), of_file.pod(0));

    Pod daemon = pod("web-x").in("shop").on("a");
    daemon.metadata.owner_references = {{"apps/v1", "DaemonSet", "web", "d", true}};
    daemon.spec.resource_claims = {{"own", std::nullopt, "any-gpu"}};
    daemon.status.resource_claim_statuses = {{"own", "web-x-own-1"}};
    ClusterOfText cluster(nodes + kClaimTemplate);
    const PodSet known = daemon_set_of(cluster.state(), daemon).on_new_node(node("b"));
    REQUIRE(known.size() == 1);
    check_owned(known.resource_claims(0).at(0), known.pod(0));
  }
}

}  // namespace
}  // namespace winnow::test
