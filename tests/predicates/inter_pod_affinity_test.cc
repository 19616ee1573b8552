#include <doctest/doctest.h>

#include "cluster/api/selector_errors.h"
#include "tests/ask.h"
#include "tests/spread_cluster.h"

namespace winnow::test::inter_pod_affinity_test {
namespace {

const char* const kRule = "InterPodAffinity";
const std::string kFits = "fits";
const std::string kNoFriend = "unresolvable: node(s) didn't match pod affinity rules";
const std::string kFoe = "unschedulable: node(s) didn't match pod anti-affinity rules";
const std::string kNotLiked = "unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";

PodAffinityTerm webs(const char* key) { return pods_with({{"app", "web"}}, key); }
PodAffinityTerm in_namespaces(std::optional<LabelSelector> selector, std::vector<std::string> names = {}) {
  PodAffinityTerm term = webs(kZoneKey);
  term.namespace_selector = std::move(selector);
  term.namespaces = std::move(names);
  return term;
}
Namespace ns(std::string name, StringMap labels = {}) {
  Namespace made;
  made.metadata.name = std::move(name);
  made.metadata.labels = std::move(labels);
  return made;
}

struct Row {
  std::string sentence;
  Pod pod;
  std::vector<Pod> there;
  std::map<std::string, std::string> answers;
};

void check(std::span<const Row> rows, const std::vector<Namespace>& namespaces = {}) {
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state(kPlugins);
    for (const Node& node : spread_nodes()) state.set_node(node);
    for (const Namespace& one : namespaces) state.objects.of<Namespace>()[one.metadata.name] = one;
    for (const Pod& pod : row.there) state.set_pod(pod);
    CHECK(judge(kRule, View(state), row.pod) == row.answers);
    state.groups.keep_wanted();
    CHECK(judge(kRule, View(state), row.pod) == row.answers);
  }
}

const auto kEverywhere = of_nodes(kFits, kFits, kFits, kFits);

}  // namespace

TEST_CASE("InterPodAffinity, filter") {
  const Row rows[] = {
      {"nothing asked for, nobody minds", pod("p"), {web().on("a")}, kEverywhere},
      {"into a zone with a web",
       pod("p").joins(webs(kZoneKey)),
       {web().on("a")},
       of_nodes(kFits, kFits, kNoFriend, kNoFriend)},
      {"a web that is being deleted will do",
       pod("p").joins(webs(kZoneKey)),
       {web().on("a").deleting()},
       of_nodes(kFits, kFits, kNoFriend, kNoFriend)},
      {"no web anywhere, and it is none itself",
       pod("p").joins(webs(kZoneKey)),
       {},
       of_nodes(kNoFriend, kNoFriend, kNoFriend, kNoFriend)},
      {"the first web may go to any node with the key",
       web("p").joins(webs(kZoneKey)),
       {},
       of_nodes(kFits, kFits, kFits, kNoFriend)},
      {"a web on a node without the key is in no zone",
       web("p").joins(webs(kZoneKey)),
       {web().on("d")},
       of_nodes(kFits, kFits, kFits, kNoFriend)},
      {"one pod must match all terms",
       pod("p").joins(webs(kZoneKey)).joins(pods_with({{"tier", "front"}}, kHostKey)),
       {web("1").on("a"), pod("2").label("tier", "front").on("b"), web("3").label("tier", "front").on("c")},
       of_nodes(kNoFriend, kNoFriend, kFits, kNoFriend)},
      {"out of zones with a web",
       pod("p").avoids(webs(kZoneKey)),
       {web().on("a")},
       of_nodes(kFoe, kFoe, kFits, kFits)},
      {"anti-affinity: any of the terms",
       pod("p").avoids(webs(kZoneKey)).avoids(pods_with({{"x", "y"}}, kHostKey)),
       {pod("1").label("x", "y").on("c")},
       of_nodes(kFits, kFits, kFoe, kFits)},
      {"kept out by a pod that runs",
       web("p"),
       {pod("1").avoids(webs(kZoneKey)).on("a")},
       of_nodes(kNotLiked, kNotLiked, kFits, kFits)},
      {"its own terms are told first",
       web("p").joins(webs(kHostKey)),
       {web("1").avoids(webs(kZoneKey)).on("a")},
       of_nodes(kNotLiked, kNoFriend, kNoFriend, kNoFriend)},
  };
  check(rows);
}

