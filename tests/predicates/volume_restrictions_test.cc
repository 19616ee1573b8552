#include <doctest/doctest.h>

#include "cluster/state/overlay.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test::volume_restrictions_test {
namespace {

const char* const kRule = "VolumeRestrictions";
const char* const kDisk = "unschedulable: node(s) had no available disk";
const char* const kTaken =
    "unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already "
    "in-use by another pod";

}  // namespace

TEST_CASE("VolumeRestrictions: disks and claims") {
  const Storage storage = {
      .claims = {pvc("alone").access("ReadWriteOncePod"), pvc("shared").access("ReadWriteOnce"),
                 pvc("going").access("ReadWriteOncePod")},
      .volumes = {},
      .classes = {},
      .csi_nodes = {}};
  const auto web = [](Volume volume) -> Pod { return pod("web").mounts(std::move(volume)); };
  const auto there = [](Volume volume) -> std::vector<Pod> {
    return {pod("there").mounts(std::move(volume))};
  };
  const Node a = node("a");
  const Placement rows[] = {
      {"no volumes", pod("web"), a, there(gce_disk("d")), "fits"},
      {"the same disk", web(gce_disk("d")), a, there(gce_disk("d")), kDisk},
      {"two readers of a disk", web(gce_disk("d", true)), a, there(gce_disk("d", true)), "fits"},
      {"an EBS volume is never shared", web(ebs_volume("v", true)), a, there(ebs_volume("v", true)), kDisk},
      {"a claim that is not there",
       web(claim("none")),
       a,
       {},
       "unresolvable: persistentvolumeclaim \"none\" not found"},
      {"a claim without a name", web(claim("")), a, {}, "unresolvable: persistentvolumeclaim \"\" not found"},
      {"a claim for one pod, free", web(claim("alone")), a, {}, "fits"},
      {"a claim for one pod, taken", web(claim("alone")), a, there(claim("alone")), kTaken},
      {"a claim for many", web(claim("shared")), a, there(claim("shared")), "fits"},
      {"a taken claim and a disk: the disk comes first",
       pod("web").mounts(claim("alone")).mounts(gce_disk("d")),
       a,
       {pod("there").mounts(claim("alone")).mounts(gce_disk("d"))},
       kDisk},
      {"a missing claim behind a disk", pod("web").mounts(gce_disk("d")).mounts(claim("none")), a,
       there(gce_disk("d")), "unresolvable: persistentvolumeclaim \"none\" not found"},
  };
  check_verdicts(kRule, storage, rows, kPlugins);
}

TEST_CASE("VolumeRestrictions: a claim for one pod is taken everywhere, whoever has it") {
  State state(kPlugins);
  Storage{.claims = {pvc("alone").access("ReadWriteOncePod")}, .volumes = {}, .classes = {}, .csi_nodes = {}}
      .put_into(state);
  for (const char* name : {"a", "b"}) state.set_node(node(name));
  const Pod web = pod("web").mounts(claim("alone"));
  const Pod other = pod("other").mounts(claim("alone")).on("a");
  CHECK(judge(kRule, View(state), web).at("b") == "fits");
  state.set_pod(pod("lost").mounts(claim("alone")).on("nowhere"));
  CHECK(judge(kRule, View(state), web).at("b") == "fits");
  state.set_pod(other);
  CHECK(judge(kRule, View(state), web).at("a") == kTaken);
  CHECK(judge(kRule, View(state), web).at("b") == kTaken);
  Overlay without(state);
  without.remove_pod("default", "other");
  CHECK(judge(kRule, View(state, &without), web).at("b") == "fits");
  Overlay gone(state);
  gone.remove_node("a");
  CHECK(judge(kRule, View(state, &gone), web).at("b") == "fits");
  state.remove_pod("default", "other");
  CHECK(judge(kRule, View(state), web).at("a") == "fits");
  Overlay with(state);
  with.add_pod(other);
  CHECK(judge(kRule, View(state, &with), web).at("b") == kTaken);
}

}  // namespace winnow::test::volume_restrictions_test
