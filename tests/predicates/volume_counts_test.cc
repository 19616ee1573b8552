// The behaviour that MaxEBSVolumeCount, MaxGCEPDVolumeCount, MaxAzureDiskVolumeCount and MaxCinderVolumeCount
// share.
#include <doctest/doctest.h>

#include <cstdlib>

#include "predicates/rules.h"
#include "predicates/volume_limits.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test::volume_counts_test {
namespace {

const char* const kRefused = "unschedulable: node(s) exceed max volume count";

Pod mounts(std::initializer_list<Volume> volumes) {
  PodBuilder made = pod("web");
  for (const Volume& volume : volumes) made.mounts(volume);
  return made;
}

/// Sets KUBE_MAX_PD_VOLS as long as it lives.
class Environment {
 public:
  explicit Environment(const char* value) { setenv("KUBE_MAX_PD_VOLS", value, 1); }
  ~Environment() { unsetenv("KUBE_MAX_PD_VOLS"); }
};

}  // namespace

TEST_CASE("volumes of a kind, each once, against the node's limit") {
  const Node two = node("a").offers("attachable-volumes-aws-ebs", "2");
  const Storage storage = {
      .claims = {pvc("one").names("pv-one"), pvc("again").names("pv-again"), pvc("csi").names("pv-csi"),
                 pvc("unbound").of_class("ebs"), pvc("other-unbound").of_class("gce"),
                 pvc("gone").names("pv-gone").of_class("ebs"), pvc("gone-no-class").names("pv-gone"),
                 pvc("no-such-class").of_class("nobody"), pvc("empty-class").of_class(""),
                 pvc("by-annotation").annotation("volume.beta.kubernetes.io/storage-class", "ebs"),
                 pvc("unbound").in("elsewhere").of_class("ebs")},
      .volumes = {pv("pv-one").source(ebs_volume("v1")), pv("pv-again").source(ebs_volume("v1")),
                  pv("pv-csi").csi("ebs.csi.aws.com", "v1")},
      .classes = {storage_class("ebs", "kubernetes.io/aws-ebs"),
                  storage_class("gce", "kubernetes.io/gce-pd")},
      .csi_nodes = {}};
  const Volume v1 = ebs_volume("v1"), v2 = ebs_volume("v2"), v3 = ebs_volume("v3");
  const Placement rows[] = {
      {"one more fits", mounts({v1}), two, {mounts({v2})}, "fits"},
      {"two more do not", mounts({v1, v3}), two, {mounts({v2})}, kRefused},
      {"one pod with too many", mounts({v1, v2, v3}), two, {}, kRefused},
      {"the same volume twice counts once", mounts({v1, v1, v2}), two, {}, "fits"},
      {"a volume that is there already does not count again", mounts({v1}), two, {mounts({v1, v2})}, "fits"},
      {"nor do two pods with the same one", mounts({v3}), two, {mounts({v1}), mounts({v1})}, "fits"},
      {"over the limit, even a volume that is there is refused",
       mounts({v1}),
       two,
       {mounts({v1, v2, v3})},
       kRefused},
      {"over the limit, a pod without such a volume passes",
       mounts({gce_disk("d")}),
       two,
       {mounts({v1, v2, v3})},
       "fits"},
      {"over the limit, a pod without volumes passes", pod("web"), two, {mounts({v1, v2, v3})}, "fits"},
      {"a pod being deleted still counts",
       mounts({v1}),
       two,
       {pod("there").mounts(v2).mounts(v3).deleting()},
       kRefused},
      {"other kinds do not count",
       mounts({v1}),
       two,
       {mounts({gce_disk("v2"), cinder_volume("v3")})},
       "fits"},
      {"read-only volumes count", mounts({ebs_volume("v1", true)}), two, {mounts({v2, v3})}, kRefused},
      {"a volume without an id is a volume", mounts({ebs_volume("")}), two, {mounts({v2, v3})}, kRefused},

      {"a claim counts as its volume", mounts({claim("one")}), two, {mounts({v2, v3})}, kRefused},
      {"a claim's volume is the inline one with its id",
       mounts({claim("one")}),
       two,
       {mounts({v1, v2})},
       "fits"},
      {"two claims of one volume", mounts({claim("one"), claim("again"), v2}), two, {}, "fits"},
      {"a claim there counts too", mounts({v2, v3}), two, {mounts({claim("one")})}, kRefused},
      {"a claim of another kind", mounts({claim("csi")}), two, {mounts({v1, v2, v3})}, "fits"},
      {"a claim that is not there does not count",
       mounts({claim("nobody")}),
       two,
       {mounts({v1, v2, v3})},
       "fits"},
      {"an unbound claim counts by its class", mounts({claim("unbound")}), two, {mounts({v1, v2})}, kRefused},
      {"the same unbound claim is the same volume",
       mounts({claim("unbound")}),
       two,
       {mounts({v1, claim("unbound")})},
       "fits"},
      {"one of the same name in another namespace is not",
       pod("web").in("elsewhere").mounts(claim("unbound")),
       two,
       {mounts({v1, claim("unbound")})},
       kRefused},
      {"an unbound claim of another kind",
       mounts({claim("other-unbound")}),
       two,
       {mounts({v1, v2, v3})},
       "fits"},
      {"a claim whose volume is gone counts by its class",
       mounts({claim("gone")}),
       two,
       {mounts({v1, v2})},
       kRefused},
      {"without a class it does not", mounts({claim("gone-no-class")}), two, {mounts({v1, v2, v3})}, "fits"},
      {"nor with one that is not there",
       mounts({claim("no-such-class")}),
       two,
       {mounts({v1, v2, v3})},
       "fits"},
      {"nor with the empty one", mounts({claim("empty-class")}), two, {mounts({v1, v2, v3})}, "fits"},
      {"a class that only the annotation names is not looked at",
       mounts({claim("by-annotation")}),
       two,
       {mounts({v1, v2, v3})},
       "fits"},

      {"a limit of 0 is a limit",
       mounts({v1}),
       node("a").offers("attachable-volumes-aws-ebs", "0"),
       {},
       kRefused},
      {"a claim without a name", mounts({claim("")}), two, {}, "error: PersistentVolumeClaim had no name"},
      {"a claim without a name on the node",
       mounts({v1}),
       two,
       {mounts({claim("")})},
       "error: PersistentVolumeClaim had no name"},
      {"it is not met by a pod without volumes of the kind",
       mounts({gce_disk("d")}),
       two,
       {mounts({claim("")})},
       "fits"},
  };
  check_verdicts("MaxEBSVolumeCount", storage, rows);
}

