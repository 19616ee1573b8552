// Victims that a preemption does not need, and whether the rules of a configuration file let them stay.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/victims.h"
#include "predicates/records.h"
#include "tests/builders.h"

namespace winnow::test::taking_back_test {
namespace {

RuleSet rules_of(const std::string& text, const std::string& gates = "") {
  auto loaded = load_rules("f", text, parse_gates(gates).value());
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error()));
  return std::move(loaded->sets.front());
}
/// The rules of a kube-scheduler configuration with these plugins. @param plugins  YAML.
RuleSet todays(const std::string& plugins = "{}") {
  return rules_of(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{plugins: " +
      plugins + "}]\n");
}
RuleSet policy(const std::vector<std::string>& names, const std::string& gates = "") {
  std::string predicates;
  for (const std::string& name : names)
    predicates += (predicates.empty() ? "{name: " : ", {name: ") + name + "}";
  return rules_of("kind: Policy\napiVersion: v1\npredicates: [" + predicates + "]\npriorities: []\n", gates);
}

/// Whether victims of a node may stay for the pod. @param unknown  adds a victim of which only the UID is
/// known.
bool may(const RuleSet& rules, const Pod& asked, const std::vector<Pod>& victims, bool given = false,
         bool unknown = false) {
  State state({rules.accounting, rules.exact_zones, rules.generation});
  state.set_node(node("n"));
  Candidate candidate{"n", {}};
  for (const Pod& victim : victims) {
    if (!given) state.set_pod(victim);
    candidate.victims.push_back(given
                                    ? Victim{kNone, victim}
                                    : Victim{state.find_pod("default", victim.metadata.name), std::nullopt});
  }
  if (unknown) candidate.victims.push_back({});
  return may_reprieve(rules, state, asked, candidate);
}

PodBuilder asked() { return pod("asked").cpu("1"); }
PodBuilder victim() { return pod("victim").on("n").cpu("1"); }
PodAffinityTerm on_its_node() { return pods_with({{"app", "x"}}, "kubernetes.io/hostname"); }

/// A demand of a pod, or a property of a victim, and the filters of kube-scheduler that look at it.
/// NodeResourcesFit is not listed: it always counts pods.
struct Need {
  std::string sentence;
  std::vector<std::string> filters;
  Pod asked, victim;
};

std::vector<Need> needs() {
  const std::vector<std::string> volumes = {"VolumeRestrictions", "NodeVolumeLimits"};
  Pod container_port = asked();
  container_port.spec.containers[0].ports.push_back({0, 80, "", ""});
  const LabelSelector app = selects({{"app", "x"}});
  return {
      {"cpu", {}, asked(), victim()},
      {"nothing but a place", {}, pod("asked"), victim()},
      {"a host port", {"NodePorts"}, asked().host_port(80), victim()},
      {"a host port of an init container", {"NodePorts"}, asked().init("i").host_port(80), victim()},
      {"a container port alone", {}, container_port, victim()},
      {"a victim's host port", {}, asked(), victim().host_port(80)},
      {"anti-affinity", {"InterPodAffinity"}, asked().avoids(on_its_node()), victim()},
      {"affinity", {"InterPodAffinity"}, asked().joins(on_its_node()), victim()},
      {"a victim's anti-affinity", {"InterPodAffinity"}, asked(), victim().avoids(on_its_node())},
      {"a victim's affinity", {}, asked(), victim().joins(on_its_node())},
      {"preferred anti-affinity", {}, asked().dislikes(1, on_its_node()), victim()},
      {"preferred affinity", {}, asked().likes(1, on_its_node()), victim()},
      {"a victim's preferred anti-affinity", {}, asked(), victim().dislikes(1, on_its_node())},
      {"hard spread", {"PodTopologySpread"}, asked().spreads("zone", app), victim()},
      {"soft spread", {}, asked().spreads("zone", app, 1, /*hard=*/false), victim()},
      {"a victim's hard spread", {}, asked(), victim().spreads("zone", app)},
      {"a claim: it may be ReadWriteOncePod, or count against a limit", volumes,
       asked().mounts(claim("data")), victim()},
      {"a disk", volumes, asked().mounts(gce_disk("d")), victim()},
      {"an ephemeral volume", volumes, asked().mounts({.name = "e", .source = VolumeSource::kEphemeral}),
       victim()},
      {"a configMap", {}, asked().mounts({.name = "c", .source = VolumeSource::kOther}), victim()},
      {"an image", {}, asked().mounts({.name = "i", .source = VolumeSource::kImage}), victim()},
      {"a victim's volume", {}, asked(), victim().mounts(claim("data"))},
  };
}

const char* const kSix[] = {"NodeResourcesFit",  "NodePorts",          "InterPodAffinity",
                            "PodTopologySpread", "VolumeRestrictions", "NodeVolumeLimits"};

}  // namespace

