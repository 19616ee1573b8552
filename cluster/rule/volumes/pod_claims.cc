#include "cluster/rule/volumes/pod_claims.h"

#include <format>

#include "cluster/text/go_quote.h"

namespace winnow {
namespace {

bool is_bound(const PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.metadata.annotations.contains("pv.kubernetes.io/bind-completed");
}

/// Whether the claim waits for its first consumer. @return or upstream's error if its class has no binding
/// mode. A claim without a class, or whose class is unknown, does not wait.
std::expected<bool, std::string> is_delayed(const View& view, const PersistentVolumeClaim& claim) {
  const std::string_view name = class_of(claim);
  const StorageClass* storage_class = name.empty() ? nullptr : view.volumes().storage_class(name);
  if (!storage_class) return false;
  if (!storage_class->volume_binding_mode)
    return std::unexpected(std::format("VolumeBindingMode not set for StorageClass {}", go_quote(name)));
  return *storage_class->volume_binding_mode == "WaitForFirstConsumer" && claim.volume_name.empty();
}

}  // namespace

std::optional<std::string> claim_name(const Pod& pod, const Volume& volume, Generation generation) {
  if (volume.source == VolumeSource::kPersistentVolumeClaim) return volume.id;
  if (volume.source != VolumeSource::kEphemeral || generation == Generation::kClassic) return std::nullopt;
  return ephemeral_claim(pod, volume);
}

std::expected<PodClaims, std::string> claims_of(const View& view, const Pod& pod, Generation generation) {
  PodClaims claims;
  for (const Volume& volume : pod.spec.volumes) {
    const std::optional<std::string> name = claim_name(pod, volume, generation);
    if (!name) continue;
    const PersistentVolumeClaim* claim = view.volumes().claim(pod.metadata.namespace_, *name);
    if (!claim) {
      const std::string key = pod.metadata.namespace_ + '/' + *name;
      return std::unexpected(
          std::format("error getting PVC {0}: could not find v1.PersistentVolumeClaim {0}", go_quote(key)));
    }
    if (is_bound(*claim)) {
      claims.bound.push_back(claim);
      continue;
    }
    const std::expected<bool, std::string> delayed = is_delayed(view, *claim);
    if (!delayed) return std::unexpected(delayed.error());
    if (*delayed)
      claims.delayed.push_back(claim);
    else
      claims.unbound_immediate = true;
  }
  return claims;
}

}  // namespace winnow
