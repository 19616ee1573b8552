// The features that nodes declare (node.status.declaredFeatures), and that some pods need.
// Upstream: component-helpers v0.37.0 nodedeclaredfeatures (framework.go, featureset.go, features/).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cluster/api/pod.h"

namespace winnow {

/// The features that decide where a pod may run. Upstream has more, which matter only for updates of pods.
enum DeclaredFeature : std::uint8_t {
  kRestartAllContainers = 1 << 0,       ///< RestartAllContainersOnContainerExits
  kUserNamespacesHostNetwork = 1 << 1,  ///< UserNamespacesHostNetworkSupport
  kVolumeBindMountOptions = 1 << 2,     ///< VolumeBindMountOptions
};

/// The DeclaredFeature bits of `node.status.declaredFeatures`. As upstream, this takes the list for sorted: a
/// name that comes after one that sorts behind it is not found.
std::uint8_t declared_features(std::span<const std::string> names);

/// The DeclaredFeature bits that a pod needs of its node.
std::uint8_t needed_features(const PodSpec& pod);

}  // namespace winnow
