// Declared features: those that nodes declare in status.declaredFeatures, and that some pods need.
// Upstream: component-helpers v0.37.0 nodedeclaredfeatures (framework.go, featureset.go, features/).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

/// The features that decide on which nodes a pod may run, one bit each. Upstream has more, which matter only
/// when a pod is updated.
enum DeclaredFeature : std::uint8_t {
  kRestartAllContainers = 1 << 0,       ///< RestartAllContainersOnContainerExits
  kUserNamespacesHostNetwork = 1 << 1,  ///< UserNamespacesHostNetworkSupport
  kVolumeBindMountOptions = 1 << 2,     ///< VolumeBindMountOptions
};

/// The DeclaredFeature bits of `node.status.declaredFeatures`. Like upstream, this assumes a sorted list: a
/// name that comes after a greater one is not found.
std::uint8_t declared_features(std::span<const std::string> names);

/// The names of these bits, sorted: declared_features(feature_names(bits)) is `bits`.
std::vector<std::string> feature_names(std::uint8_t bits);

/// The DeclaredFeature bits that a pod needs from its node.
std::uint8_t needed_features(const PodSpec& pod);

}  // namespace winnow
