#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("NoDiskConflict") {
  const char* const kRefused = "unschedulable: node(s) had no available disk";
  const Node a = node("a");
  const auto web = [](Volume volume) -> Pod { return pod("web").mounts(std::move(volume)); };
  const auto there = [](Volume volume) -> std::vector<Pod> {
    return {pod("there").mounts(std::move(volume))};
  };
  constexpr bool kReadOnly = true;
  const Placement rows[] = {
      {"nobody there", web(gce_disk("d")), a, {}, "fits"},
      {"nothing mounted", pod("web"), a, there(gce_disk("d")), "fits"},
      {"GCE: the same disk", web(gce_disk("d")), a, there(gce_disk("d")), kRefused},
      {"GCE: another disk", web(gce_disk("d")), a, there(gce_disk("e")), "fits"},
      {"GCE: one writer", web(gce_disk("d")), a, there(gce_disk("d", kReadOnly)), kRefused},
      {"GCE: the other writes", web(gce_disk("d", kReadOnly)), a, there(gce_disk("d")), kRefused},
      {"GCE: two readers", web(gce_disk("d", kReadOnly)), a, there(gce_disk("d", kReadOnly)), "fits"},
      {"EBS: the same volume", web(ebs_volume("v")), a, there(ebs_volume("v")), kRefused},
      {"EBS: never shared, not even by readers", web(ebs_volume("v", kReadOnly)), a,
       there(ebs_volume("v", kReadOnly)), kRefused},
      {"EBS: another volume", web(ebs_volume("v")), a, there(ebs_volume("w")), "fits"},
      {"one id of two kinds", web(ebs_volume("x")), a, there(gce_disk("x")), "fits"},
      {"iSCSI: the same IQN", web(iscsi_target("iqn.1")), a, there(iscsi_target("iqn.1")), kRefused},
      {"iSCSI: two readers", web(iscsi_target("iqn.1", kReadOnly)), a,
       there(iscsi_target("iqn.1", kReadOnly)), "fits"},
      {"iSCSI: another IQN", web(iscsi_target("iqn.1")), a, there(iscsi_target("iqn.2")), "fits"},
      {"RBD: one monitor in common", web(rbd_image("i", "p", {"m1", "m2"})), a,
       there(rbd_image("i", "p", {"m3", "m2"})), kRefused},
      {"RBD: no monitor in common", web(rbd_image("i", "p", {"m1", "m2"})), a,
       there(rbd_image("i", "p", {"m3", "m4"})), "fits"},
      {"RBD: no monitors at all", web(rbd_image("i", "p", {})), a, there(rbd_image("i", "p", {})), "fits"},
      {"RBD: another pool", web(rbd_image("i", "p", {"m"})), a, there(rbd_image("i", "q", {"m"})), "fits"},
      {"RBD: no pool is not the pool rbd", web(rbd_image("i", "", {"m"})), a,
       there(rbd_image("i", "rbd", {"m"})), "fits"},
      {"RBD: another image", web(rbd_image("i", "p", {"m"})), a, there(rbd_image("j", "p", {"m"})), "fits"},
      {"RBD: two readers", web(rbd_image("i", "p", {"m"}, kReadOnly)), a,
       there(rbd_image("i", "p", {"m"}, kReadOnly)), "fits"},
      {"RBD: one writer", web(rbd_image("i", "p", {"m"}, kReadOnly)), a, there(rbd_image("i", "p", {"m"})),
       kRefused},
      {"claims are not looked at", web(claim("c")), a, there(claim("c")), "fits"},
      {"the second volume, the second pod",
       pod("web").mounts(gce_disk("x")).mounts(gce_disk("d")),
       a,
       {pod("one").mounts(gce_disk("e")), pod("two").mounts(ebs_volume("f")).mounts(gce_disk("d"))},
       kRefused},
      {"a pod being deleted still has its disk",
       web(gce_disk("d")),
       a,
       {pod("there").mounts(gce_disk("d")).deleting()},
       kRefused},
      {"one's own volumes may repeat", pod("web").mounts(gce_disk("d")).mounts(gce_disk("d")), a, {}, "fits"},
  };
  check_verdicts("NoDiskConflict", rows);
}

TEST_CASE("a disk is free on other nodes, and when its last pod goes") {
  State state;
  for (const char* name : {"a", "b"}) state.set_node(node(name));
  for (const char* name : {"one", "two"}) state.set_pod(pod(name).mounts(gce_disk("d")).on("a"));
  const Pod web = pod("web").mounts(gce_disk("d"));
  CHECK(judge("NoDiskConflict", View(state), web).at("b") == "fits");
  state.remove_pod("default", "two");
  CHECK(judge("NoDiskConflict", View(state), web).at("a") != "fits");
  state.remove_pod("default", "one");
  CHECK(judge("NoDiskConflict", View(state), web).at("a") == "fits");
}

}  // namespace winnow::test
