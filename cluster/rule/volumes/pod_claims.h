// A pod's claims, sorted as volume binding treats them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/storage.h"
#include "cluster/state/view.h"

namespace winnow {

/// The claims of one pod by their state, in the pod's order. A claim that two volumes name is listed twice.
/// The view owns the claims.
struct PodClaims {
  std::vector<const PersistentVolumeClaim*>
      bound;  ///< With spec.volumeName and the bind-completed annotation.
  std::vector<const PersistentVolumeClaim*> delayed;  ///< Without a volume; the class waits for a consumer.
  bool unbound_immediate = false;                     ///< Some claim is neither bound nor delayed.
};

/// Sorts the pod's claims. Today's generation includes the claims of ephemeral volumes, and does not check
/// that the pod owns them.
/// @return the claims, or upstream's error for the first that is missing, or whose class has no binding mode.
/// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go getPodVolumes v1.16.15;
/// pkg/scheduler/framework/plugins/volumebinding/binder.go GetPodVolumeClaims v1.37.0.
std::expected<PodClaims, std::string> claims_of(const View& view, const Pod& pod, Generation generation);

/// The name of the claim that a volume of the pod uses; nothing for a volume without a claim. The classic
/// generation knows no ephemeral volumes.
std::optional<std::string> claim_name(const Pod& pod, const Volume& volume, Generation generation);

}  // namespace winnow
