#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test::no_volume_zone_conflict_test {
namespace {

const char* const kRefused = "unresolvable: node(s) had no available volume zone";
const char* const kOldZone = "failure-domain.beta.kubernetes.io/zone";
const char* const kOldRegion = "failure-domain.beta.kubernetes.io/region";
const char* const kNewZone = "topology.kubernetes.io/zone";
const char* const kNewRegion = "topology.kubernetes.io/region";

Pod mounts(std::initializer_list<std::string> claims) {
  PodBuilder made = pod("web");
  for (const std::string& name : claims) made.mounts(claim(name));
  return made;
}

/// A claim NAME bound to a volume NAME for each volume.
Storage bound(std::vector<PersistentVolume> volumes) {
  Storage storage;
  for (const PersistentVolume& one : volumes)
    storage.claims.push_back(pvc(one.metadata.name).names(one.metadata.name));
  storage.volumes = std::move(volumes);
  return storage;
}

}  // namespace

TEST_CASE("NoVolumeZoneConflict: labels") {
  const Node zone_a = node("n").label(kOldZone, "a").label(kOldRegion, "r");
  const Storage storage =
      bound({pv("a").label(kOldZone, "a"), pv("b").label(kOldZone, "b"), pv("ab").label(kOldZone, "b__a"),
             pv("spaced").label(kOldZone, "b__ a "), pv("bc").label(kOldZone, "b__c"),
             pv("malformed").label(kOldZone, "b__"), pv("empty").label(kOldZone, ""),
             pv("single-underscore").label(kOldZone, "b_a"), pv("region-r").label(kOldRegion, "r"),
             pv("region-s").label(kOldRegion, "s"), pv("a-in-s").label(kOldZone, "a").label(kOldRegion, "s"),
             pv("unlabelled"), pv("unknown").label(kOldZone, "nobody-has-heard-of-it"),
             pv("other").label("zone", "b")});
  const Placement rows[] = {
      {"no volumes", pod("web"), zone_a, {}, "fits"},
      {"no claims", pod("web").mounts(gce_disk("d")), zone_a, {}, "fits"},
      {"the node's zone", mounts({"a"}), zone_a, {}, "fits"},
      {"another zone", mounts({"b"}), zone_a, {}, kRefused},
      {"one of two zones", mounts({"ab"}), zone_a, {}, "fits"},
      {"spaces around a zone do not matter", mounts({"spaced"}), zone_a, {}, "fits"},
      {"two other zones", mounts({"bc"}), zone_a, {}, kRefused},
      {"a zone that no node is in", mounts({"unknown"}), zone_a, {}, kRefused},
      {"a list with nothing at its end says nothing", mounts({"malformed"}), zone_a, {}, "fits"},
      {"nor does an empty label", mounts({"empty"}), zone_a, {}, "fits"},
      {"one underscore is part of the name", mounts({"single-underscore"}), zone_a, {}, kRefused},
      {"the node's region", mounts({"region-r"}), zone_a, {}, "fits"},
      {"another region", mounts({"region-s"}), zone_a, {}, kRefused},
      {"the right zone in another region", mounts({"a-in-s"}), zone_a, {}, kRefused},
      {"a volume without labels", mounts({"unlabelled"}), zone_a, {}, "fits"},
      {"a volume with other labels", mounts({"other"}), zone_a, {}, "fits"},
      {"the second volume", mounts({"a", "b"}), zone_a, {}, kRefused},
      {"a node without labels", mounts({"b"}), node("n"), {}, "fits"},
      {"a node without the label that the volume has",
       mounts({"a"}),
       node("n").label(kOldRegion, "r"),
       {},
       kRefused},
      {"a node with an empty label", mounts({"a"}), node("n").label(kOldZone, ""), {}, kRefused},
  };
  check_verdicts("NoVolumeZoneConflict", storage, rows);
  check_verdicts("NoVolumeZoneConflict", storage, rows, kDefaults);
}

