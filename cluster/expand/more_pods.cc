#include "cluster/expand/more_pods.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cluster/expand/controllers.h"
#include "cluster/expand/made_names.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

/// The claim without what ties it to its pod and its volume.
PersistentVolumeClaim as_template(const State& cluster, const std::string& ns, const std::string& name) {
  PersistentVolumeClaim claim;
  if (const PersistentVolumeClaim* const known = cluster.volumes.claim(ns, name)) claim = *known;
  ObjectMeta bare;
  bare.labels = std::move(claim.metadata.labels);
  claim.metadata = std::move(bare);
  claim.volume_name.clear();
  claim.phase = "Pending";
  return claim;
}

/// The claims of volumeClaimTemplates are named VOLUME-POD.
void find_claim_templates(PodRecipe& recipe, const State& cluster, const Pod& like) {
  for (const Volume& volume : like.spec.volumes) {
    if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
    if (volume.id != volume.name + '-' + like.metadata.name) continue;
    PersistentVolumeClaim& claim =
        recipe.claim_templates.emplace_back(as_template(cluster, like.metadata.namespace_, volume.id));
    claim.metadata.name = volume.name;
  }
}

void find_ephemeral_claims(PodRecipe& recipe, const State& cluster, const Pod& like) {
  for (const Volume& volume : like.spec.volumes)
    if (volume.source == VolumeSource::kEphemeral)
      recipe.ephemeral_claims.push_back(
          {.volume = volume.name,
           .claim = as_template(cluster, like.metadata.namespace_, like.metadata.name + '-' + volume.name)});
}

/// Claims of a StatefulSet outlive its pods.
void note_known_claims(PodRecipe& recipe, const State& cluster) {
  const std::string& ns = recipe.pattern.metadata.namespace_;
  for (const PodNumber& number : recipe.numbers)
    for (const PersistentVolumeClaim& claim : make_claims(recipe, number))
      if (cluster.volumes.claim(ns, claim.metadata.name))
        recipe.known_claims.insert(ns + "/" + claim.metadata.name);
}

void number_ordinals(PodRecipe& recipe, const State& cluster, std::uint32_t count) {
  for (std::uint32_t ordinal = 0; recipe.numbers.size() < count; ++ordinal) {
    const PodNumber number{.number = ordinal, .suffix = 0};
    if (cluster.find_pod(recipe.pattern.metadata.namespace_, name_of(recipe, number)) == kNone)
      recipe.numbers.push_back(number);
  }
}

}  // namespace

std::optional<std::uint32_t> ordinal_of(std::string_view stateful_set, std::string_view pod) {
  if (!pod.starts_with(stateful_set) || pod.size() < stateful_set.size() + 2) return std::nullopt;
  if (pod[stateful_set.size()] != '-') return std::nullopt;
  const std::string_view digits = pod.substr(stateful_set.size() + 1);
  std::uint32_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return ordinal;
}

PodSet more_pods(const State& cluster, std::string source, Pod like, std::uint32_t count) {
  const OwnerReference owner = like.metadata.owner_references.at(0);
  PodRecipe recipe;
  recipe.source = std::move(source);
  const bool by_ordinal =
      owner.kind == "StatefulSet" && ordinal_of(owner.name, like.metadata.name).has_value();
  recipe.identity = by_ordinal ? Identity::kOrdinal : Identity::kSuffix;
  recipe.prefix = by_ordinal ? owner.name : pods_prefix(owner.name);
  recipe.was_stored = true;
  if (by_ordinal) find_claim_templates(recipe, cluster, like);
  find_ephemeral_claims(recipe, cluster, like);
  find_resource_claims(recipe, cluster, like);
  like.metadata.resource_version.clear();
  like.metadata.creation_timestamp.reset();
  like.metadata.deleting = false;
  like.status = {};
  like.spec.node_name.clear();
  recipe.pattern = std::move(like);
  if (by_ordinal)
    number_ordinals(recipe, cluster, count);
  else
    Numbers(cluster).number(recipe, count, 0);
  note_known_claims(recipe, cluster);
  note_taken_names(recipe, [&](const std::string& ns, const std::string& name) {
    return cluster.devices.find_claim(ns, name) != nullptr;
  });
  return PodSet(std::move(recipe));
}

}  // namespace winnow
