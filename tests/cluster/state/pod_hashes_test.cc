// Pods that differ in one field only have different hashes, so that no event compares a pod with thousands.
#include <doctest/doctest.h>

#include <set>

#include "cluster/state/dictionaries.h"
#include "cluster/state/footprint.h"
#include "cluster/state/pod_record.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

TEST_CASE("specs that differ in one field have different hashes") {
  std::vector<PodBuilder> pods(12, pod("p").container("c").cpu("1"));
  pods[1].limit("cpu", "2");
  pods[2].limit("cpu", "2n");
  pods[3].host_port(80);
  pods[4].host_port(80, "UDP");
  pods[5].tolerates("a");
  pods[6].tolerates("a", "Equal", "b");
  pods[7].spreads("zone", selects({{"a", "b"}}));
  pods[8].spreads("zone", selects({{"a", "b"}}), 2);
  pods[9].overhead("cpu", "1");
  pods[10].mounts(rbd_image("i", "p", {"m1"}));
  pods[11].mounts(rbd_image("i", "p", {"m2"}));
  std::set<std::size_t> hashes;
  for (const PodBuilder& one : pods) hashes.insert(PodSpecHash{}(static_cast<const Pod&>(one).spec));
  CHECK(hashes.size() == pods.size());
  CHECK(PodSpecHash{}(static_cast<const Pod&>(pods[0]).spec) ==
        PodSpecHash{}(static_cast<const Pod&>(pod("q").container("c").cpu("1000m")).spec));
}

TEST_CASE("footprints and disks that differ in one field have different hashes") {
  std::vector<Footprint> footprints(5);
  footprints[1].scalars = {{1, 1}};
  footprints[2].scalars = {{1, 2}};
  footprints[3].ports = {{1, 2, 80}};
  footprints[4].ports = {{1, 3, 80}};
  std::set<std::size_t> hashes;
  for (const Footprint& one : footprints) hashes.insert(FootprintHash{}(one));
  CHECK(hashes.size() == footprints.size());
  const Disk disk{VolumeSource::kRbd, "i", "p", {"m"}, false};
  const Disk others[] = {{VolumeSource::kRbd, "i", "q", {"m"}, false},
                         {VolumeSource::kRbd, "i", "p", {"n"}, false},
                         {VolumeSource::kRbd, "i", "p", {"m"}, true}};
  for (const Disk& other : others) CHECK(DiskHash{}(other) != DiskHash{}(disk));
  const OwnerReference owner{"v1", "ReplicaSet", "a", "u", true};
  OwnerReference namesake = owner;
  namesake.name = "b";
  CHECK(OwnerHash{}(owner) != OwnerHash{}(namesake));
}

}  // namespace
}  // namespace winnow::test
