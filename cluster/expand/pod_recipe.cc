#include "cluster/expand/pod_recipe.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/defaults/pod_creation.h"
#include "cluster/expand/daemon_pods.h"
#include "cluster/expand/made_names.h"

namespace winnow {
namespace {

/// Upstream: pkg/controller/statefulset/stateful_set_utils.go getPersistentVolumeClaimName v1.37.0.
std::string ordinal_claim(const PersistentVolumeClaim& claim, const PodRecipe& recipe,
                          std::uint32_t ordinal) {
  return std::format("{}-{}-{}", claim.metadata.name, recipe.prefix, ordinal);
}

/// The volumes of claims come first; they replace those of their names.
/// Upstream: stateful_set_utils.go updateStorage v1.37.0, where the order of claims is chance.
void mount_claims(Pod& pod, const PodRecipe& recipe, std::uint32_t ordinal) {
  std::vector<Volume> volumes;
  for (const PersistentVolumeClaim& claim : recipe.claim_templates) {
    Volume& made = volumes.emplace_back();
    made.name = claim.metadata.name;
    made.source = VolumeSource::kPersistentVolumeClaim;
    made.id = ordinal_claim(claim, recipe, ordinal);
  }
  for (Volume& one : pod.spec.volumes)
    if (!std::ranges::contains(recipe.claim_templates, one.name,
                               [](const PersistentVolumeClaim& claim) { return claim.metadata.name; }))
      volumes.push_back(std::move(one));
  pod.spec.volumes = std::move(volumes);
}

void identify(Pod& pod, const PodRecipe& recipe, const PodNumber& number) {
  const std::string text = std::to_string(number.number);
  switch (recipe.identity) {
    case Identity::kOrdinal:  // Upstream: stateful_set_utils.go updateIdentity v1.37.0.
      pod.metadata.labels["statefulset.kubernetes.io/pod-name"] = pod.metadata.name;
      pod.metadata.labels["apps.kubernetes.io/pod-index"] = text;
      return mount_claims(pod, recipe, number.number);
    case Identity::kIndex:  // Upstream: pkg/controller/job/indexed_job_utils.go v1.37.0.
      pod.metadata.labels["batch.kubernetes.io/job-completion-index"] = text;
      pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] = text;
      return;
    case Identity::kNode:
      return require_node(pod.spec, recipe.nodes[number.number]);
    case Identity::kSuffix:
    case Identity::kGiven:
      return;
  }
}

void add_claim(std::vector<PersistentVolumeClaim>& claims, const PodRecipe& recipe,
               PersistentVolumeClaim claim, std::string name) {
  ObjectMeta& metadata = claim.metadata;
  metadata.name = std::move(name);
  metadata.namespace_ = recipe.pattern.metadata.namespace_;
  std::string key = metadata.namespace_ + "/" + metadata.name;
  if (recipe.known_claims.contains(key)) return;
  metadata.uid = std::move(key);
  claims.push_back(std::move(claim));
}

}  // namespace

std::string name_of(const PodRecipe& recipe, const PodNumber& number) {
  switch (recipe.identity) {
    case Identity::kGiven:
      return recipe.pattern.metadata.name;
    case Identity::kOrdinal:
      return std::format("{}-{}", recipe.prefix, number.number);
    case Identity::kIndex:
      return generated_name(indexed_prefix(recipe.prefix, number.number), number.suffix);
    default:
      return generated_name(recipe.prefix, number.suffix);
  }
}

Pod make_pod(const PodRecipe& recipe, const PodNumber& number) {
  Pod pod = recipe.pattern;
  pod.metadata.name = name_of(recipe, number);
  pod.metadata.uid = pod.metadata.namespace_ + "/" + pod.metadata.name;
  identify(pod, recipe, number);
  if (!recipe.was_stored) prepare_for_create(pod);
  return pod;
}

std::vector<PersistentVolumeClaim> make_claims(const PodRecipe& recipe, const PodNumber& number) {
  std::vector<PersistentVolumeClaim> claims;
  for (const PersistentVolumeClaim& claim : recipe.claim_templates)
    add_claim(claims, recipe, claim, ordinal_claim(claim, recipe, number.number));
  if (recipe.ephemeral_claims.empty()) return claims;
  const std::string pod = name_of(recipe, number);
  // Upstream: pkg/controller/volume/ephemeral/controller.go handleVolume v1.37.0.
  for (const EphemeralClaim& one : recipe.ephemeral_claims) {
    PersistentVolumeClaim claim = one.claim;
    claim.metadata.owner_references = {{.api_version = "v1",
                                        .kind = "Pod",
                                        .name = pod,
                                        .uid = recipe.pattern.metadata.namespace_ + "/" + pod,
                                        .controller = true}};
    add_claim(claims, recipe, std::move(claim), pod + "-" + one.volume);
  }
  return claims;
}

}  // namespace winnow
