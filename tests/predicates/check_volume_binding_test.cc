#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

const char* const kRule = "CheckVolumeBinding";
const char* const kConflict = "unresolvable: node(s) had volume node affinity conflict";
const char* const kNoVolume = "unresolvable: node(s) didn't find available persistent volumes to bind";
const char* const kBoth =
    "unresolvable: node(s) had volume node affinity conflict, node(s) didn't find available persistent "
    "volumes to "
    "bind";
const char* const kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

Pod mounts(std::initializer_list<std::string> claims) {
  PodBuilder made = pod("web");
  for (const std::string& name : claims) made.mounts(claim(name));
  return made;
}

std::vector<SelectorRequirement> on(const std::string& name) {
  return {{"kubernetes.io/hostname", "In", {name}}};
}

Node host(const std::string& name) { return node(name).label("kubernetes.io/hostname", name); }

/// A claim c of class "local", which has no provisioner, and the volumes that it may find on node a.
struct Search {
  std::string sentence;
  ClaimBuilder claim;
  std::vector<PersistentVolume> volumes;
  std::string verdict;
};

}  // namespace

TEST_CASE("CheckVolumeBinding: bound claims") {
  const Storage storage = {
      .claims = {pvc("a").bound_to("on-a"), pvc("b").bound_to("on-b"), pvc("anywhere").bound_to("anywhere"),
                 pvc("nowhere").bound_to("nowhere"), pvc("either").bound_to("either"),
                 pvc("gone").bound_to("pv-gone"), pvc("half-bound").names("on-a"),
                 pvc("half-bound-delayed").names("on-a").of_class("delayed"),
                 pvc("half-bound-no-mode").names("on-a").of_class("no-mode"),
                 pvc("bound-no-mode").bound_to("on-a").of_class("no-mode"),
                 pvc("by-name").bound_to("by-name"), pvc("not-by-name").bound_to("not-by-name"),
                 pvc("invalid").bound_to("invalid"), pvc("immediate").of_class("immediate"), pvc("no-class"),
                 pvc("no-such-class").of_class("nobody"), pvc("no-mode").of_class("no-mode"),
                 pvc("new").of_class("delayed")},
      .volumes = {pv("on-a").only_on(on("a")), pv("on-b").only_on(on("b")), pv("anywhere"),
                  pv("nowhere").nowhere(), pv("either").only_on(on("b")).only_on(on("a")),
                  pv("by-name").only_on({}, {{"metadata.name", "In", {"a"}}}),
                  pv("not-by-name").only_on({}, {{"metadata.name", "NotIn", {"a"}}}),
                  pv("invalid").only_on({{"kubernetes.io/hostname", "Gt", {"-1"}}})},
      .classes = {storage_class("delayed", "kubernetes.io/no-provisioner"),
                  storage_class("immediate", "x", "Immediate"), storage_class("no-mode", "x", "")},
      .csi_nodes = {}};
  const char* const kImmediate = "error: pod has unbound immediate PersistentVolumeClaims";
  const Placement rows[] = {
      {"no volumes", pod("web"), host("a"), {}, "fits"},
      {"no claims", pod("web").mounts(gce_disk("d")), host("a"), {}, "fits"},
      {"a volume of this node", mounts({"a"}), host("a"), {}, "fits"},
      {"a volume of another node", mounts({"b"}), host("a"), {}, kConflict},
      {"a volume of any node", mounts({"anywhere"}), host("a"), {}, "fits"},
      {"an affinity without terms", mounts({"nowhere"}), host("a"), {}, kConflict},
      {"terms are ORed", mounts({"either"}), host("a"), {}, "fits"},
      {"an invalid term matches nothing", mounts({"invalid"}), host("a"), {}, kConflict},
      {"one of two does not suit", mounts({"a", "b"}), host("a"), {}, kConflict},
      {"the node's name is not known to fields", mounts({"by-name"}), host("a"), {}, kConflict},
      {"so that NotIn always holds", mounts({"not-by-name"}), host("a"), {}, "fits"},
      {"a class that does not say how is no matter to a bound claim",
       mounts({"bound-no-mode"}),
       host("a"),
       {},
       "fits"},

      {"a claim that is not there",
       mounts({"nobody"}),
       host("a"),
       {},
       "error: error getting PVC \"default/nobody\": could not find v1.PersistentVolumeClaim "
       "\"default/nobody\""},
      {"a volume that is gone",
       mounts({"gone"}),
       host("a"),
       {},
       "error: could not find v1.PersistentVolume \"pv-gone\""},
      {"a conflict before it", mounts({"b", "gone"}), host("a"), {}, kConflict},
      {"a conflict behind it",
       mounts({"gone", "b"}),
       host("a"),
       {},
       "error: could not find v1.PersistentVolume \"pv-gone\""},
      {"bound, but not completed", mounts({"half-bound"}), host("a"), {}, kImmediate},
      {"the same of a class that waits", mounts({"half-bound-delayed"}), host("a"), {}, kImmediate},
      {"the same of a class that does not say",
       mounts({"half-bound-no-mode"}),
       host("a"),
       {},
       "error: VolumeBindingMode not set for StorageClass \"no-mode\""},
      {"unbound, of a class that does not wait", mounts({"immediate"}), host("a"), {}, kImmediate},
      {"unbound, without a class", mounts({"no-class"}), host("a"), {}, kImmediate},
      {"unbound, of a class that is not there", mounts({"no-such-class"}), host("a"), {}, kImmediate},
      {"unbound, of a class that does not say",
       mounts({"immediate", "no-mode"}),
       host("a"),
       {},
       "error: VolumeBindingMode not set for StorageClass \"no-mode\""},
      {"a claim that is not there comes before others' faults",
       mounts({"immediate", "gone", "nobody", "no-mode"}),
       host("a"),
       {},
       "error: error getting PVC \"default/nobody\": could not find v1.PersistentVolumeClaim "
       "\"default/nobody\""},
      {"both reasons, the bound claims' first", mounts({"new", "b"}), host("a"), {}, kBoth},
      {"one is enough", mounts({"new", "a"}), host("a"), {}, kNoVolume},
  };
  check_verdicts(kRule, storage, rows);
}

