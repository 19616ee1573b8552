// EBSLimits, GCEPDLimits, AzureDiskLimits and CinderLimits, in a cache of today's generation.
#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

const char* const kTooMany = "unschedulable: node(s) exceed max volume count";

Pod mounts(std::initializer_list<Volume> volumes) {
  PodBuilder made = pod("web");
  for (const Volume& volume : volumes) made.mounts(volume);
  return made;
}

}  // namespace

TEST_CASE("the limits of in-tree volumes count beside those of their CSI drivers") {
  struct Kind {
    const char* plugin;
    const char* limit;
    const char* provisioner;
    Volume (*volume)(std::string);
  };
  const Kind kinds[] = {{"EBSLimits", "attachable-volumes-aws-ebs", "kubernetes.io/aws-ebs",
                         [](std::string id) { return ebs_volume(std::move(id)); }},
                        {"GCEPDLimits", "attachable-volumes-gce-pd", "kubernetes.io/gce-pd",
                         [](std::string id) { return gce_disk(std::move(id)); }},
                        {"AzureDiskLimits", "attachable-volumes-azure-disk", "kubernetes.io/azure-disk",
                         [](std::string id) { return azure_disk(std::move(id)); }},
                        {"CinderLimits", "attachable-volumes-cinder", "kubernetes.io/cinder",
                         [](std::string id) { return cinder_volume(std::move(id)); }}};
  for (const Kind& kind : kinds) {
    CAPTURE(kind.plugin);
    const Volume one = kind.volume("1"), two = kind.volume("2"), three = kind.volume("3");
    const Storage storage = {
        .claims = {pvc("one").names("pv-one"), pvc("unbound").of_class("own"),
                   pvc("gone").names("nowhere").of_class("own"), pvc("foreign").of_class("csi")},
        .volumes = {pv("pv-one").source(one)},
        .classes = {storage_class("own", kind.provisioner), storage_class("csi", "csi.example.com")},
        .csi_nodes = {}};
    const Node node = test::node("n").offers(kind.limit, "2");
    const Placement rows[] = {
        {"one more fits", mounts({one}), node, {mounts({two})}, "fits"},
        {"two more do not", mounts({one, three}), node, {mounts({two})}, kTooMany},
        {"a claim's volume is the volume", mounts({claim("one")}), node, {mounts({one, two})}, "fits"},
        {"a claim without its volume counts by its class",
         mounts({claim("unbound")}),
         node,
         {mounts({two, claim("gone")})},
         kTooMany},
        {"a claim of another kind does not count",
         mounts({claim("foreign")}),
         node,
         {mounts({one, two, three})},
         "fits"},
        {"nor does one that is not there",
         mounts({claim("none")}),
         node,
         {mounts({one, two, three})},
         "fits"},
        {"a claim without a name on the node is an error",
         mounts({one}),
         node,
         {mounts({claim("")})},
         "error: PersistentVolumeClaim had no name"},
    };
    check_verdicts(kind.plugin, storage, rows, kPlugins);
  }
}

TEST_CASE("EBSLimits: the default follows the instance type, by either label") {
  std::vector<Volume> many;
  PodBuilder pod = test::pod("web");
  for (int i = 0; i < 26; ++i) pod.mounts(ebs_volume(std::to_string(i)));
  const Placement rows[] = {
      {"39 for most", pod, node("n"), {}, "fits"},
      {"25 for a nitro type",
       pod,
       node("n").label("beta.kubernetes.io/instance-type", "m5.large"),
       {},
       kTooMany},
      {"the stable label, too",
       pod,
       node("n").label("node.kubernetes.io/instance-type", "c5.large"),
       {},
       kTooMany},
  };
  check_verdicts("EBSLimits", Storage{}, rows, kPlugins);
}

TEST_CASE("CinderLimits: where Cinder has been migrated its CSI driver counts") {
  CsiNode migrated = csi_node("n", {});
  migrated.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] = "kubernetes.io/cinder";
  const Node node =
      test::node("n").offers("attachable-volumes-cinder", "0").offers("attachable-volumes-aws-ebs", "0");
  const Storage storage = {.claims = {}, .volumes = {}, .classes = {}, .csi_nodes = {migrated}};
  const Placement cinder[] = {{"no limit", mounts({cinder_volume("1")}), node, {}, "fits"}};
  check_verdicts("CinderLimits", storage, cinder, kPlugins);
  const Placement ebs[] = {
      {"the gate of other kinds was off", mounts({ebs_volume("1")}), node, {}, kTooMany}};
  check_verdicts("EBSLimits", storage, ebs, kPlugins);
}

}  // namespace winnow::test