TEST_CASE("each kind has its limit, its resource and its provisioner") {
  struct Kind {
    const char* rule;
    Volume (*volume)(std::string);
    const char* provisioner;
    const char* resource;
    int usual;
  };
  const Kind kinds[] = {
      {"MaxEBSVolumeCount", [](std::string id) { return ebs_volume(std::move(id)); }, "kubernetes.io/aws-ebs",
       "attachable-volumes-aws-ebs", 39},
      {"MaxGCEPDVolumeCount", [](std::string id) { return gce_disk(std::move(id)); }, "kubernetes.io/gce-pd",
       "attachable-volumes-gce-pd", 16},
      {"MaxAzureDiskVolumeCount", azure_disk, "kubernetes.io/azure-disk", "attachable-volumes-azure-disk",
       16},
      {"MaxCinderVolumeCount", cinder_volume, "kubernetes.io/cinder", "attachable-volumes-cinder", 256},
  };
  for (const Kind& kind : kinds) {
    CAPTURE(kind.rule);
    PodBuilder there = pod("there");
    for (int i = 1; i < kind.usual; ++i) there.mounts(kind.volume(std::to_string(i)));
    const Storage storage = {.claims = {pvc("new").of_class("c")},
                             .classes = {storage_class("c", kind.provisioner)}};
    const Placement rows[] = {
        {"up to the default", mounts({kind.volume("x")}), node("a"), {there}, "fits"},
        {"one more", mounts({kind.volume("x"), kind.volume("y")}), node("a"), {there}, kRefused},
        {"by its class", mounts({kind.volume("x"), claim("new")}), node("a"), {there}, kRefused},
        {"the node knows better, more",
         mounts({kind.volume("x"), kind.volume("y")}),
         node("a").offers(kind.resource, "1000"),
         {there},
         "fits"},
        {"the node knows better, less",
         mounts({kind.volume("x")}),
         node("a").offers(kind.resource, "3"),
         {there},
         kRefused},
        {"another resource is nothing to it",
         mounts({kind.volume("x")}),
         node("a").offers("attachable-volumes-x", "3"),
         {there},
         "fits"},
    };
    check_verdicts(kind.rule, storage, rows);
  }
}