TEST_CASE("CheckVolumeBinding: which volume a claim finds") {
  const auto c = [] { return pvc("c").of_class("local").size("2Gi").access("ReadWriteOnce").uid("u"); };
  const auto v = [](const char* name) {
    return pv(name).of_class("local").size("2Gi").access("ReadWriteOnce");
  };
  const Search rows[] = {
      {"none", c(), {}, kNoVolume},
      {"one that suits", c(), {v("v")}, "fits"},
      {"too small", c(), {v("v").size("2047Mi")}, kNoVolume},
      {"larger", c(), {v("v").size("1Ti")}, "fits"},
      {"no size asked for, none offered", pvc("c").of_class("local"), {pv("v").of_class("local")}, "fits"},
      {"another class", c(), {v("v").of_class("other")}, kNoVolume},
      {"another class by the claim's annotation",
       c().annotation(kClassAnnotation, "other"),
       {v("v")},
       kNoVolume},
      {"the class by the claim's annotation",
       c().of_class("other").annotation(kClassAnnotation, "local"),
       {v("v")},
       "fits"},
      {"another class by the volume's annotation",
       c(),
       {v("v").annotation(kClassAnnotation, "other")},
       kNoVolume},
      {"the class by the volume's annotation alone",
       c(),
       {v("v").of_class("other").annotation(kClassAnnotation, "local")},
       kNoVolume},
      {"another node's", c(), {v("v").only_on(on("b"))}, kNoVolume},
      {"this node's", c(), {v("v").only_on(on("a"))}, "fits"},
      {"this or another node's", c(), {v("v").only_on(on("b")).only_on(on("a"))}, "fits"},
      {"this node's by a test without a value",
       c(),
       {v("v").only_on({{"kubernetes.io/hostname", "NotIn", {"b"}}})},
       "fits"},
      {"one term with a value, one without",
       c(),
       {v("v").only_on(on("b")).only_on({{"kubernetes.io/hostname", "Exists", {}}})},
       "fits"},
      {"two tests, the second fails",
       c(),
       {v("v").only_on({{"kubernetes.io/hostname", "In", {"a"}}, {"disk", "In", {"ssd"}}})},
       kNoVolume},
      {"no node's", c(), {v("v").nowhere()}, kNoVolume},
      {"not available", c(), {v("v").phase("Released")}, kNoVolume},
      {"being deleted", c(), {v("v").deleting()}, kNoVolume},
      {"too few access modes", c().access("ReadOnlyMany"), {v("v")}, kNoVolume},
      {"more access modes", c(), {v("v").access("ReadOnlyMany")}, "fits"},
      {"a block device for a file system", c(), {v("v").mode("Block")}, kNoVolume},
      {"a file system for a block device", c().mode("Block"), {v("v")}, kNoVolume},
      {"a block device for a block device", c().mode("Block"), {v("v").mode("Block")}, "fits"},
      {"a file system is the default", c().mode("Filesystem"), {v("v")}, "fits"},
      {"labels that the claim asks for",
       c().selects({{{"disk", "ssd"}}, {}}),
       {v("v").label("disk", "ssd")},
       "fits"},
      {"other labels", c().selects({{{"disk", "ssd"}}, {}}), {v("v").label("disk", "hdd")}, kNoVolume},
      {"an empty selector takes any", c().selects({}), {v("v")}, "fits"},
      {"an invalid selector",
       c().selects({{}, {{"disk", "Nope", {}}}}),
       {v("v")},
       "error: error creating internal label selector for claim: default/c: \"Nope\" is not a valid pod "
       "selector "
       "operator"},

      {"another claim's", c(), {v("v").claimed_by("default", "d")}, kNoVolume},
      {"a claim of the same name elsewhere", c(), {v("v").claimed_by("elsewhere", "c")}, kNoVolume},
      {"an older claim of the same name", c(), {v("v").claimed_by("default", "c", "older")}, kNoVolume},
      {"its own, without a uid", c(), {v("v").claimed_by("default", "c")}, "fits"},
      {"its own", c(), {v("v").claimed_by("default", "c", "u")}, "fits"},
      {"its own need not be available, nor have the modes and labels",
       pvc("c").of_class("local").access("ReadWriteMany").selects({{{"disk", "ssd"}}, {}}),
       {v("v").claimed_by("default", "c").phase("Pending")},
       "fits"},
      {"its own by an annotation of another class",
       c(),
       {v("v").claimed_by("default", "c").annotation(kClassAnnotation, "other")},
       "fits"},
      {"its own of another class", c(), {v("v").claimed_by("default", "c").of_class("other")}, kNoVolume},
      {"its own, too small", c(), {v("v").claimed_by("default", "c").size("1Gi")}, kNoVolume},
      {"its own, too small, beside a free one",
       c(),
       {v("v").claimed_by("default", "c").size("1Gi"), v("w")},
       "fits"},
      {"its own, being deleted", c(), {v("v").claimed_by("default", "c").deleting()}, kNoVolume},
      {"its own, of another mode", c(), {v("v").claimed_by("default", "c").mode("Block")}, kNoVolume},
      {"its own on another node, beside a free one",
       c(),
       {v("v").claimed_by("default", "c").only_on(on("b")), v("w")},
       kNoVolume},
  };
  for (const Search& row : rows) {
    const Placement placement[] = {{row.sentence, mounts({"c"}), host("a"), {}, row.verdict}};
    const Storage storage = {.claims = {row.claim},
                             .volumes = row.volumes,
                             .classes = {storage_class("local", "kubernetes.io/no-provisioner"),
                                         storage_class("other", "kubernetes.io/no-provisioner")}};
    check_verdicts(kRule, storage, placement);
  }
}

