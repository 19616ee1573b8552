#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test::volume_binding_test {
namespace {

const char* const kRule = "VolumeBinding";
const char* const kAffinity = "unresolvable: node(s) didn't match PersistentVolume's node affinity";
const char* const kNoVolume = "unresolvable: node(s) didn't find available persistent volumes to bind";
const char* const kNoSpace = "unresolvable: node(s) did not have enough free storage";
const char* const kNoSuchVolume =
    "unresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

std::vector<SelectorRequirement> in_zone(std::string zone) { return {{"zone", "In", {std::move(zone)}}}; }

Pod mounts(std::vector<const char*> claims) {
  PodBuilder web = pod("web").uid("web-uid");
  for (const char* one : claims) web.mounts(claim(one));
  return web;
}

CsiNode migrated(std::string node, std::string plugins) {
  CsiNode made = csi_node(std::move(node), {});
  made.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] = std::move(plugins);
  return made;
}

}  // namespace

TEST_CASE("VolumeBinding: before the nodes") {
  const Storage storage = {
      .claims = {pvc("lost").names("gone").phase("Lost"), pvc("going").deleting(),
                 pvc("modeless").of_class("modeless"), pvc("now").of_class("now"), pvc("classless"),
                 pvc("prebound").names("v").of_class("later"), pvc("later").of_class("later"),
                 pvc("web-mine").bound_to("v").made_for("web-uid"),
                 pvc("web-other").bound_to("v").made_for("other-uid")},
      .volumes = {pv("v")},
      .classes = {storage_class("modeless", "x", ""), storage_class("now", "x", "Immediate"),
                  storage_class("later", "x")},
      .csi_nodes = {}};
  const char* const kUnbound = "unresolvable: pod has unbound immediate PersistentVolumeClaims";
  const auto ephemeral = [](const char* name) -> Pod {
    return pod("web").uid("web-uid").mounts(ephemeral_volume(name));
  };
  const Node n = node("n");
  const Placement rows[] = {
      {"no claims", pod("web").mounts(gce_disk("d")), n, {}, "fits"},
      {"not there", mounts({"none"}), n, {}, "unresolvable: persistentvolumeclaim \"none\" not found"},
      {"lost",
       mounts({"lost"}),
       n,
       {},
       "unresolvable: persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"gone\""},
      {"being deleted",
       mounts({"going"}),
       n,
       {},
       "unresolvable: persistentvolumeclaim \"going\" is being deleted"},
      {"not yet made",
       ephemeral("late"),
       n,
       {},
       "unresolvable: waiting for ephemeral volume controller to create the persistentvolumeclaim "
       "\"web-late\""},
      {"made for this pod", ephemeral("mine"), n, {}, "fits"},
      {"made for another",
       ephemeral("other"),
       n,
       {},
       "unresolvable: PVC default/web-other was not created for pod default/web (pod is not owner)"},
      {"a class without a mode",
       mounts({"modeless"}),
       n,
       {},
       "error: VolumeBindingMode not set for StorageClass \"modeless\""},
      {"unbound at once", mounts({"now"}), n, {}, kUnbound},
      {"no class", mounts({"classless"}), n, {}, kUnbound},
      {"a volume that was asked for and is not bound yet", mounts({"prebound"}), n, {}, kUnbound},
      {"an error comes before",
       mounts({"now", "modeless"}),
       n,
       {},
       "error: VolumeBindingMode not set for StorageClass \"modeless\""},
      {"a missing one before that",
       mounts({"modeless", "none"}),
       n,
       {},
       "unresolvable: persistentvolumeclaim \"none\" not found"},
      {"one that waits", mounts({"later"}), n, {}, "fits"},
  };
  check_verdicts(kRule, storage, rows, kPlugins);
}

