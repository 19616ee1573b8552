#include "cluster/api/node.h"

#include <algorithm>
#include <string_view>

namespace winnow {
namespace {

struct Feature {
  std::string_view name;
  unsigned bit = 0;  ///< The DeclaredFeature; 0: no pod needs the feature for its placement.
};

/// All features that upstream registers, sorted by name.
constexpr Feature kFeatures[] = {
    {"DRANodeAllocatableResources"},
    {"DRAOptionalNodeOperations", kOptionalNodeOperations},
    {"ExtendWebSocketsToKubelet"},
    {"InPlacePodLevelResourcesVerticalScaling"},
    {"InPlacePodVerticalScalingInitContainers"},
    {"InPlacePodVerticalScalingMemoryBackedVolumes"},
    {"RestartAllContainersOnContainerExits", kRestartAllContainers},
    {"UserNamespacesHostNetworkSupport", kUserNamespacesHostNetwork},
    {"VolumeBindMountOptions", kVolumeBindMountOptions},
};

}  // namespace

std::uint8_t declared_features(std::span<const std::string> names) {
  unsigned declared = 0;
  auto feature = std::begin(kFeatures);
  for (const std::string& name : names) {
    while (feature != std::end(kFeatures) && feature->name < name) ++feature;
    if (feature == std::end(kFeatures)) break;
    if (feature->name == name) declared |= feature++->bit;
  }
  if (std::ranges::contains(names, "DRAOptionalNodeOperations")) declared |= kOptionalNodeOperations;
  return static_cast<std::uint8_t>(declared);
}

std::vector<std::string> feature_names(std::uint8_t bits) {
  std::vector<std::string> names;
  for (const Feature& feature : kFeatures)
    if (bits & feature.bit) names.emplace_back(feature.name);
  return names;
}

std::uint8_t needed_features(const PodSpec& pod) {
  unsigned needed = 0;
  for (const auto* list : {&pod.containers, &pod.init_containers})
    if (std::ranges::any_of(*list, &Container::restarts_all)) needed |= kRestartAllContainers;
  if (pod.host_network && pod.host_users == false) needed |= kUserNamespacesHostNetwork;
  for (const auto* list : {&pod.containers, &pod.init_containers, &pod.ephemeral_containers})
    if (std::ranges::any_of(*list, &Container::mounts_with_options)) needed |= kVolumeBindMountOptions;
  return static_cast<std::uint8_t>(needed);
}

}  // namespace winnow
