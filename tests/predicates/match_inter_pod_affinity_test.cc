#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::match_inter_pod_affinity_test {
namespace {

using Answers = std::map<std::string, std::string>;
const char* const kRule = "MatchInterPodAffinity";
const std::string kAffinity =
    "unresolvable: node(s) didn't match pod affinity/anti-affinity, node(s) didn't match pod affinity rules";
const std::string kAntiAffinity =
    "unschedulable: node(s) didn't match pod affinity/anti-affinity, node(s) didn't match pod anti-affinity "
    "rules";
const std::string kExisting =
    "unschedulable: node(s) didn't match pod affinity/anti-affinity, node(s) didn't satisfy existing pods "
    "anti-affinity rules";

PodAffinityTerm webs(std::string key, std::vector<std::string> namespaces = {}) {
  return pods_with({{"app", "web"}}, std::move(key), std::move(namespaces));
}
PodAffinityTerm nobody(std::string key) {
  PodAffinityTerm term;
  term.topology_key = std::move(key);
  return term;
}
PodAffinityTerm broken(std::string key) {
  PodAffinityTerm term;
  term.topology_key = std::move(key);
  term.label_selector = invalid_selector();
  return term;
}
PodBuilder web(std::string name = "web") { return pod(std::move(name)).label("app", "web"); }

/// Two nodes in zone x (host a, host b), one in zone y (host c), one without any label (d).
struct Row {
  std::string sentence;
  Pod pod;
  std::vector<Pod> there;
  Answers answers;
};

void check(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state(kExact);
    for (const char* host : {"a", "b", "c"})
      state.set_node(node(host).label("host", host).label("zone", *host == 'c' ? "y" : "x"));
    state.set_node(node("d"));
    for (const Pod& there : row.there) state.set_pod(there);
    CHECK(judge(kRule, View(state), row.pod) == row.answers);
    state.groups.keep_wanted();
    CHECK(judge(kRule, View(state), row.pod) == row.answers);
  }
}

Answers all(const std::string& answer) {
  return {{"a", answer}, {"b", answer}, {"c", answer}, {"d", answer}};
}

}  // namespace

