#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {

TEST_CASE("VolumeZone") {
  const char* const kBetaZone = "failure-domain.beta.kubernetes.io/zone";
  const char* const kZone = "topology.kubernetes.io/zone";
  const char* const kRegion = "topology.kubernetes.io/region";
  const char* const kConflict = "unresolvable: node(s) had no available volume zone";
  const Storage storage = {
      .claims = {pvc("old").bound_to("old"), pvc("new").bound_to("new"), pvc("both").bound_to("both"),
                 pvc("many").bound_to("many"), pvc("bad").bound_to("bad"), pvc("plain").names("plain"),
                 pvc("gone").names("gone"), pvc("classless"), pvc("unknown").of_class("unknown"),
                 pvc("modeless").of_class("modeless"), pvc("waits").of_class("waits"),
                 pvc("immediate").of_class("immediate")},
      .volumes = {pv("old").label(kBetaZone, "a"), pv("new").label(kZone, "a"),
                  pv("both").label(kZone, "a").label(kRegion, "r"), pv("many").label(kZone, "a__ b"),
                  pv("bad").label(kZone, "a__"), pv("plain")},
      .classes = {storage_class("modeless", "x", ""), storage_class("waits", "x"),
                  storage_class("immediate", "x", "Immediate")},
      .csi_nodes = {}};
  const auto mounts = [](const char* name) -> Pod { return pod("web").mounts(claim(name)); };
  const Node old_a = node("n").label(kBetaZone, "a"), new_a = node("n").label(kZone, "a"),
             new_b = node("n").label(kZone, "b");
  const Placement rows[] = {
      {"no claims", pod("web"), new_a, {}, "fits"},
      {"an unlabelled volume", mounts("plain"), new_a, {}, "fits"},
      {"an unlabelled node", mounts("new"), node("n"), {}, "fits"},
      {"the same zone", mounts("new"), new_a, {}, "fits"},
      {"another zone", mounts("new"), new_b, {}, kConflict},
      {"a region only", mounts("new"), node("n").label(kRegion, "r"), {}, kConflict},
      {"an old label meets a new one", mounts("old"), new_a, {}, "fits"},
      {"an old label prefers the old one",
       mounts("old"),
       node("n").label(kBetaZone, "b").label(kZone, "a"),
       {},
       kConflict},
      {"a new label does not meet an old one", mounts("new"), old_a, {}, kConflict},
      {"zone and region", mounts("both"), node("n").label(kZone, "a").label(kRegion, "r"), {}, "fits"},
      {"zone without region", mounts("both"), new_a, {}, kConflict},
      {"one of several zones", mounts("many"), new_b, {}, "fits"},
      {"a malformed set says nothing", mounts("bad"), new_b, {}, "fits"},
      {"a claim that waits for its consumer", mounts("waits"), new_b, {}, "fits"},
      {"nothing of the rest is looked at on a bare node either",
       mounts("gone"),
       node("n"),
       {},
       "unresolvable: persistentvolume \"gone\" not found"},
      {"no name", mounts(""), new_a, {}, "unresolvable: PersistentVolumeClaim had no name"},
      {"no claim", mounts("none"), new_a, {}, "unresolvable: persistentvolumeclaim \"none\" not found"},
      {"neither volume nor class",
       mounts("classless"),
       new_a,
       {},
       "unresolvable: PersistentVolumeClaim had no pv name and storageClass name"},
      {"an unknown class",
       mounts("unknown"),
       new_a,
       {},
       "unresolvable: storageclass.storage.k8s.io \"unknown\" not found"},
      {"a class without a mode",
       mounts("modeless"),
       new_a,
       {},
       "unresolvable: VolumeBindingMode not set for StorageClass \"modeless\""},
      {"unbound at once", mounts("immediate"), new_a, {}, "unresolvable: PersistentVolume had no name"},
      {"a conflict before a refusal",
       pod("web").mounts(claim("new")).mounts(claim("none")),
       new_b,
       {},
       "unresolvable: persistentvolumeclaim \"none\" not found"},
  };
  check_verdicts("VolumeZone", storage, rows, kPlugins);
}

}  // namespace winnow::test
