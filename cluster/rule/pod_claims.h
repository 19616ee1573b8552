// A pod's claims, as volume binding tells them apart.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/model/storage.h"
#include "cluster/state/view.h"

namespace winnow {

/// In the pod's order; a claim that the pod names twice stands twice. The claims are the view's.
struct PodClaims {
  std::vector<const PersistentVolumeClaim*>
      bound;  ///< With spec.volumeName and the bind-completed annotation.
  std::vector<const PersistentVolumeClaim*> delayed;  ///< Without a volume; the class waits for a consumer.
  bool unbound_immediate = false;                     ///< Some are neither.
};

/// Today's counts the claims of ephemeral volumes too, whosever they are.
/// @return upstream's error for the first claim that is not there, or whose class has no binding mode.
/// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go getPodVolumes v1.16.15;
/// pkg/scheduler/framework/plugins/volumebinding/binder.go GetPodVolumeClaims v1.37.0.
std::expected<PodClaims, std::string> claims_of(const View& view, const Pod& pod, Generation generation);

/// The name of the claim of a volume; null for a volume that has none.
std::optional<std::string> claim_name(const Pod& pod, const Volume& volume, Generation generation);

}  // namespace winnow