TEST_CASE("KUBE_MAX_PD_VOLS is the default for every kind, if it is a positive number") {
  const auto judge_with = [](const char* value, const Node& on) {
    const Environment environment(value);
    State state;
    state.set_node(on);
    return judge_one("MaxGCEPDVolumeCount", View(state), mounts({gce_disk("x"), gce_disk("y")}));
  };
  CHECK(judge_with("1", node("a")) == kRefused);
  CHECK(judge_with("+1", node("a")) == kRefused);
  CHECK(judge_with("2", node("a")) == "fits");
  CHECK(judge_with("0", node("a")) == "fits");
  CHECK(judge_with("-1", node("a")) == "fits");
  CHECK(judge_with("1 ", node("a")) == "fits");
  CHECK(judge_with("", node("a")) == "fits");
  CHECK(judge_with("99999999999999999999", node("a")) == "fits");
  CHECK(judge_with("1", node("a").offers("attachable-volumes-gce-pd", "2")) == "fits");
}

TEST_CASE("with AttachVolumeLimit off what a node says is not asked") {
  const Node one = node("a").offers("attachable-volumes-gce-pd", "1").offers("attachable-volumes-csi-d", "0");
  State state(kExact);
  state.set_node(one);
  const Pod two = mounts({gce_disk("v1"), gce_disk("v2")});
  const View view(state);
  CHECK(judge_one("MaxGCEPDVolumeCount", view, two, AttachLimits{true}) == kRefused);
  CHECK(judge_one("MaxGCEPDVolumeCount", view, two, AttachLimits{false}) == "fits");
  state.volumes.set(pvc("c").names("pv"));
  state.volumes.set(pv("pv").csi("d", "handle"));
  CHECK(judge_one("MaxCSIVolumeCountPred", view, mounts({claim("c")})) == kRefused);
  CHECK(judge_one("MaxCSIVolumeCountPred", view, mounts({claim("c")}), AttachLimits{false}) == "fits");
}

TEST_CASE("counts move with the claims of running pods") {
  State state;
  state.set_node(node("a").offers("attachable-volumes-aws-ebs", "1"));
  state.set_pod(pod("there").mounts(claim("data")).on("a"));
  const auto verdict = [&] { return judge_one("MaxEBSVolumeCount", View(state), mounts({ebs_volume("x")})); };
  CHECK(verdict() == "fits");
  state.volumes.set(pvc("data").names("disk").of_class("ebs"));
  CHECK(verdict() == "fits");
  state.volumes.set(storage_class("ebs", "kubernetes.io/aws-ebs"));
  CHECK(verdict() == kRefused);
  state.volumes.set(pv("disk").source(gce_disk("x")));
  CHECK(verdict() == "fits");
  state.volumes.set(pv("disk").source(ebs_volume("y")));
  CHECK(verdict() == kRefused);
  state.volumes.set(pv("disk").source(ebs_volume("x")));
  CHECK(verdict() == "fits");
  state.volumes.remove_volume("disk");
  CHECK(verdict() == kRefused);
  state.volumes.remove_class("ebs");
  CHECK(verdict() == "fits");
  state.volumes.set(storage_class("ebs", "kubernetes.io/aws-ebs"));
  CHECK(verdict() == kRefused);
  state.volumes.remove_claim("default", "data");
  CHECK(verdict() == "fits");
}

}  // namespace winnow::test::volume_counts_test
