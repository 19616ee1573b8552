// Every refusal has its causes, of kinds and with fields that docs/explain.md describes.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/files/cluster_file.h"
#include "cluster/rule/cause.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/explain.h"
#include "extender/explain/suggestion_text.h"
#include "tests/builders.h"
#include "tests/extender/explain/documented_kinds.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

/// What is wrong with a cause: it has a kind or a field that no table has, or its fields are in another
/// order.
std::string fault_of(const Cause& cause) {
  for (const CauseKind& kind : cause_kinds()) {
    if (kind.name != cause.kind) continue;
    auto place = kind.fields.begin();
    for (const auto& [name, value] : cause.fields) {
      place = std::find(place, kind.fields.end(), name);
      if (place == kind.fields.end()) return cause.kind + ": " + name;
    }
    return to_text(cause).empty() ? cause.kind + " has no words" : "";
  }
  return cause.kind;
}

/// Explains every pending pod of a corpus, and checks each refusal. @return the kinds that were seen.
std::set<std::string> check_corpus(const std::string& corpus, const std::string& config) {
  const LoadedRules rules = named_rules(config, Gates()).value();
  Workers workers(0);
  const Engines engines(rules.sets, workers);
  std::set<std::string> seen;
  std::size_t refusals = 0;
  const std::filesystem::path folder = std::string(WINNOW_ROOT) + "/tests/oracle/" + corpus;
  for (const auto& seed : std::filesystem::directory_iterator(folder)) {
    if (!seed.is_directory()) continue;
    CAPTURE(seed.path().string());
    const std::string files[] = {(seed.path() / "cluster.json.gz").string()};
    const std::string asked[] = {(seed.path() / "pods.json.gz").string()};
    const ClusterObjects objects = read_cluster(files).value();
    State state(state_options(rules));
    load(state, objects);
    const View view(state);
    const ClusterObjects pods = std::filesystem::exists(asked[0]) ? read_cluster(asked).value() : objects;
    for (const Pod& pod : pods.of<Pod>()) {
      if (!pod.spec.node_name.empty()) continue;
      const Explanation told = explain(engines, view, pod, view.all_nodes(), {.suggest = false});
      for (const NodeExplanation& node : told.nodes)
        for (const FilterEntry& entry : node.filters) {
          if (entry.fits || entry.error) continue;
          ++refusals;
          CAPTURE(told.pod);
          CAPTURE(node.name);
          CAPTURE(entry.rule);
          CHECK_FALSE(entry.causes.empty());
          for (const Cause& cause : entry.causes) {
            CHECK(fault_of(cause) == "");
            seen.insert(cause.kind);
          }
        }
    }
  }
  CHECK(refusals > 1000);
  return seen;
}

/// The causes for which one rule refuses the pod on the only node.
std::vector<Cause> causes_of(const State& state, const Pod& pod, std::string_view rule,
                             const std::string& config = "default") {
  const LoadedRules rules = named_rules(config, Gates()).value();
  Workers workers(0);
  const Engines engines(rules.sets, workers);
  const View view(state);
  const Explanation told = explain(engines, view, pod, view.all_nodes(), {.suggest = false});
  for (const NodeExplanation& node : told.nodes)
    for (const FilterEntry& entry : node.filters)
      if (entry.rule == rule) return entry.causes;
  return {};
}

const State::Options kOptions{.generation = Generation::kToday};

TEST_CASE("the documented kinds of causes are those of the code") {
  CHECK(documented_kinds("### Causes") == kinds_of(cause_kinds()));
}

TEST_CASE("every refusal by today's plugins has its causes") {
  const std::set<std::string> seen = check_corpus("corpus_today", "default");
  for (const char* const kind : {"resource", "taint", "unschedulable", "label", "port", "spread", "affinity",
                                 "anti-affinity", "claim", "volumeAffinity", "noVolume", "devices"})
    CHECK_MESSAGE(seen.contains(kind), kind);
}

TEST_CASE("every refusal for want of devices has its causes") {
  const std::set<std::string> seen = check_corpus("corpus_devices", "default");
  for (const char* const kind : {"devices", "device", "pool", "claimElsewhere", "claim", "resource"})
    CHECK_MESSAGE(seen.contains(kind), kind);
}

TEST_CASE("every refusal by classic predicates has its causes") {
  const std::set<std::string> seen = check_corpus("corpus", "classic");
  for (const char* const kind : {"resource", "taint", "label", "port", "anti-affinity", "disk"})
    CHECK_MESSAGE(seen.contains(kind), kind);
}