TEST_CASE("VolumeBinding: bound volumes") {
  const char* const kGceZone = "topology.kubernetes.io/zone";
  const Storage storage = {
      .claims = {pvc("a").bound_to("a"), pvc("b").bound_to("b"), pvc("gone").bound_to("gone"),
                 pvc("named").bound_to("named"), pvc("misnamed").bound_to("misnamed"),
                 pvc("gce").bound_to("gce"), pvc("ebs").bound_to("ebs"), pvc("bad").bound_to("bad"),
                 pvc("waits").of_class("no")},
      .volumes = {pv("a").only_on(in_zone("a")), pv("b").only_on(in_zone("b")),
                  pv("named").only_on({}, {{"metadata.name", "In", {"other"}}}),
                  pv("misnamed").only_on({}, {{"metadata.name", "In", {"n", "m"}}}),
                  pv("gce").source(gce_disk("d")).label(kGceZone, "z1__z2"),
                  pv("ebs").source(ebs_volume("vol-1")).only_on({{kGceZone, "In", {"z1"}}}),
                  pv("bad").source(gce_disk("d")).label(kGceZone, "z1__z2-b")},
      .classes = {storage_class("no", "kubernetes.io/no-provisioner")},
      .csi_nodes = {migrated("moved", "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"), migrated("plain", "")}};
  const Node in_a = node("n").label("zone", "a");
  const auto moved = [](const char* key, const char* zone) -> Node { return node("moved").label(key, zone); };
  const Placement rows[] = {
      {"the node's", mounts({"a"}), in_a, {}, "fits"},
      {"another's", mounts({"b"}), in_a, {}, kAffinity},
      {"gone", mounts({"gone"}), in_a, {}, kNoSuchVolume},
      {"the first one decides", mounts({"b", "gone"}), in_a, {}, kAffinity},
      {"the first one decides, gone", mounts({"gone", "b"}), in_a, {}, kNoSuchVolume},
      {"upstream does not know the node's name here", mounts({"named"}), in_a, {}, "fits"},
      {"a field with two values is invalid", mounts({"misnamed"}), in_a, {}, kAffinity},
      {"two kinds of conflict",
       mounts({"b", "waits"}),
       in_a,
       {},
       "unresolvable: node(s) didn't match PersistentVolume's node affinity, node(s) didn't find available "
       "persistent volumes to bind"},
      {"gone comes last",
       mounts({"gone", "waits"}),
       in_a,
       {},
       "unresolvable: node(s) didn't find available persistent volumes to bind, node(s) unavailable due to "
       "one or "
       "more pvc(s) bound to non-existent pv(s)"},
      {"an in-tree volume's labels do not matter", mounts({"gce"}), in_a, {}, "fits"},
      {"moved to CSI they do",
       mounts({"gce"}),
       moved("topology.gke.io/zone", "z3"),
       {},
       "error: could not translate pv: failed to get region from zones: zone in unexpected format, expected: "
       "{locale}-{region}-{zone}, got: z1"},
      {"an in-tree volume's affinity", mounts({"ebs"}), node("plain").label(kGceZone, "z1"), {}, "fits"},
      {"moved, the driver's label counts",
       mounts({"ebs"}),
       moved("topology.ebs.csi.aws.com/zone", "z1"),
       {},
       "fits"},
      {"moved, its own does not", mounts({"ebs"}), moved(kGceZone, "z1"), {}, kAffinity},
  };
  check_verdicts(kRule, storage, rows, kPlugins);
}