TEST_CASE("CheckVolumeBinding: several claims share what there is") {
  const auto claim_of = [](const char* name, const char* size) {
    return pvc(name).of_class("local").size(size);
  };
  const auto volume_of = [](const char* name, const char* size) {
    return pv(name).of_class("local").size(size).only_on(on("a"));
  };
  const auto verdict = [](const Pod& pod, std::vector<PersistentVolumeClaim> claims,
                          std::vector<PersistentVolume> volumes) {
    State state(kExact);
    state.set_node(host("a"));
    Storage{std::move(claims),
            std::move(volumes),
            {storage_class("local", "kubernetes.io/no-provisioner"), storage_class("made", "x")},
            {}}
        .put_into(state);
    return judge_one(kRule, View(state), pod);
  };
  const auto small = claim_of("small", "1Gi"), large = claim_of("large", "5Gi"),
             second = claim_of("second", "1Gi");
  const auto one = volume_of("one", "1Gi"), five = volume_of("five", "5Gi"), nine = volume_of("nine", "9Gi");
  CHECK(verdict(mounts({"small", "second"}), {small, second}, {one}) == kNoVolume);
  CHECK(verdict(mounts({"small", "second"}), {small, second}, {one, nine}) == "fits");
  // The smallest claim comes first, whatever the order in the pod, and takes the smallest volume.
  CHECK(verdict(mounts({"large", "small"}), {small, large}, {one, five}) == "fits");
  CHECK(verdict(mounts({"small", "large"}), {small, large}, {five, nine}) == "fits");
  CHECK(verdict(mounts({"small", "large"}), {small, large}, {five}) == kNoVolume);
  // A small claim may take the only volume that is large enough for the large one: upstream does not look
  // ahead.
  const PersistentVolume five_anywhere = pv("anywhere").of_class("local").size("5Gi");
  CHECK(verdict(mounts({"small", "large"}), {small, large}, {five_anywhere, volume_of("four", "4Gi")}) ==
        "fits");
  CHECK(verdict(mounts({"small", "large"}), {small, large}, {five_anywhere, one}) == "fits");
  CHECK(verdict(mounts({"small", "large"}),
                {claim_of("small", "1Gi").selects({{{"disk", "ssd"}}, {}}), large},
                {volume_of("labelled", "5Gi").label("disk", "ssd"), one}) == kNoVolume);
  // A claim that the pod names twice needs two volumes.
  CHECK(verdict(mounts({"small", "small"}), {small}, {one}) == kNoVolume);
  CHECK(verdict(mounts({"small", "small"}), {small}, {one, five}) == "fits");
  // A volume without an affinity is on every node. One whose affinity has no terms is on none.
  const auto everywhere = pv("everywhere").of_class("local").size("1Gi"),
             nowhere = pv("nowhere").of_class("local").size("2Gi").nowhere();
  CHECK(verdict(mounts({"small", "second"}), {small, second}, {everywhere, nowhere}) == kNoVolume);
  // A volume can be provisioned for a claim that finds none.
  CHECK(verdict(mounts({"small", "new"}), {small, pvc("new").of_class("made")}, {one}) == "fits");
  CHECK(verdict(mounts({"small", "new"}), {small, pvc("new").of_class("made")}, {}) == kNoVolume);
  // Of equal volumes the first by name is taken, of equal claims the pod's first comes first.
  const auto fussy = claim_of("fussy", "1Gi").selects({{{"disk", "ssd"}}, {}});
  const auto fast = [&](const char* name) { return volume_of(name, "1Gi").label("disk", "ssd"); };
  CHECK(verdict(mounts({"small", "fussy"}), {small, fussy}, {fast("p"), volume_of("q", "1Gi")}) == kNoVolume);
  CHECK(verdict(mounts({"small", "fussy"}), {small, fussy}, {volume_of("p", "1Gi"), fast("q")}) == "fits");
  CHECK(verdict(mounts({"fussy", "small"}), {small, fussy}, {fast("p"), volume_of("q", "1Gi")}) == "fits");
  const auto reserved = [&](const char* name, const char* node_name) -> PersistentVolume {
    return pv(name).of_class("local").size("1Gi").only_on(on(node_name)).claimed_by("default", "small");
  };
  CHECK(verdict(mounts({"small"}), {small}, {reserved("p", "a"), reserved("q", "b")}) == "fits");
  CHECK(verdict(mounts({"small"}), {small}, {reserved("p", "b"), reserved("q", "a")}) == kNoVolume);
  // Of two errors the one of the smallest claim is reported.
  const LabelSelector bad = {{}, {{"disk", "Nope", {}}}};
  CHECK(verdict(mounts({"large", "small"}),
                {claim_of("small", "1Gi").selects(bad), claim_of("large", "5Gi").selects(bad)}, {})
            .starts_with("error: error creating internal label selector for claim: default/small: "));
}