TEST_SUITE("taking back") {
  TEST_CASE("these are kube-scheduler's filters that an eviction can turn") {
    std::set<std::string_view> turned;
    for (const auto& plugin : predicates::plugins())
      if (plugin.turned_by_eviction != nullptr && !plugin.is_own()) turned.insert(plugin.name);
    CHECK(turned == std::set<std::string_view>(std::begin(kSix), std::end(kSix)));
  }

  TEST_CASE("today's default profile decides all of it") {
    const RuleSet rules = todays();
    for (const Need& row : needs()) {
      CAPTURE(row.sentence);
      CHECK(may(rules, row.asked, {row.victim}));
    }
  }

  TEST_CASE("without one of today's plugins victims are left to who needs it, and to nobody else") {
    for (const std::string filter : kSix) {
      const RuleSet rules = todays("{multiPoint: {disabled: [{name: " + filter + "}]}}");
      for (const Need& row : needs()) {
        CAPTURE(filter);
        CAPTURE(row.sentence);
        const bool needed = filter == "NodeResourcesFit" || std::ranges::contains(row.filters, filter);
        CHECK(may(rules, row.asked, {row.victim}) == !needed);
      }
    }
  }

  TEST_CASE("a plugin that runs by half does not decide") {
    for (const std::string point : {"filter", "preFilter"}) {
      CAPTURE(point);
      const RuleSet rules = todays("{" + point + ": {disabled: [{name: PodTopologySpread}]}}");
      CHECK_FALSE(may(rules, asked().spreads("zone", selects({{"app", "x"}})), {victim()}));
      CHECK(may(rules, asked(), {victim()}));
    }
  }

  TEST_CASE("a classic rule stands for a filter as far as it reads pods as that filter does") {
    const RuleSet all = classic_rules({}).sets.front();
    const RuleSet rules = policy({"GeneralPredicates", "NoDiskConflict", "MaxCSIVolumeCountPred",
                                  "MatchInterPodAffinity", "EvenPodsSpread"});
    const RuleSet single = policy({"PodFitsResources", "PodFitsHostPorts"});
    for (const Need& row : needs()) {
      CAPTURE(row.sentence);
      // The classic rule ignores host ports of init containers.
      const bool covers = row.filters.empty() || row.sentence == "a host port";
      CHECK(may(all, row.asked, {row.victim}) == covers);
      CHECK(may(rules, row.asked, {row.victim}) == covers);
      CHECK(may(single, row.asked, {row.victim}) == covers);
    }
  }

  TEST_CASE("what a Policy lacks") {
    struct Row {
      std::string sentence;
      RuleSet rules;
      bool room, ports;  ///< Whether victims may stay, for a pod with cpu only, and with a host port too.
    };
    const Row rows[] = {
        {"all of GeneralPredicates", policy({"GeneralPredicates"}), true, true},
        {"the two parts that an eviction can turn", policy({"PodFitsResources", "PodFitsHostPorts"}), true,
         true},
        {"no host ports", policy({"PodFitsResources"}), true, false},
        {"no resources", policy({"PodFitsHostPorts"}), false, false},
        {"neither", policy({"NoDiskConflict"}), false, false},
        {"v1.16's accounting", policy({"GeneralPredicates"}, "ExactV116=true"), false, false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(may(row.rules, asked(), {victim()}) == row.room);
      CHECK(may(row.rules, asked().host_port(80), {victim()}) == row.ports);
    }
  }

  TEST_CASE("init containers, whose ports the classic rule does not count") {
    const RuleSet rules = policy({"GeneralPredicates"});
    const Pod port = asked().host_port(80);
    CHECK(may(rules, port, {victim()}));
    CHECK_FALSE(may(rules, asked().host_port(80).init("i"), {victim()}));
    CHECK_FALSE(may(rules, port, {victim(), pod("other").on("n").init("i").cpu("1")}));
    CHECK_FALSE(may(rules, asked().sidecar("s").host_port(80), {victim()}));
    CHECK(may(rules, asked().init("i"), {pod("other").on("n").init("i").cpu("1")}));
  }

  TEST_CASE("each victim counts, wherever it is known from") {
    const RuleSet rules = policy({"GeneralPredicates"});
    const Pod apart = pod("apart").on("n").avoids(on_its_node());
    for (const bool given : {false, true}) {
      CAPTURE(given);
      CHECK(may(rules, asked(), {victim()}, given));
      CHECK_FALSE(may(rules, asked(), {victim(), apart}, given));
      CHECK_FALSE(may(rules, asked(), {apart, victim()}, given));
    }
    // An unknown victim is evicted in any case. The others are judged without it.
    CHECK(may(rules, asked(), {victim()}, /*given=*/false, /*unknown=*/true));
    CHECK_FALSE(may(rules, asked(), {apart}, /*given=*/false, /*unknown=*/true));
  }
}

}  // namespace winnow::test::taking_back_test
