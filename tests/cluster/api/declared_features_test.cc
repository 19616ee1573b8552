#include <doctest/doctest.h>

#include <vector>

#include "cluster/api/node.h"

namespace winnow {

TEST_CASE("declared features are read as a sorted list") {
  constexpr const char* kRestart = "RestartAllContainersOnContainerExits";
  constexpr const char* kUsers = "UserNamespacesHostNetworkSupport";
  constexpr const char* kMounts = "VolumeBindMountOptions";
  struct Row {
    const char* sentence;
    std::vector<std::string> names;
    unsigned declared;
  };
  const Row rows[] = {
      {"none", {}, 0},
      {"one", {kUsers}, kUserNamespacesHostNetwork},
      {"all",
       {kRestart, kUsers, kMounts},
       kRestartAllContainers | kUserNamespacesHostNetwork | kVolumeBindMountOptions},
      {"twice is once", {kRestart, kRestart, kMounts}, kRestartAllContainers | kVolumeBindMountOptions},
      {"an unknown name in its place",
       {"A", kRestart, "S", kMounts, "Z"},
       kRestartAllContainers | kVolumeBindMountOptions},
      {"a name that decides no placement", {"DRANodeAllocatableResources", kMounts}, kVolumeBindMountOptions},
      {"what comes behind a later name is lost", {kMounts, kRestart}, kVolumeBindMountOptions},
      {"also behind one that decides nothing",
       {"InPlacePodVerticalScalingInitContainers", kRestart, "A", kUsers},
       kRestartAllContainers | kUserNamespacesHostNetwork},
      {"and behind an unknown one", {"Zzz", kMounts}, 0},
      {"but not what devices need", {"Zzz", "DRAOptionalNodeOperations"}, kOptionalNodeOperations},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(declared_features(row.names) == row.declared);
  }
}

}  // namespace winnow
