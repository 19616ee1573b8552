// A pod's claims, as volume binding tells them apart.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/model/storage.h"
#include "cluster/state/view.h"

namespace winnow::predicates {

/// In the pod's order; a claim that the pod names twice stands twice. The claims are the view's.
struct PodClaims {
  std::vector<const PersistentVolumeClaim*>
      bound;  ///< With spec.volumeName and the bind-completed annotation.
  std::vector<const PersistentVolumeClaim*> delayed;  ///< Without a volume; the class waits for a consumer.
  bool unbound_immediate = false;                     ///< Some are neither.
};

/// @return upstream's error for the first claim that is not there, or whose class has no binding mode.
/// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go getPodVolumes v1.16.15.
std::expected<PodClaims, std::string> claims_of(const View& view, const Pod& pod);

}  // namespace winnow::predicates