TEST_CASE("InterPodAffinity: namespaces by name and by label") {
  const std::vector<Namespace> namespaces = {ns("default"), ns("blue", {{"team", "blue"}}),
                                             ns("red", {{"team", "red"}})};
  const LabelSelector blue = selects({{"team", "blue"}});
  LabelSelector no_team;
  no_team.match_expressions.push_back({"team", "DoesNotExist", {}});
  const auto at_a_only = of_nodes(kFoe, kFoe, kFits, kFits);
  const Row rows[] = {
      {"neither: its own", pod("p").avoids(webs(kZoneKey)), {web().in("blue").on("a")}, kEverywhere},
      {"selected by label",
       pod("p").avoids(in_namespaces(blue)),
       {web("1").in("blue").on("a"), web("2").in("red").on("c")},
       at_a_only},
      {"a selector beside names adds to them",
       pod("p").avoids(in_namespaces(blue, {"red"})),
       {web("1").in("blue").on("a"), web("2").in("red").on("c")},
       of_nodes(kFoe, kFoe, kFoe, kFits)},
      {"its own is not among the selected",
       pod("p").avoids(in_namespaces(blue)),
       {web().on("a")},
       kEverywhere},
      {"an empty selector is all, without an object too",
       pod("p").avoids(in_namespaces(LabelSelector())),
       {web().in("nowhere").on("a")},
       at_a_only},
      {"a namespace without an object is not selected",
       pod("p").avoids(in_namespaces(no_team)),
       {web("1").in("nowhere").on("a"), web("2").on("c")},
       of_nodes(kFits, kFits, kFoe, kFits)},
      {"a selector that selects none: nobody",
       pod("p").joins(in_namespaces(selects({{"team", "green"}}))),
       {web().on("a")},
       of_nodes(kNoFriend, kNoFriend, kNoFriend, kNoFriend)},
      {"a running pod's selector is tried on the labels of the pod's namespace",
       web("p").in("blue"),
       {pod("1").in("red").avoids(in_namespaces(blue)).on("c")},
       of_nodes(kFits, kFits, kNotLiked, kFits)},
      {"which has none where there is no object: DoesNotExist matches",
       web("p").in("nowhere"),
       {pod("1").in("red").avoids(in_namespaces(no_team)).on("c")},
       of_nodes(kFits, kFits, kNotLiked, kFits)},
      {"and not its own namespace, if it has a selector",
       web("p").in("red"),
       {pod("1").in("red").avoids(in_namespaces(blue)).on("c")},
       kEverywhere},
      {"the first web of the selected namespaces",
       web("p").in("blue").joins(in_namespaces(blue)),
       {},
       of_nodes(kFits, kFits, kFits, kNoFriend)},
  };
  check(rows, namespaces);
}

TEST_CASE("InterPodAffinity: invalid selectors") {
  PodAffinityTerm broken = webs(kZoneKey);
  broken.label_selector = invalid_selector();
  const std::string refused = std::string("unresolvable: parsing pod: requiredAffinityTerms: ") +
                              label_selector_error(invalid_selector());
  const Row rows[] = {
      {"in the pod's own terms, of whichever kind, it refuses the pod",
       pod("p").joins(broken),
       {web().on("a")},
       of_nodes(refused, refused, refused, refused)},
      {"in a running pod's it takes all terms of that kind away",
       web("p"),
       {pod("1").avoids(webs(kZoneKey)).avoids(broken).on("a"),
        pod("2").avoids(webs(kHostKey)).joins(broken).on("c")},
       of_nodes(kFits, kFits, kNotLiked, kFits)},
  };
  check(rows);
}

}  // namespace winnow::test::inter_pod_affinity_test