TEST_CASE("CheckVolumeBinding: a volume that can be made") {
  StorageClass in_zone_a = storage_class("in-a", "x");
  in_zone_a.allowed_topologies = {{{"zone", "In", {"a", "c"}}}};
  StorageClass invalid = storage_class("invalid", "x");
  invalid.allowed_topologies = {{{"zone", "In", {}}}, {}};
  StorageClass either = storage_class("either", "x");
  either.allowed_topologies = {{{"zone", "In", {"b"}}, {"rack", "In", {"1"}}}, {{"zone", "In", {"a"}}}};
  const Storage storage = {
      .claims = {pvc("made").of_class("made"), pvc("local").of_class("local"), pvc("empty").of_class("empty"),
                 pvc("in-a").of_class("in-a"), pvc("invalid").of_class("invalid"),
                 pvc("either").of_class("either"), pvc("selected-n").of_class("made").selected("n"),
                 pvc("selected-m").of_class("made").selected("m"),
                 pvc("selected-nobody").of_class("made").selected(""),
                 pvc("selected-local").of_class("local").selected("n"),
                 pvc("bad").of_class("made").selects({{}, {{"disk", "Nope", {}}}}),
                 pvc("bound").bound_to("elsewhere"), pvc("gone").bound_to("nobody")},
      .volumes = {pv("free").of_class("local"), pv("elsewhere").nowhere()},
      .classes = {storage_class("made", "x"), storage_class("local", "kubernetes.io/no-provisioner"),
                  storage_class("empty", ""), in_zone_a, invalid, either},
      .csi_nodes = {}};
  const Node n = node("n").label("zone", "a");
  const Placement rows[] = {
      {"made anywhere", mounts({"made"}), n, {}, "fits"},
      {"two of them", mounts({"made", "made"}), n, {}, "fits"},
      {"no provisioner at all", mounts({"empty"}), n, {}, kNoVolume},
      {"an allowed zone", mounts({"in-a"}), n, {}, "fits"},
      {"another zone", mounts({"in-a"}), node("n").label("zone", "b"), {}, kNoVolume},
      {"no zone", mounts({"in-a"}), node("n"), {}, kNoVolume},
      {"empty and invalid terms match nothing", mounts({"invalid"}), n, {}, kNoVolume},
      {"terms are ORed, their tests ANDed", mounts({"either"}), n, {}, "fits"},
      {"a term's tests are ANDed", mounts({"either"}), node("n").label("zone", "b"), {}, kNoVolume},

      {"promised to this node", mounts({"selected-n"}), n, {}, "fits"},
      {"promised to another", mounts({"selected-m"}), n, {}, kNoVolume},
      {"promised to nobody", mounts({"selected-nobody"}), n, {}, kNoVolume},
      {"promised to two", mounts({"selected-n", "selected-m"}), n, {}, kNoVolume},
      {"what is promised is made, even where a free volume is", mounts({"selected-local"}), n, {}, kNoVolume},
      {"a promise here and a volume that is found", mounts({"selected-n", "local"}), n, {}, "fits"},
      {"a promise that cannot be kept beside one that is found",
       mounts({"selected-local", "made"}),
       n,
       {},
       kNoVolume},
      {"a promise to another hides an invalid selector", mounts({"bad", "selected-m"}), n, {}, kNoVolume},
      {"a promise here does not",
       mounts({"bad", "selected-n"}),
       n,
       {},
       "error: error creating internal label selector for claim: default/bad: \"Nope\" is not a valid pod "
       "selector "
       "operator"},
      {"a promise to another, and a bound volume elsewhere", mounts({"selected-m", "bound"}), n, {}, kBoth},
      {"a volume that is gone comes before the promise",
       mounts({"selected-m", "gone"}),
       n,
       {},
       "error: could not find v1.PersistentVolume \"nobody\""},
      {"an invalid selector hides a conflict",
       mounts({"bad", "bound"}),
       n,
       {},
       "error: error creating internal label selector for claim: default/bad: \"Nope\" is not a valid pod "
       "selector "
       "operator"},
  };
  check_verdicts(kRule, storage, rows);
}