TEST_CASE("MatchInterPodAffinity: what the pod's affinity asks for") {
  const Row rows[] = {
      {"nothing asked", pod("p"), {web().on("a")}, all("fits")},
      {"affinity that is there and empty",
       [] {
         Pod made = pod("p");
         made.spec.affinity.emplace().pod_affinity.emplace();
         return made;
       }(),
       {web().on("a")},
       all("fits")},
      {"the domain of a pod that matches",
       pod("p").joins(webs("zone")),
       {web().on("a")},
       {{"a", "fits"}, {"b", "fits"}, {"c", kAffinity}, {"d", kAffinity}}},
      {"the host of one",
       pod("p").joins(webs("host")),
       {web().on("a")},
       {{"a", "fits"}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
      {"one that is being deleted counts",
       pod("p").joins(webs("zone")),
       {web().on("a").deleting()},
       {{"a", "fits"}, {"b", "fits"}, {"c", kAffinity}, {"d", kAffinity}}},
      {"one of another namespace does not",
       pod("p").joins(webs("zone")),
       {web().in("other").on("a")},
       all(kAffinity)},
      {"one of a namespace that is named does",
       pod("p").joins(webs("zone", {"other", "more"})),
       {web().in("other").on("a"), web("own").on("c")},
       {{"a", "fits"}, {"b", "fits"}, {"c", kAffinity}, {"d", kAffinity}}},
      {"an absent selector asks for nobody", pod("p").joins(nobody("zone")), {web().on("a")}, all(kAffinity)},
      {"an empty one for anybody",
       pod("p").joins(pods_with({}, "zone")),
       {pod("any").on("c")},
       {{"a", kAffinity}, {"b", kAffinity}, {"c", "fits"}, {"d", kAffinity}}},
      {"a pod counts only if it matches all terms",
       pod("p").joins(webs("zone")).joins(pods_with({{"tier", "front"}}, "zone")),
       {web().on("a"), pod("front").label("tier", "front").on("a")},
       all(kAffinity)},
      {"one that does is in each term's domain",
       pod("p").joins(webs("zone")).joins(pods_with({{"tier", "front"}}, "host")),
       {web().label("tier", "front").on("a")},
       {{"a", "fits"}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
      {"different pods may do for different terms",
       pod("p").joins(webs("zone")).joins(webs("host")),
       {web("1").on("a"), web("2").on("c")},
       {{"a", "fits"}, {"b", kAffinity}, {"c", "fits"}, {"d", kAffinity}}},
      {"terms with no namespace in common",
       pod("p").joins(webs("zone", {"x"})).joins(webs("zone", {"y"})),
       {web().in("x").on("a")},
       all(kAffinity)},
      {"the first of its kind goes anywhere",
       web("p").joins(webs("zone")),
       {pod("other").on("a")},
       all("fits")},
      {"not if there is another",
       web("p").joins(webs("zone")),
       {web().on("a")},
       {{"a", "fits"}, {"b", "fits"}, {"c", kAffinity}, {"d", kAffinity}}},
      {"another on a node outside of all domains is none",
       web("p").joins(webs("zone")),
       {web().on("d")},
       all("fits")},
      {"another on a node that is gone is none",
       web("p").joins(webs("zone")),
       {web().on("gone")},
       all("fits")},
      {"nor if it does not match all its own terms",
       web("p").joins(webs("zone")).joins(pods_with({{"tier", "front"}}, "zone")),
       {},
       all(kAffinity)},
      {"nor if it asks in another namespace", web("p").joins(webs("zone", {"other"})), {}, all(kAffinity)},
      {"an empty key is nowhere", pod("p").joins(webs("")), {web().on("a")}, all(kAffinity)},
  };
  check(rows);
}

TEST_CASE("MatchInterPodAffinity: what the pod's anti-affinity forbids") {
  const Row rows[] = {
      {"the domain of a pod that matches",
       pod("p").avoids(webs("zone")),
       {web().on("a")},
       {{"a", kAntiAffinity}, {"b", kAntiAffinity}, {"c", "fits"}, {"d", "fits"}}},
      {"any one term",
       pod("p").avoids(webs("host")).avoids(pods_with({{"app", "db"}}, "host")),
       {web().on("a"), pod("db").label("app", "db").on("c")},
       {{"a", kAntiAffinity}, {"b", "fits"}, {"c", kAntiAffinity}, {"d", "fits"}}},
      {"one that is being deleted counts",
       pod("p").avoids(webs("host")),
       {web().on("a").deleting()},
       {{"a", kAntiAffinity}, {"b", "fits"}, {"c", "fits"}, {"d", "fits"}}},
      {"one of another namespace does not",
       pod("p").avoids(webs("host")),
       {web().in("other").on("a")},
       all("fits")},
      {"affinity is looked at first",
       pod("p").joins(webs("zone")).avoids(webs("host")),
       {web().on("a")},
       {{"a", kAntiAffinity}, {"b", "fits"}, {"c", kAffinity}, {"d", kAffinity}}},
      {"a preferred term forbids nothing",
       pod("p").dislikes(100, webs("zone")),
       {web().on("a")},
       all("fits")},
  };
  check(rows);
}

TEST_CASE("MatchInterPodAffinity: what pods that run forbid") {
  const Row rows[] = {
      {"their domain",
       web("p"),
       {pod("there").avoids(webs("zone")).on("a")},
       {{"a", kExisting}, {"b", kExisting}, {"c", "fits"}, {"d", "fits"}}},
      {"not to pods that they do not mean",
       pod("p"),
       {pod("there").avoids(webs("zone")).on("a")},
       all("fits")},
      {"their own namespace is meant",
       web("p"),
       {pod("there").in("other").avoids(webs("zone")).on("a")},
       all("fits")},
      {"or those that they name",
       web("p"),
       {pod("there").in("other").avoids(webs("host", {"default", "more"})).on("a")},
       {{"a", kExisting}, {"b", "fits"}, {"c", "fits"}, {"d", "fits"}}},
      {"a selector that demands nothing",
       pod("p"),
       {pod("there").avoids(pods_with({}, "host")).on("b")},
       {{"a", "fits"}, {"b", kExisting}, {"c", "fits"}, {"d", "fits"}}},
      {"their affinity asks nothing of others",
       web("p"),
       {pod("there").joins(webs("zone")).on("a")},
       all("fits")},
      {"a pending pod forbids nothing", web("p"), {pod("there").avoids(webs("zone"))}, all("fits")},
      {"nor does one whose node is gone",
       web("p"),
       {pod("there").avoids(webs("zone")).on("gone")},
       all("fits")},
      {"nor one on a node outside of all domains",
       web("p"),
       {pod("there").avoids(webs("zone")).on("d")},
       all("fits")},
      {"this is said before anything else",
       web("p").avoids(webs("host")),
       {web("there").avoids(webs("host")).on("a")},
       {{"a", kExisting}, {"b", "fits"}, {"c", "fits"}, {"d", "fits"}}},
  };
  check(rows);
}

TEST_CASE("MatchInterPodAffinity: the values of a label are compared, an empty one too") {
  State state(kExact);
  state.set_node(node("a").label("zone", ""));
  state.set_node(node("b").label("zone", ""));
  state.set_node(node("c"));
  state.set_pod(web().on("a"));
  CHECK(judge(kRule, View(state), pod("p").joins(webs("zone"))) ==
        Answers{{"a", "fits"}, {"b", "fits"}, {"c", kAffinity}});
}

TEST_CASE("MatchInterPodAffinity: an invalid selector sends it another way") {
  const std::string invalid = kInvalidSelectorError;
  const std::string missing = "node \"gone\" not found";
  const auto error = [](const std::string& node_name, const std::string& cause) {
    return "error: Cannot schedule pod default/p onto node " + node_name +
           ", because of PodAffinity: " + cause;
  };
  const auto errors = [&](const std::string& cause) {
    Answers answers;
    for (const char* name : {"a", "b", "c", "d"}) answers[name] = error(name, cause);
    return answers;
  };
  const std::string no_key =
      "empty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity";
  // An invalid hard spread constraint, which fails on a pod of the namespace. Upstream then has no metadata.
  const auto lost = [](PodBuilder made) { return made.spreads("zone", invalid_selector()); };
  const Row rows[] = {
      {"another's required anti-affinity fails the call",
       pod("p"),
       {pod("there").avoids(broken("zone")).on("a")},
       all("error: Failed to get all terms that match pod default/p: " + invalid)},
      {"not where its node is gone", pod("p"), {pod("there").avoids(broken("zone")).on("gone")}, all("fits")},
      {"another's required affinity does not",
       pod("p"),
       {pod("there").joins(broken("zone")).on("a")},
       all("fits")},
      {"the pod's own affinity fails the call",
       pod("p").joins(webs("zone")).joins(broken("zone")),
       {pod("any").on("a")},
       errors(invalid)},
      {"also if the only pod is on a node that is gone",
       pod("p").joins(broken("zone")),
       {pod("any").on("gone")},
       errors(invalid)},
      {"without any pod it is not met", web("p").joins(broken("zone")), {pod("pending")}, all(kAffinity)},
      {"what others forbid is said first",
       web("p").joins(broken("zone")),
       {pod("there").avoids(webs("host")).on("a")},
       {{"a", kExisting},
        {"b", error("b", invalid)},
        {"c", error("c", invalid)},
        {"d", error("d", invalid)}}},
      {"the pod's own anti-affinity forbids every node",
       pod("p").avoids(webs("zone")).avoids(broken("zone")),
       {pod("any").in("other").on("a")},
       all(kAntiAffinity)},
      {"not without any pod on a node",
       pod("p").avoids(broken("zone")),
       {pod("any").on("gone")},
       all("fits")},
      {"without metadata: affinity",
       lost(pod("p").joins(webs("zone"))),
       {web().on("a")},
       {{"a", "fits"}, {"b", "fits"}, {"c", kAffinity}, {"d", kAffinity}}},
      {"all terms' domains must be one pod's",
       lost(pod("p").joins(webs("zone")).joins(webs("host"))),
       {web("1").on("a"), web("2").on("c")},
       {{"a", "fits"}, {"b", kAffinity}, {"c", "fits"}, {"d", kAffinity}}},
      {"anti-affinity needs all its terms met by one pod",
       lost(pod("p").avoids(webs("host")).avoids(pods_with({{"tier", "front"}}, "zone"))),
       {web("1").on("a"), pod("2").label("tier", "front").on("a"), web("3").label("tier", "front").on("c")},
       {{"a", "fits"}, {"b", "fits"}, {"c", kAntiAffinity}, {"d", "fits"}}},
      {"a pod outside of all domains hinders the first of its kind",
       lost(web("p").joins(webs("zone"))),
       {web().on("d"), pod("any").on("a")},
       all(kAffinity)},
      {"the first of its kind", lost(web("p").joins(webs("zone"))), {pod("any").on("a")}, all("fits")},
      {"a pod whose node is gone fails the call where no other is found",
       lost(pod("p").joins(webs("zone"))),
       {web("1").on("gone"), web("2").on("c")},
       {{"a", error("a", missing)}, {"b", error("b", missing)}, {"c", "fits"}, {"d", error("d", missing)}}},
      {"and forbids every node",
       lost(pod("p").avoids(webs("zone"))),
       {web("1").on("gone"), pod("any").on("a")},
       all(kAntiAffinity)},
      {"an empty key fails the call", lost(pod("p").joins(webs(""))), {web().on("a")}, errors(no_key)},
      {"behind the keys before it",
       lost(pod("p").joins(webs("zone")).joins(webs(""))),
       {web().on("a")},
       {{"a", error("a", no_key)}, {"b", error("b", no_key)}, {"c", kAffinity}, {"d", kAffinity}}},
      {"a constraint that has no pod to try leaves it as it was",
       lost(pod("p").joins(webs("zone", {"other"})).joins(webs("host", {"other"}))),
       {web("1").in("other").on("a"), web("2").in("other").on("b")},
       {{"a", "fits"}, {"b", "fits"}, {"c", kAffinity}, {"d", kAffinity}}},
  };
  check(rows);
}

TEST_CASE("MatchInterPodAffinity: the error names its node, however many nodes fail") {
  State state(kExact);
  for (int i = 0; i < 100; ++i) state.set_node(node("n" + std::to_string(i)));
  state.set_pod(pod("any").on("n0"));
  const Answers answers = judge(kRule, View(state), pod("p").joins(broken("zone")));
  for (const auto& [name, answer] : answers)
    CHECK(answer.starts_with("error: Cannot schedule pod default/p onto node " + name + ","));
}

}  // namespace winnow::test::match_inter_pod_affinity_test
