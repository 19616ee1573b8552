#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test::node_volume_limits_test {
namespace {

const char* const kRule = "NodeVolumeLimits";
const char* const kFull = "unschedulable: node(s) exceed max volume count";
const char* const kLongDriver = "a-driver-with-a-name-too-long-for-a-resource.example.com";

Pod mounts(std::vector<const char*> claims) {
  PodBuilder web = pod("web");
  for (const char* one : claims) web.mounts(claim(one));
  return web;
}

PersistentVolume azure(std::string name, std::optional<std::string> kind) {
  Volume source = azure_disk("unused");
  source.uri = "/disks/" + name;
  source.kind = std::move(kind);
  return pv(std::move(name)).source(std::move(source));
}

Storage storage(int limit) {
  return {
      .claims = {pvc("c1").bound_to("v1"), pvc("c2").bound_to("v2"), pvc("same").bound_to("v1"),
                 pvc("ebs").bound_to("ebs"), pvc("bad-ebs").bound_to("bad-ebs"),
                 pvc("azure").bound_to("azure"), pvc("unmanaged").bound_to("unmanaged"),
                 pvc("new").of_class("new"), pvc("new-ebs").of_class("new-ebs"),
                 pvc("gone").bound_to("gone").of_class("new"), pvc("file").bound_to("file"),
                 pvc("picky").bound_to("picky"), pvc("long").bound_to("long")},
      .volumes = {pv("v1").csi("csi.example.com", "h1"), pv("v2").csi("csi.example.com", "h2"),
                  pv("ebs").source(ebs_volume("aws://zone/vol-1")),
                  pv("bad-ebs").source(ebs_volume("aws://z/1")), azure("azure", "MANAGED"),
                  azure("unmanaged", "Dedicated"),
                  pv("file").source({.name = "", .source = VolumeSource::kAzureFile, .id = "share"}),
                  pv("picky").csi("picky.example.com", "h"), pv("long").csi(kLongDriver, "h")},
      .classes = {storage_class("new", "csi.example.com"), storage_class("new-ebs", "kubernetes.io/aws-ebs")},
      .csi_nodes = {csi_node("n", {{"csi.example.com", limit},
                                   {"ebs.csi.aws.com", limit},
                                   {"disk.csi.azure.com", limit},
                                   {kLongDriver, limit},
                                   {"free.example.com", std::nullopt}})},
      .drivers = {csi_driver("picky.example.com", true), csi_driver("csi.example.com", true),
                  csi_driver("ebs.csi.aws.com", true)}};
}

}  // namespace

TEST_CASE("NodeVolumeLimits: what counts") {
  const Node n = node("n");
  const Placement none_left[] = {
      {"no volumes", pod("web"), n, {}, "fits"},
      {"a volume of no driver", pod("web").mounts(iscsi_target("iqn")), n, {}, "fits"},
      {"a claim's volume", mounts({"c1"}), n, {}, kFull},
      {"a claim to be served", mounts({"new"}), n, {}, kFull},
      {"a claim whose volume is gone, by its class", mounts({"gone"}), n, {}, kFull},
      {"an in-tree volume, under its driver", mounts({"ebs"}), n, {}, kFull},
      {"a malformed one does not", mounts({"bad-ebs"}), n, {}, "fits"},
      {"a managed disk", mounts({"azure"}), n, {}, kFull},
      {"an unmanaged disk does not", mounts({"unmanaged"}), n, {}, "fits"},
      {"a file share does not", mounts({"file"}), n, {}, "fits"},
      {"a claim to be served by an in-tree class", mounts({"new-ebs"}), n, {}, kFull},
      {"a driver with a long name", mounts({"long"}), n, {}, kFull},
      {"an inline volume", pod("web").mounts(ebs_volume("vol-9")), n, {}, kFull},
      {"a malformed inline volume",
       pod("web").mounts(ebs_volume("aws://z/9")),
       n,
       {},
       "error: converting volume(volume-aws://z/9) from inline to csi: failed to translate Kubernetes ID to "
       "EBS Volume ID "
       "Invalid format for AWS volume (aws://z/9)"},
      {"a missing claim",
       mounts({"none"}),
       n,
       {},
       "unresolvable: looking up PVC default/none: persistentvolumeclaim \"none\" not found"},
      {"no name", mounts({""}), n, {}, "error: PersistentVolumeClaim had no name"},
      {"the first fault counts",
       pod("web").mounts(claim("none")).mounts(claim("")),
       n,
       {},
       "unresolvable: looking up PVC default/none: persistentvolumeclaim \"none\" not found"},
      {"a driver that must be there",
       mounts({"picky"}),
       n,
       {},
       "unschedulable: picky.example.com CSI driver is not installed on the node"},
      {"without a CSINode a driver that must be there",
       mounts({"c1"}),
       node("m"),
       {},
       "unschedulable: csi.example.com CSI driver is not installed on the node"},
      {"without a CSINode in-tree volumes do not count", mounts({"ebs"}), node("m"), {}, "fits"},
      {"without a CSINode a malformed one is not looked at",
       pod("web").mounts(ebs_volume("aws://z/9")),
       node("m"),
       {},
       "fits"},
      {"without a CSINode there is no limit", mounts({"long"}), node("m"), {}, "fits"},
  };
  check_verdicts(kRule, storage(0), none_left, kPlugins);
}

