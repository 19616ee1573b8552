// The ResourceClaims that pods get from templates.
#include <algorithm>
#include <cstdint>
#include <format>
#include <utility>

#include "cluster/expand/made_names.h"
#include "cluster/expand/pod_set.h"
#include "cluster/state/state.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

/// The name of the claim in the pod, as an annotation of the claim.
constexpr const char* kPodClaimName = "resource.kubernetes.io/pod-claim-name";

/// Upstream: pkg/controller/resourceclaim/controller.go handleClaim v1.37.2.
ResourceClaim claim_of(const ResourceClaimTemplate& made, const std::string& name) {
  ResourceClaim claim;
  claim.metadata.labels = made.labels;
  claim.metadata.annotations = made.annotations;
  claim.metadata.annotations[kPodClaimName] = name;
  claim.spec = made.spec;
  return claim;
}

/// The claim that a pod has, without what ties it to the pod and to devices.
const ResourceClaim* claim_of(const State& cluster, const Pod& pod, const std::string& name) {
  const auto& statuses = pod.status.resource_claim_statuses;
  const auto status = std::ranges::find(statuses, name, &PodResourceClaimStatus::name);
  if (status == statuses.end() || !status->resource_claim_name) return nullptr;
  return cluster.devices.find_claim(pod.metadata.namespace_, *status->resource_claim_name);
}

ResourceClaim as_template(const ResourceClaim& known) {
  ResourceClaim claim;
  claim.metadata.labels = known.metadata.labels;
  claim.metadata.annotations = known.metadata.annotations;
  claim.spec = known.spec;
  return claim;
}

/// What is told where the template of a claim is missing.
std::string lacks_template(const std::string& name) {
  return std::format(
      "spec.resourceClaims: ResourceClaimTemplate {} is not in the input, so no claim is made from it",
      go_quote(name));
}

/// A number that the claims of other pods of the object do not have. Prefixes are cut, so they may be equal.
std::uint32_t number_of(const PodRecipe& recipe, const PodNumber& number, std::size_t claim) {
  const bool by_number = recipe.identity == Identity::kOrdinal || recipe.identity == Identity::kIndex;
  constexpr std::uint32_t kUsualClaims =
      16;  // Of one pod. More have other names in the pod, and other prefixes.
  return (by_number ? number.number : number.suffix) * kUsualClaims +
         static_cast<std::uint32_t>(claim % kUsualClaims);
}

}  // namespace

void find_resource_claims(PodRecipe& recipe, FindClaimTemplate find) {
  for (const PodResourceClaim& one : recipe.pattern.spec.resource_claims) {
    if (!one.resource_claim_template_name) continue;
    const std::string& name = *one.resource_claim_template_name;
    if (const ResourceClaimTemplate* const made = find(recipe.pattern.metadata.namespace_, name))
      recipe.resource_claims.push_back({.name = one.name, .claim = claim_of(*made, one.name)});
    else
      recipe.not_judged.push_back(lacks_template(name));
  }
}

void find_resource_claims(PodRecipe& recipe, const State& cluster, const Pod& like) {
  for (const PodResourceClaim& one : like.spec.resource_claims) {
    if (!one.resource_claim_template_name) continue;
    const auto& templates = cluster.objects.of<ResourceClaimTemplate>();
    const auto made = templates.find(key_of(like.metadata.namespace_, *one.resource_claim_template_name));
    if (made != templates.end())
      recipe.resource_claims.push_back({.name = one.name, .claim = claim_of(made->second, one.name)});
    else if (const ResourceClaim* const known = claim_of(cluster, like, one.name))
      recipe.resource_claims.push_back({.name = one.name, .claim = as_template(*known)});
    else
      recipe.not_judged.push_back(lacks_template(*one.resource_claim_template_name));
  }
}

std::string resource_claim_name(const PodRecipe& recipe, const PodNumber& number, std::size_t claim) {
  const std::string prefix =
      resource_claim_prefix(name_of(recipe, number), recipe.resource_claims[claim].name);
  std::uint32_t suffix = number_of(recipe, number, claim);
  // An API server draws again, too.
  for (std::string name;; ++suffix)
    if (name = generated_name(prefix, suffix % kSuffixes); !recipe.taken_names.contains(name)) return name;
}

void note_taken_names(PodRecipe& recipe,
                      FunctionRef<bool(const std::string& ns, const std::string& name)> is_taken) {
  const std::string& ns = recipe.pattern.metadata.namespace_;
  for (const PodNumber& number : recipe.numbers)
    for (std::size_t claim = 0; claim < recipe.resource_claims.size(); ++claim)
      for (std::string name = resource_claim_name(recipe, number, claim); is_taken(ns, name);
           name = resource_claim_name(recipe, number, claim))
        recipe.taken_names.insert(name);
}

std::vector<ResourceClaim> make_resource_claims(const PodRecipe& recipe, const PodNumber& number) {
  std::vector<ResourceClaim> claims;
  if (recipe.resource_claims.empty()) return claims;
  const std::string& ns = recipe.pattern.metadata.namespace_;
  const std::string pod = name_of(recipe, number);
  for (std::size_t i = 0; i < recipe.resource_claims.size(); ++i) {
    ResourceClaim& claim = claims.emplace_back(recipe.resource_claims[i].claim);
    claim.metadata.name = resource_claim_name(recipe, number, i);
    claim.metadata.namespace_ = ns;
    claim.metadata.uid = ns + "/" + claim.metadata.name;
    claim.metadata.owner_references = {
        {.api_version = "v1", .kind = "Pod", .name = pod, .uid = ns + "/" + pod, .controller = true}};
  }
  return claims;
}

}  // namespace winnow