TEST_CASE("CheckVolumeBinding: each node by its own volumes") {
  State state(kExact);
  Storage storage = {.claims = {pvc("c").of_class("local").size("2Gi")},
                     .volumes = {},
                     .classes = {storage_class("local", "kubernetes.io/no-provisioner")}};
  for (const char* name : {"a", "b", "c", "d", "e"}) state.set_node(host(name));
  const auto local = [](const char* name, const char* on_node, const char* size) {
    return pv(name).of_class("local").size(size).only_on(on(on_node));
  };
  storage.volumes = {local("a1", "a", "1Gi"), local("b3", "b", "3Gi"), local("b1", "b", "1Gi"),
                     local("c2", "c", "2Gi").phase("Bound"), local("d5", "d", "5Gi")};
  storage.put_into(state);
  const auto fitting = [&] {
    std::string names;
    for (const auto& [name, verdict] : judge(kRule, View(state), mounts({"c"})))
      if (verdict == "fits") names += name;
    return names;
  };
  CHECK(fitting() == "bd");
  state.volumes.set(local("b3", "b", "3Gi").claimed_by("default", "other"));
  CHECK(fitting() == "d");
  state.volumes.set(local("c2", "c", "2Gi"));
  CHECK(fitting() == "cd");
  state.volumes.set(local("c2", "e", "2Gi"));
  CHECK(fitting() == "de");
  state.volumes.remove_volume("d5");
  CHECK(fitting() == "e");
  state.volumes.set(local("a1", "a", "1Gi").size("4Gi"));
  CHECK(fitting() == "ae");
  state.volumes.set(local("b1", "b", "9Gi").claimed_by("default", "c"));
  CHECK(fitting() == "b");
}

}  // namespace winnow::test
