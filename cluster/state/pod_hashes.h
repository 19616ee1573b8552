// Hashes of the parts of pods that the state interns.
#pragma once

#include <cstddef>

#include "cluster/api/pod.h"
#include "cluster/state/nodes/footprint.h"

namespace winnow {

// Each hash takes in every field. A field that is left out would make all pods that differ only there
// collide, and each of their events would compare the pod with all of them.
struct PodSpecHash {
  std::size_t operator()(const PodSpec& spec) const;
};
struct FootprintHash {
  std::size_t operator()(const Footprint& footprint) const;
};
struct OwnerHash {
  std::size_t operator()(const OwnerReference& owner) const;
};

}  // namespace winnow
