// Features that a node's software declares, and that some pods need.
// Upstream: component-helpers v0.37.0 nodedeclaredfeatures (framework.go, featureset.go, features/).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cluster/model/pod.h"

namespace winnow {

/// Those that decide where a pod may run. Upstream knows more, which only updates of a pod are judged by.
enum DeclaredFeature : std::uint8_t {
  kRestartAllContainers = 1 << 0,       ///< RestartAllContainersOnContainerExits
  kUserNamespacesHostNetwork = 1 << 1,  ///< UserNamespacesHostNetworkSupport
  kVolumeBindMountOptions = 1 << 2,     ///< VolumeBindMountOptions
};

/// What `node.status.declaredFeatures` comes to. As upstream the list is read as a sorted one: a name behind
/// one that sorts after it is lost.
std::uint8_t declared_features(std::span<const std::string> names);

/// What a pod needs of its node.
std::uint8_t needed_features(const PodSpec& pod);

}  // namespace winnow