TEST_CASE("VolumeBinding: volumes to be found or made") {
  CsiStorageCapacity single = capacity("single", "lvm", "100Gi", selects({{"host", "s"}}));
  single.maximum_volume_size = quantity("1Gi");
  const Storage storage = {
      .claims = {pvc("five").of_class("lvm").size("5Gi"), pvc("fifty").of_class("lvm").size("50Gi"),
                 pvc("sizeless").of_class("lvm"), pvc("vac").of_class("local").size("1Gi").attributes("gold"),
                 pvc("local").of_class("local").size("1Gi"), pvc("noted").of_class("noted").size("1Gi"),
                 pvc("there").of_class("lvm").size("5Gi").selected("n"),
                 pvc("elsewhere").of_class("lvm").size("5Gi").selected("m"),
                 pvc("bad").of_class("lvm").selects({{}, {{"disk", "Nope", {}}}})},
      .volumes = {pv("plain").of_class("local").size("2Gi").only_on({{"host", "In", {"p"}}}),
                  pv("gold").of_class("local").size("2Gi").attributes("gold").only_on(
                      {{"host", "In", {"g"}}}),
                  pv("noted").annotation("volume.beta.kubernetes.io/storage-class", "noted").size("1Gi")},
      .classes = {storage_class("lvm", "lvm.example.com"),
                  storage_class("local", "kubernetes.io/no-provisioner"),
                  storage_class("noted", "kubernetes.io/no-provisioner")},
      .csi_nodes = {},
      .drivers = {csi_driver("lvm.example.com", false, true)},
      .capacities = {capacity("ten", "lvm", "10Gi", selects({{"host", "n"}})),
                     capacity("other", "other", "100Gi", selects({{"host", "n"}})),
                     capacity("nowhere", "lvm", "100Gi", std::nullopt), single,
                     capacity("pair", "lvm", "100Gi", selects({{"host", "two"}, {"rack", "1"}}))}};
  const auto host = [](const char* name) -> Node { return node("n").label("host", name); };
  const char* const kBad =
      "error: error creating internal label selector for claim: default/bad: \"Nope\" is not a valid label "
      "selector "
      "operator";
  const Placement rows[] = {
      {"room", mounts({"five"}), host("n"), {}, "fits"},
      {"two that fit one by one", mounts({"five", "five"}), host("n"), {}, "fits"},
      {"no room", mounts({"fifty"}), host("n"), {}, kNoSpace},
      {"no capacity for the node", mounts({"five"}), host("x"), {}, kNoSpace},
      {"the largest volume counts, not the sum", mounts({"five"}), host("s"), {}, kNoSpace},
      {"two labels", mounts({"fifty"}), node("n").label("host", "two").label("rack", "1"), {}, "fits"},
      {"one label of two", mounts({"fifty"}), host("two"), {}, kNoSpace},
      {"no size is no question", mounts({"sizeless"}), host("x"), {}, "fits"},
      {"promised here", mounts({"there"}), host("n"), {}, "fits"},
      {"promised here, no room", mounts({"there"}), host("x"), {}, kNoSpace},
      {"promised elsewhere", mounts({"elsewhere"}), host("n"), {}, kNoVolume},
      {"of volume and room the first that lacks decides",
       mounts({"local", "five"}),
       host("x"),
       {},
       kNoVolume},
      {"what was promised comes first", mounts({"local", "there"}), host("x"), {}, kNoSpace},
      {"a volume of another attributes class", mounts({"vac"}), host("p"), {}, kNoVolume},
      {"of this one", mounts({"vac"}), host("g"), {}, "fits"},
      {"of one where none is asked for", mounts({"local"}), host("g"), {}, kNoVolume},
      {"the class by annotation", mounts({"noted"}), host("x"), {}, "fits"},
      {"an invalid selector", mounts({"bad"}), host("n"), {}, kBad},
      {"promised elsewhere hides it", mounts({"bad", "elsewhere"}), host("n"), {}, kNoVolume},
  };
  check_verdicts(kRule, storage, rows, kPlugins);
}

TEST_CASE("VolumeBinding: capacities come and go") {
  State state(kPlugins);
  state.set_node(node("n").label("host", "n"));
  Storage{.claims = {pvc("c").of_class("lvm").size("5Gi")},
          .volumes = {},
          .classes = {storage_class("lvm", "lvm.example.com")},
          .csi_nodes = {},
          .drivers = {csi_driver("lvm.example.com", false, true)}}
      .put_into(state);
  const auto verdict = [&] { return judge_one(kRule, View(state), mounts({"c"})); };
  CHECK(verdict() == kNoSpace);
  state.volumes.set(capacity("one", "lvm", "10Gi", selects({{"host", "n"}})));
  CHECK(verdict() == "fits");
  state.volumes.set(capacity("one", "lvm", "1Gi", selects({{"host", "n"}})));
  CHECK(verdict() == kNoSpace);
  state.volumes.set(capacity("one", "lvm", "10Gi", LabelSelector()));
  CHECK(verdict() == "fits");
  CHECK(state.volumes.remove_capacity("storage", "one"));
  CHECK(verdict() == kNoSpace);
  CHECK_FALSE(state.volumes.remove_capacity("storage", "one"));
}

}  // namespace winnow::test::volume_binding_test
