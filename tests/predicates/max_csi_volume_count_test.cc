#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test::max_csi_volume_count_test {
namespace {

const char* const kRefused = "unschedulable: node(s) exceed max volume count";

Pod mounts(std::initializer_list<std::string> claims) {
  PodBuilder made = pod("web");
  for (const std::string& name : claims) made.mounts(claim(name));
  return made;
}

}  // namespace

TEST_CASE("MaxCSIVolumeCountPred") {
  const char* const kLimit = "attachable-volumes-csi-d.example.com";
  const Node one = node("a").offers(kLimit, "1");
  const char* const kAnnotation = "volume.beta.kubernetes.io/storage-class";
  const Storage storage = {
      .claims = {pvc("x").names("pv-x"), pvc("x-again").names("pv-x-again"), pvc("y").names("pv-y"),
                 pvc("other").names("pv-other"), pvc("ebs").names("pv-ebs"),
                 pvc("no-driver").names("pv-no-driver"), pvc("no-handle").names("pv-no-handle"),
                 pvc("unbound").of_class("d"), pvc("gone").names("nobody").of_class("d"), pvc("no-class"),
                 pvc("no-such-class").of_class("nobody"), pvc("in-tree").of_class("in-tree"),
                 pvc("azure-file").of_class("azure-file"), pvc("no-provisioner").of_class("empty"),
                 pvc("by-annotation").of_class("in-tree").annotation(kAnnotation, "d"),
                 pvc("annotated-away").of_class("d").annotation(kAnnotation, "")},
      .volumes = {pv("pv-x").csi("d.example.com", "x"), pv("pv-x-again").csi("d.example.com", "x"),
                  pv("pv-y").csi("d.example.com", "y"), pv("pv-other").csi("other.example.com", "x"),
                  pv("pv-ebs").source(ebs_volume("x")), pv("pv-no-driver").csi("", "x"),
                  pv("pv-no-handle").csi("d.example.com", "")},
      .classes = {storage_class("d", "d.example.com"), storage_class("in-tree", "kubernetes.io/aws-ebs"),
                  storage_class("azure-file", "kubernetes.io/azure-file"), storage_class("empty", "")},
      .csi_nodes = {}};
  const Placement rows[] = {
      {"up to the limit", mounts({"x"}), one, {}, "fits"},
      {"one more", mounts({"x"}), one, {mounts({"y"})}, kRefused},
      {"one pod with too many", mounts({"x", "y"}), one, {}, kRefused},
      {"no limit", mounts({"x", "y"}), node("a"), {}, "fits"},
      {"a limit for others only",
       mounts({"x", "y"}),
       node("a").offers("attachable-volumes-csi-other.example.com", "0"),
       {},
       "fits"},
      {"a volume that is there already", mounts({"x"}), one, {mounts({"x"})}, "fits"},
      {"even where the node is over its limit", mounts({"x"}), one, {mounts({"x", "y"})}, "fits"},
      {"two claims of one volume", mounts({"x", "x-again"}), one, {}, "fits"},
      {"two drivers do not count for each other", mounts({"x", "other"}), one, {}, "fits"},
      {"any driver's limit refuses",
       mounts({"x", "other"}),
       node("a").offers(kLimit, "5").offers("attachable-volumes-csi-other.example.com", "0"),
       {},
       kRefused},
      {"a limit of 0", mounts({"x"}), node("a").offers(kLimit, "0"), {}, kRefused},
      {"over the limit, a pod without CSI volumes passes",
       mounts({"ebs"}),
       one,
       {mounts({"x", "y"})},
       "fits"},
      {"in-tree volumes are not CSI volumes", mounts({"x"}), one, {mounts({"ebs"})}, "fits"},
      {"a volume without a driver does not count", mounts({"no-driver"}), one, {mounts({"x"})}, "fits"},
      {"nor one without a handle", mounts({"no-handle"}), one, {mounts({"x"})}, "fits"},
      {"nor a claim that is not there", mounts({"nobody"}), one, {mounts({"x"})}, "fits"},
      {"an unbound claim counts by its class", mounts({"unbound"}), one, {mounts({"x"})}, kRefused},
      {"the same unbound claim is the same volume", mounts({"unbound"}), one, {mounts({"unbound"})}, "fits"},
      {"a claim whose volume is gone counts by its class", mounts({"gone"}), one, {mounts({"x"})}, kRefused},
      {"no class", mounts({"no-class"}), one, {mounts({"x"})}, "fits"},
      {"no such class", mounts({"no-such-class"}), one, {mounts({"x"})}, "fits"},
      {"an in-tree class",
       mounts({"in-tree"}),
       node("a").offers("attachable-volumes-csi-kubernetes.io/aws-ebs", "0"),
       {},
       "fits"},
      {"an in-tree class without a rule of its own",
       mounts({"azure-file"}),
       node("a").offers("attachable-volumes-csi-kubernetes.io/azure-file", "0"),
       {},
       "fits"},
      {"a class without a provisioner",
       mounts({"no-provisioner"}),
       node("a").offers("attachable-volumes-csi-", "0"),
       {},
       "fits"},
      {"the annotation names the class", mounts({"by-annotation"}), one, {mounts({"x"})}, kRefused},
      {"an empty annotation takes it away", mounts({"annotated-away"}), one, {mounts({"x"})}, "fits"},
      {"inline CSI volumes do not count",
       pod("web").mounts({.name = "v", .source = VolumeSource::kCsi, .id = "d.example.com"}),
       node("a").offers(kLimit, "0"),
       {},
       "fits"},
      {"a claim without a name", mounts({""}), one, {}, "error: PersistentVolumeClaim had no name"},
      {"a claim without a name on the node",
       mounts({"x"}),
       one,
       {mounts({""})},
       "error: PersistentVolumeClaim had no name"},
      {"where the node has no limit at all it is not met", mounts({"x"}), node("a"), {mounts({""})}, "fits"},
      {"any limit will do",
       mounts({"x"}),
       node("a").offers("attachable-volumes-aws-ebs", "1"),
       {mounts({""})},
       "error: PersistentVolumeClaim had no name"},
  };
  check_verdicts("MaxCSIVolumeCountPred", storage, rows);
}