TEST_CASE("a resource says what is wanted, what is free, and who has the rest") {
  State state(kOptions);
  state.set_node(node("a").cpu("8").memory("16Gi").pods("110"));
  state.set_pod(pod("one").on("a").cpu("1780m"));
  state.set_pod(pod("two").on("a").cpu("2"));
  const auto causes = causes_of(state, pod("web").cpu("6"), "NodeResourcesFit");
  REQUIRE(causes.size() == 1);
  CHECK(causes[0] == Cause{"resource"}
                         .with("resource", "cpu")
                         .with("wanted", "6")
                         .with("free", "4220m")
                         .with("allocatable", "8")
                         .with("requested", "3780m")
                         .with("pods", std::int64_t{2}));
  CHECK(to_text(causes[0]) == "wants 6 cpu: 4220m of 8 are free, 2 pods request 3780m");
}

TEST_CASE("a limit of attached volumes says how many there are") {
  State state(kOptions);
  state.set_node(node("a").cpu("8").memory("8Gi").pods("110"));
  const Storage storage = {
      .claims = {pvc("c1").bound_to("v1"), pvc("c2").bound_to("v2")},
      .volumes = {pv("v1").csi("csi.example.com", "h1"), pv("v2").csi("csi.example.com", "h2")},
      .classes = {},
      .csi_nodes = {csi_node("a", {{"csi.example.com", 1}})}};
  storage.put_into(state);
  state.set_pod(pod("one").on("a").mounts(claim("c1")));
  const auto causes = causes_of(state, pod("web").mounts(claim("c2")), "NodeVolumeLimits");
  REQUIRE(causes.size() == 1);
  CHECK(fault_of(causes[0]) == "");
  CHECK(to_text(causes[0]) == "csi.example.com: 1 of 1 volumes are attached, and the pod brings 1 more");
}

TEST_CASE("a taint comes with the toleration that nearly matches it") {
  State state(kOptions);
  state.set_node(node("a").cpu("8").pods("110").taint("dedicated", "gpu", "NoSchedule"));
  Pod asked = pod("web");
  asked.spec.tolerations = {
      {.key = "dedicated", .op = "Equal", .value = "cpu", .effect = "NoSchedule", .toleration_seconds = {}}};
  CHECK(causes_of(state, asked, "TaintToleration") ==
        std::vector<Cause>{Cause{"taint"}
                               .with("taint", "dedicated=gpu:NoSchedule")
                               .with("toleration", "dedicated=cpu:NoSchedule")
                               .with("differs", "value")});
}

TEST_CASE("a node selector says what the node has instead") {
  State state(kOptions);
  state.set_node(node("a").cpu("8").pods("110").label("pool", "general"));
  Pod asked = pod("web");
  asked.spec.node_selector = {{"pool", "genral"}};
  CHECK(causes_of(state, asked, "NodeAffinity") ==
        std::vector<Cause>{Cause{"label"}
                               .with("key", "pool")
                               .with("operator", "In")
                               .with("wanted", std::vector<std::string>{"genral"})
                               .with("value", "general")
                               .with("from", "nodeSelector")});
}

TEST_CASE("an anti-affinity names the pod, and whose term it is") {
  State state(kOptions);
  state.set_node(node("a").cpu("8").pods("110").label("kubernetes.io/hostname", "a"));
  PodAffinityTerm term;
  term.label_selector = LabelSelector{{{"app", "db"}}, {}};
  term.topology_key = "kubernetes.io/hostname";
  Pod running = pod("db-0").on("a").label("app", "db");
  running.spec.affinity.emplace();
  running.spec.affinity->pod_anti_affinity.emplace().required = {term};
  state.set_pod(running);
  const auto causes = causes_of(state, pod("db-1").label("app", "db"), "InterPodAffinity");
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].text("with") == "default/db-0");
  CHECK(causes[0].text("whose") == "existing");
  CHECK(causes[0].text("domain") == "a");
}