TEST_CASE("NoVolumeZoneConflict: claims that cannot be judged") {
  const Node zone_a = node("n").label(kOldZone, "a");
  const Node nowhere = node("n");
  Storage storage = bound({pv("b").label(kOldZone, "b")});
  storage.claims.insert(
      storage.claims.end(),
      {pvc("gone").names("pv-gone"), pvc("delayed").of_class("delayed"),
       pvc("immediate").of_class("immediate"), pvc("no-mode").of_class("no-mode"), pvc("no-class"),
       pvc("no-such-class").of_class("nobody"),
       pvc("annotated")
           .of_class("immediate")
           .annotation("volume.beta.kubernetes.io/storage-class", "delayed"),
       pvc("annotated-away").of_class("delayed").annotation("volume.beta.kubernetes.io/storage-class", "")});
  storage.classes = {storage_class("delayed", "x"), storage_class("immediate", "x", "Immediate"),
                     storage_class("no-mode", "x", "")};
  const Placement rows[] = {
      {"a claim without a name", mounts({""}), zone_a, {}, "error: PersistentVolumeClaim had no name"},
      {"a claim that is not there",
       mounts({"nobody"}),
       zone_a,
       {},
       "error: persistentvolumeclaim \"nobody\" not found"},
      {"a volume that is gone",
       mounts({"gone"}),
       zone_a,
       {},
       "error: persistentvolume \"pv-gone\" not found"},
      {"unbound, waiting for its first consumer", mounts({"delayed"}), zone_a, {}, "fits"},
      {"unbound, of a class that does not wait",
       mounts({"immediate"}),
       zone_a,
       {},
       "error: PersistentVolumeClaim was not found: \"immediate\""},
      {"unbound, of a class that does not say",
       mounts({"no-mode"}),
       zone_a,
       {},
       "error: VolumeBindingMode not set for StorageClass \"no-mode\""},
      {"unbound, without a class",
       mounts({"no-class"}),
       zone_a,
       {},
       "error: PersistentVolumeClaim was not found: \"no-class\""},
      {"unbound, of a class that is not there",
       mounts({"no-such-class"}),
       zone_a,
       {},
       "error: PersistentVolumeClaim was not found: \"no-such-class\""},
      {"the annotation's class counts", mounts({"annotated"}), zone_a, {}, "fits"},
      {"an empty annotation takes the class away",
       mounts({"annotated-away"}),
       zone_a,
       {},
       "error: PersistentVolumeClaim was not found: \"annotated-away\""},
      {"a node without zones is not asked about any of it", mounts({"nobody"}), nowhere, {}, "fits"},
      {"a conflict before the error", mounts({"b", "nobody"}), zone_a, {}, kRefused},
      {"a conflict behind the error",
       mounts({"gone", "b"}),
       zone_a,
       {},
       "error: persistentvolume \"pv-gone\" not found"},
  };
  check_verdicts("NoVolumeZoneConflict", storage, rows);
}

TEST_CASE("NoVolumeZoneConflict: today's labels where the old ones are missing") {
  const Storage storage = bound({pv("old-a").label(kOldZone, "a"), pv("new-a").label(kNewZone, "a"),
                                 pv("old-a-new-b").label(kOldZone, "a").label(kNewZone, "b"),
                                 pv("region-s").label(kNewRegion, "s")});
  const Node new_b = node("n").label(kNewZone, "b").label(kNewRegion, "r");
  const Node old_a_new_b = node("n").label(kOldZone, "a").label(kNewZone, "b");
  const Placement rows[] = {
      {"an old volume, a new node", mounts({"old-a"}), new_b, {}, kRefused},
      {"a new volume, a new node", mounts({"new-a"}), new_b, {}, kRefused},
      {"a new volume, its node", mounts({"new-a"}), node("n").label(kNewZone, "a"), {}, "fits"},
      {"a new volume, an old node", mounts({"new-a"}), node("n").label(kOldZone, "b"), {}, kRefused},
      {"the node's old label wins", mounts({"new-a"}), old_a_new_b, {}, "fits"},
      {"the volume's old label wins", mounts({"old-a-new-b"}), new_b, {}, kRefused},
      {"label by label: a new region beside an old zone",
       mounts({"region-s"}),
       node("n").label(kOldZone, "a").label(kNewRegion, "r"),
       {},
       kRefused},
  };
  check_verdicts("NoVolumeZoneConflict", storage, rows, kDefaults);
  const Placement exact[] = {
      {"a new node has no zone", mounts({"old-a"}), new_b, {}, "fits"},
      {"a new volume has no zone", mounts({"new-a"}), node("n").label(kOldZone, "b"), {}, "fits"},
  };
  check_verdicts("NoVolumeZoneConflict", storage, exact, kExact);
}

}  // namespace winnow::test::no_volume_zone_conflict_test