TEST_CASE("MaxCSIVolumeCountPred: the CSINode's word comes before the node's") {
  const char* const kLimit = "attachable-volumes-csi-d.example.com";
  Storage storage = {.claims = {pvc("x").names("pv-x")}, .volumes = {pv("pv-x").csi("d.example.com", "x")}};
  const auto verdict = [&](std::optional<int> count, const Node& on) {
    storage.csi_nodes = {csi_node("a", {{"d.example.com", count}})};
    State state;
    state.set_node(on);
    storage.put_into(state);
    return judge_one("MaxCSIVolumeCountPred", View(state), mounts({"x"}));
  };
  CHECK(verdict(0, node("a").offers(kLimit, "5")) == kRefused);
  CHECK(verdict(5, node("a").offers(kLimit, "0")) == "fits");
  CHECK(verdict(0, node("a")) == kRefused);
  CHECK(verdict(std::nullopt, node("a")) == "fits");
  CHECK(verdict(std::nullopt, node("a").offers(kLimit, "0")) == kRefused);
  CHECK(verdict(0, node("b")) == "fits");
}

TEST_CASE("MaxCSIVolumeCountPred: a long driver's limit is named by a hash") {
  const std::string long_name = "a-driver-with-a-name-too-long-for-a-resource.example.com";
  CHECK(csi_limit("short.example.com") == "attachable-volumes-csi-short.example.com");
  CHECK(csi_limit(long_name) == "attachable-volumes-csi-a-driver-with-a-name-to85741f169144ef4b");
  CHECK(csi_limit(std::string(39, 'd')) == "attachable-volumes-csi-" + std::string(39, 'd'));
  CHECK(csi_limit(std::string(40, 'd')).size() == 62);
  State state;
  state.set_node(node("a").offers(csi_limit(long_name), "0"));
  state.volumes.set(pvc("x").names("pv-x"));
  state.volumes.set(pv("pv-x").csi(long_name, "x"));
  CHECK(judge_one("MaxCSIVolumeCountPred", View(state), mounts({"x"})) == kRefused);
}

}  // namespace winnow::test::max_csi_volume_count_test