TEST_CASE("a zone that the classic rule passes over is no cause") {
  State state(state_options(named_rules("classic", Gates()).value()));
  state.set_node(node("a")
                     .cpu("8")
                     .pods("110")
                     .label("topology.kubernetes.io/zone", "a")
                     .label("topology.kubernetes.io/region", "r"));
  Storage storage;
  storage.claims = {pvc("data").bound_to("disk")};
  // The old label is there, so the new one is not looked at; an empty zone makes it say nothing.
  storage.volumes = {pv("disk")
                         .label("failure-domain.beta.kubernetes.io/zone", "b__")
                         .label("topology.kubernetes.io/zone", "b")
                         .label("topology.kubernetes.io/region", "s")};
  storage.put_into(state);
  const auto causes = causes_of(state, pod("web").mounts(claim("data")), "NoVolumeZoneConflict", "classic");
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].text("key") == "topology.kubernetes.io/region");
}

TEST_CASE("what would help is tried, and the smallest comes first") {
  static const LoadedRules kRules = named_rules(kDefaultRules, Gates()).value();
  Workers workers(0);
  const Engines engines(kRules.sets, workers);
  State state(kOptions);
  state.set_node(node("full").cpu("4").memory("8Gi").pods("110"));
  state.set_pod(pod("one").on("full").cpu("3"));
  state.set_node(node("cordoned").cpu("4").memory("8Gi").pods("110").cordoned());
  state.set_node(node("tainted").cpu("4").memory("8Gi").pods("110").taint("team", "a", "NoSchedule"));
  const View view(state);
  const Explanation told = explain(engines, view, pod("web").cpu("2"), view.all_nodes(), {});
  CHECK(told.feasible == 0);
  std::vector<std::string> texts;
  for (const Suggestion& one : told.help.suggestions) texts.push_back(to_text(one));
  CHECK(texts == std::vector<std::string>{"uncordon cordoned", "ask for 1 cpu, not 2: it goes to full",
                                          "tolerate the taint team=a:NoSchedule: it goes to tainted",
                                          "add a node like full"});
  CHECK_FALSE(told.help.fits_no_empty_node);
  CHECK(explain(engines, view, pod("huge").cpu("64"), view.all_nodes(), {}).help.fits_no_empty_node);
}

TEST_CASE("a new node is of a kind that holds the pod, though nodes of one size differ") {
  static const LoadedRules kRules = named_rules(kDefaultRules, Gates()).value();
  Workers workers(0);
  const Engines engines(kRules.sets, workers);
  State state(kOptions);
  for (const char* const name : {"disk", "ssd", "gpu"}) {
    Node made = node(name).cpu("4").memory("8Gi").pods("110").label("kubernetes.io/hostname", name);
    if (name == std::string_view("ssd")) made.metadata.labels["disk"] = "ssd";
    if (name == std::string_view("gpu")) made.status.allocatable["example.com/gpu"] = Quantity::of_units(1);
    state.set_node(made);
    state.set_pod(pod(std::string("on-") + name).on(name).cpu("3"));
  }
  state.set_pod(pod("holder").on("gpu").asks("example.com/gpu", "1"));
  const View view(state);
  const auto last_of = [&](const Pod& asked) {
    const Explanation told = explain(engines, view, asked, view.all_nodes(), {});
    CHECK_FALSE(told.help.fits_no_empty_node);
    return told.help.suggestions.empty() ? "" : to_text(told.help.suggestions.back());
  };
  CHECK(last_of(pod("web").cpu("2").selects_nodes("disk", "ssd")) == "add a node like ssd");
  CHECK(last_of(pod("web").cpu("2").asks("example.com/gpu", "1")) == "add a node like gpu");
}

TEST_CASE("that no empty node holds the pod is said only if each kind was tried") {
  static const LoadedRules kRules = named_rules(kDefaultRules, Gates()).value();
  Workers workers(0);
  const Engines engines(kRules.sets, workers);
  State state(kOptions);
  for (int i = 0; i < 65; ++i)
    state.set_node(node("n" + std::to_string(i)).cpu("4").pods("110").label("serial", std::to_string(i)));
  const View view(state);
  CHECK_FALSE(explain(engines, view, pod("huge").cpu("64"), view.all_nodes(), {}).help.fits_no_empty_node);
  state.remove_node("n64");
  CHECK(explain(engines, view, pod("huge").cpu("64"), view.all_nodes(), {}).help.fits_no_empty_node);
}

TEST_CASE("room for pods is counted in words") {
  Cause cause{"resource"};
  cause.with("resource", "pods").with("wanted", "1").with("free", "0").with("allocatable", "1");
  CHECK(to_text(cause.with("requested", "1").with("pods", std::int64_t{1})) ==
        "has room for 1 pod, and 1 is there");
}

}  // namespace
}  // namespace winnow::test