TEST_CASE("NodeVolumeLimits: what is there") {
  const Node n = node("n");
  const auto there = [](std::vector<const char*> claims) -> std::vector<Pod> {
    return {mounts(std::move(claims))};
  };
  const Placement one_left[] = {
      {"room", mounts({"c1"}), n, {}, "fits"},
      {"one is there already", mounts({"c1"}), n, there({"c2"}), kFull},
      {"the same one is", mounts({"c1"}), n, there({"c1"}), "fits"},
      {"the same one by another claim", mounts({"same"}), n, there({"c1"}), "fits"},
      {"two new ones", mounts({"c1", "c2"}), n, {}, kFull},
      {"one twice", mounts({"c1", "same"}), n, {}, "fits"},
      {"another driver's", mounts({"c1"}), n, there({"ebs"}), "fits"},
      {"an inline one is the claim's", pod("web").mounts(ebs_volume("vol-1")), n, there({"ebs"}), "fits"},
      {"one's own claim to be served", mounts({"new"}), n, there({"new"}), "fits"},
      {"another's", mounts({"new"}), n, there({"gone"}), kFull},
      {"a pod there with a missing claim", mounts({"c1"}), n, there({"none"}), "fits"},
      {"a pod there with a nameless claim", mounts({"c1"}), n, there({""}),
       "error: PersistentVolumeClaim had no name"},
      {"it does not matter to one without volumes", mounts({"file"}), n, there({""}), "fits"},
      {"nor on a node without limits", mounts({"long"}), node("m"), there({""}), "fits"},
      {"a pod there with a malformed volume",
       mounts({"c1"}),
       n,
       {pod("x").mounts(ebs_volume("aws://z/9"))},
       "error: converting volume(volume-aws://z/9) from inline to csi: failed to translate Kubernetes ID to "
       "EBS Volume ID "
       "Invalid format for AWS volume (aws://z/9)"},
  };
  check_verdicts(kRule, storage(1), one_left, kPlugins);
}

TEST_CASE("NodeVolumeLimits: ephemeral volumes count by their claims") {
  Storage known = storage(1);
  known.claims.push_back(pvc("web-data").bound_to("v1").made_for("web-uid"));
  known.claims.push_back(pvc("there-0-data").bound_to("v2").made_for("there-uid"));
  const Node n = node("n");
  const Pod web = pod("web").uid("web-uid").mounts(ephemeral_volume("data"));
  const auto there = [](const char* uid) -> std::vector<Pod> {
    return {pod("there").uid(uid).mounts(ephemeral_volume("data"))};
  };
  const Placement rows[] = {
      {"its own", web, n, {}, "fits"},
      {"its own, and one that is there", web, n, there("there-uid"), kFull},
      {"not yet made",
       pod("web").uid("web-uid").mounts(ephemeral_volume("more")),
       n,
       {},
       "unresolvable: looking up PVC default/web-more: persistentvolumeclaim \"web-more\" not found"},
      {"somebody else's",
       pod("web").uid("other").mounts(ephemeral_volume("data")),
       n,
       {},
       "error: PVC default/web-data was not created for pod default/web (pod is not owner)"},
      {"somebody else's, there", web, n, there("other"),
       "error: PVC default/there-0-data was not created for pod default/there-0 (pod is not owner)"},
  };
  check_verdicts(kRule, known, rows, kPlugins);
}

TEST_CASE("NodeVolumeLimits: attachments count beside pods, and follow what they speak of") {
  State state(kPlugins);
  storage(1).put_into(state);
  const auto verdict = [&](std::vector<const char*> claims) {
    return judge_one(kRule, View(state), mounts(claims));
  };
  state.volumes.set(attachment("before", "csi.example.com", "n", "v2"));
  state.set_node(node("n"));
  CHECK(verdict({"c1"}) == kFull);
  CHECK(verdict({"c2"}) == kFull);  // It counts twice: as attached, and as new.
  state.set_pod(pod("there").mounts(claim("c2")).on("n"));
  CHECK(verdict({"c2"}) == "fits");
  CHECK(verdict({"c1"}) == kFull);
  state.remove_pod("default", "there");
  state.volumes.remove_attachment("before");
  CHECK(verdict({"c1"}) == "fits");

  state.volumes.set(attachment("odd", "other.example.com", "n", "v2"));
  state.volumes.set(attachment("in-tree", "ebs.csi.aws.com", "n", "ebs"));
  state.volumes.set(attachment("nobody's", "csi.example.com", "n", "late"));
  state.volumes.set(attachment("elsewhere", "csi.example.com", "m", "v2"));
  CHECK(verdict({"c1"}) == "fits");
  CHECK(verdict({"ebs"}) == "fits");
  state.volumes.set(pv("late").csi("csi.example.com", "h9"));
  CHECK(verdict({"c1"}) == kFull);
  state.volumes.remove_volume("late");
  CHECK(verdict({"c1"}) == "fits");
  state.volumes.set(attachment("elsewhere", "csi.example.com", "n", "v2"));
  CHECK(verdict({"c1"}) == kFull);
  state.remove_node("n");
  state.volumes.remove_attachment("elsewhere");
  state.set_node(node("n"));
  CHECK(verdict({"c1"}) == "fits");
}

}  // namespace winnow::test::node_volume_limits_test
