#include <doctest/doctest.h>

#include "extender/what_if/compare/comparison.h"
#include "tests/extender/what_if/compare/two_sides.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

using Told = std::vector<std::string>;

const std::string kLeast =
    "{name: LeastRequestedPriority, weight: 5}, {name: MostRequestedPriority, weight: 1}";
const std::string kMost =
    "{name: LeastRequestedPriority, weight: 1}, {name: MostRequestedPriority, weight: 5}";
const std::string kAnyNode = "{name: EqualPriority, weight: 1}";
const std::string kLikesSsd =
    "{name: LikesSsd, weight: 3, argument: {labelPreference: {label: ssd, presence: true}}}";
const std::string kNotRetiring =
    "{name: NotRetiring, argument: {labelsPresence: {labels: [retiring], presence: false}}}";
const std::string kTodayMost =
    "profiles:\n- plugins: {multiPoint: {disabled: [{name: \"*\"}], enabled: [{name: PrioritySort}, {name: "
    "DefaultBinder}, {name: NodeResourcesFit}]}}\n  pluginConfig:\n  - name: NodeResourcesFit\n    args: "
    "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}\n";

Pod owned_by(Pod pod, const std::string& kind) {
  pod.metadata.owner_references = {{"apps/v1", kind, "x", "x-uid", true}};
  return pod;
}

Pod urgent(Pod pod, std::int32_t priority) {
  pod.spec.priority = priority;
  return pod;
}

/// n1 is nearly full and has no ssd; n2 is empty and has one; n3 is as n2, and retiring.
void three_nodes(State& state) {
  state.set_node(roomy("n1", "4"));
  state.set_node(roomy("n2", "4").label("ssd", ""));
  state.set_node(roomy("n3", "4").label("ssd", "").label("retiring", ""));
  state.set_pod(owned_by(pod("busy").cpu("2").on("n1"), "ReplicaSet"));
}

}  // namespace

TEST_CASE("compare: which choices differ, and by which rule") {
  struct Row {
    std::string sentence;
    std::string a, b;
    std::vector<Pod> pods;
    Told told;
  };
  const Row rows[] = {
      {"the same rules", policy("", kLeast), policy("", kLeast), {pod("p").cpu("1")}, {"p: n2, n2"}},
      {"a changed weight",
       policy("", kLeast),
       policy("", kMost),
       {pod("p").cpu("1")},
       {"p: n2, n1; scores LeastRequestedPriority MostRequestedPriority"}},
      {"a priority that is gone",
       policy("", kLikesSsd),
       policy("", kAnyNode),
       {pod("p").cpu("1")},
       {"p: n2, n1; scores LikesSsd"}},
      {"a predicate that is gone",
       policy(kNotRetiring, kAnyNode),
       policy("", kAnyNode),
       {pod("p").cpu("1").selects_nodes("retiring", "")},
       {"p: nowhere, n3; refused A:NotRetiring"}},
      {"a predicate that is new, and refuses the node",
       policy("", kLikesSsd),
       policy("{name: NotSsd, argument: {labelsPresence: {labels: [ssd], presence: false}}}", kLikesSsd),
       {pod("p").cpu("1")},
       {"p: n2, n1; refused B:NotSsd"}},
      {"both refuse the other's node",
       policy("{name: OnlySsd, argument: {labelsPresence: {labels: [ssd], presence: true}}}", kAnyNode),
       policy("{name: NotSsd, argument: {labelsPresence: {labels: [ssd], presence: false}}}", kAnyNode),
       {pod("p").cpu("1")},
       {"p: n2, n1; refused A:OnlySsd B:NotSsd"}},
      {"nowhere under both is the same",
       policy("", kLeast),
       policy("", kMost),
       {pod("p").cpu("9")},
       {"p: nowhere, nowhere"}},
      {"a pod with gates is not tried by either",
       policy("", kLeast),
       policy("", kMost),
       [] {
         Pod gated = pod("p");
         gated.spec.scheduling_gates = {"example.com/wait"};
         return std::vector<Pod>{gated};
       }(),
       {"p: gated, gated"}},
      {"classic against today's",
       policy("", "{name: LeastRequestedPriority, weight: 1}"),
       today(kTodayMost),
       {pod("p").cpu("1")},
       {"p: n2, n1; scores NodeResourcesFit"}},
      {"no profile for the pod's scheduler",
       policy("", kLeast),
       today(),
       [] {
         Pod other = pod("p").cpu("1");
         other.spec.scheduler_name = "other";
         return std::vector<Pod>{other};
       }(),
       {"p: n2, nowhere; refused B:-"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    TwoSides sides(row.a, row.b, [&](State& state) {
      three_nodes(state);
      for (const Pod& one : row.pods) state.set_pod(one);
    });
    const Comparison result = sides.place();
    CHECK(told(result) == row.told);
    CHECK(result.count_known() == row.pods.size());
    std::size_t counted = 0;
    for (const MoveCause& cause : result.causes) counted += cause.pods;
    CHECK(counted == result.count_differing());
  }
}

TEST_CASE("compare: a choice that follows from pods before is no rule's") {
  TwoSides sides(policy("", kAnyNode), policy("", kLikesSsd), [](State& state) {
    state.set_node(roomy("n1", "4"));
    state.set_node(roomy("n2", "4").label("ssd", ""));
    state.set_pod(urgent(pod("first").cpu("3"), 9));
    state.set_pod(pod("second").cpu("3"));
    state.set_pod(pod("third").cpu("3"));
  });
  const Comparison result = sides.place();
  CHECK(told(result) ==
        Told{"first: n1, n2; scores LikesSsd", "second: n2, n1; earlier", "third: nowhere, nowhere"});
  CHECK(result.nowhere_only(winnow::kA) == 0);
}

TEST_CASE("compare: a pod that is tried again counts by its last attempt") {
  // The friend waits for web. Under A web goes to n1, which is full for the friend then.
  TwoSides sides(
      policy("{name: MatchInterPodAffinity}", kAnyNode), policy("{name: MatchInterPodAffinity}", kLikesSsd),
      [](State& state) {
        state.set_node(roomy("n1", "3").label("kubernetes.io/hostname", "n1"));
        state.set_node(roomy("n2", "4").label("kubernetes.io/hostname", "n2").label("ssd", ""));
        state.set_pod(
            urgent(pod("friend").cpu("2").joins(pods_with({{"app", "web"}}, "kubernetes.io/hostname")), 9));
        state.set_pod(urgent(pod("web").cpu("2").label("app", "web"), 1));
      });
  const Comparison result = sides.place();
  CHECK(told(result) == Told{"friend: nowhere, n2; earlier", "web: n1, n2; scores LikesSsd"});
  CHECK(result.nowhere_only(winnow::kA) == 1);
  CHECK(result.nowhere_only(winnow::kB) == 0);
}

TEST_CASE("compare: pods of files, and what nodes hold under both") {
  TwoSides sides(policy("", kLeast), policy("", kMost), three_nodes);
  const Comparison result = sides.place({}, deployment("web", 2, "1"));
  REQUIRE(result.pods.size() == 2);
  CHECK(result.workloads == Told{"Deployment shop/web"});
  REQUIRE(result.nodes.size() == 3);
  CHECK(result.nodes[0].before->cpu == 2000);
  CHECK(result.nodes[0].after->cpu == 4000);
  CHECK(result.nodes[1].before->cpu == 1000);
  CHECK(result.nodes[1].after->cpu == 0);
  const Utilization a = utilization(result.nodes, &NodeFill::before),
                    b = utilization(result.nodes, &NodeFill::after);
  CHECK(a.nodes_used == 3);
  CHECK(b.nodes_used == 1);
  CHECK(a.highest_cpu == doctest::Approx(0.5));
  CHECK(b.highest_cpu == doctest::Approx(1.0));
  CHECK(a.cpu == doctest::Approx(4.0 / 12));
}

TEST_CASE("compare: pods of one workload that swap places are the same by workload") {
  struct Row {
    std::string sentence;
    bool owned;
    std::size_t differ, by_workload;
  };
  for (const Row& row : {Row{"of one workload", true, 2, 0}, Row{"each by itself", false, 2, 2}}) {
    CAPTURE(row.sentence);
    TwoSides sides(policy("", kAnyNode), policy("", kLikesSsd), [&](State& state) {
      state.set_node(roomy("n1", "4"));
      state.set_node(roomy("n2", "4").label("ssd", ""));
      for (const char* const name : {"first", "second"})
        state.set_pod(row.owned ? owned_by(pod(name).cpu("3"), "StatefulSet") : Pod(pod(name).cpu("3")));
    });
    const Comparison result = sides.place();
    CHECK(result.count_differing() == row.differ);
    CHECK(result.count_differing_by_workload() == row.by_workload);
  }
}

TEST_CASE("compare: many equal pods that fit nowhere under one share one cause") {
  TwoSides sides(policy(kNotRetiring, kAnyNode), policy("", kAnyNode),
                 [](State& state) { state.set_node(roomy("n1", "64").label("retiring", "")); });
  const Comparison result = sides.place({}, deployment("web", 20, "1"));
  CHECK(result.nowhere_only(winnow::kA) == 20);
  REQUIRE(result.causes.size() == 1);
  CHECK(result.causes[0].pods == 20);
  CHECK(rules_in(result.causes[0].turn) == "refused A:NotRetiring");
}

TEST_CASE("compare: with a seed the draw may differ where no rule does, and it repeats") {
  const auto fill_with = [](std::string retiring) {
    return [retiring](State& state) {
      state.set_node(roomy("n1", "4"));
      state.set_node(roomy("n2", "4"));
      state.set_node(roomy(retiring, "4").label("retiring", ""));
      for (int i = 0; i < 40; ++i)
        state.set_pod(pod("p" + std::to_string(100 + i)).uid("u" + std::to_string(i)));
    };
  };
  const auto fill =
      fill_with("n0");  // A draw among three takes another of the last two than one among these.
  TwoSides sides(policy(kNotRetiring, kAnyNode), policy("", kAnyNode), fill);
  const Comparison result = sides.place({.seed = 3});
  std::size_t draws = 0;
  for (const ComparedPod& pod : result.pods) {
    if (!pod.differs()) continue;
    const ChoiceDifference& turn = result.causes[pod.cause].turn;
    draws += turn.kind == TurnKind::kDraw;
    CHECK((turn.kind == TurnKind::kDraw) == (node_of(result, pod, winnow::kB) != "n0"));
    if (turn.kind != TurnKind::kDraw) CHECK(rules_in(turn) == "refused A:NotRetiring");
  }
  CHECK(draws > 0);
  TwoSides again(policy(kNotRetiring, kAnyNode), policy("", kAnyNode), fill);
  CHECK(told(again.place({.seed = 3})) == told(result));
  // Without a seed the first by name is taken: n1, for both.
  TwoSides named(policy(kNotRetiring, kAnyNode), policy("", kAnyNode), fill_with("n3"));
  CHECK(named.place().count_differing() == 0);
}

TEST_CASE("compare: a nominated node is tried by today's rules alone") {
  const std::string most = today(kTodayMost);
  TwoSides sides(policy("", "{name: MostRequestedPriority, weight: 1}"), most, [](State& state) {
    three_nodes(state);
    Pod nominated = pod("p").cpu("1");
    nominated.status.nominated_node_name = "n3";
    state.set_pod(nominated);
  });
  CHECK(told(sides.place()) == Told{"p: n1, n3; nominated"});
}

TEST_CASE("compare: claims take volumes in both runs, and both begin from the same") {
  for (const std::string& b : {std::string(), today()}) {
    CAPTURE(b);
    TwoSides sides("", b, [](State& state) {
      for (const char* const name : {"n1", "n2"}) state.set_node(roomy(name, "4"));
      state.volumes.set(storage_class("local", "kubernetes.io/no-provisioner"));
      state.volumes.set(PersistentVolume(pv("disk").of_class("local").size("5Gi").access("ReadWriteOnce")));
      for (const char* const name : {"a", "b"}) {
        state.volumes.set(
            PersistentVolumeClaim(pvc(name).of_class("local").size("5Gi").access("ReadWriteOnce")));
        state.set_pod(pod(name).mounts(claim(name)));
      }
    });
    const Comparison result = sides.place();
    CHECK(told(result) == Told{"a: n1, n1", "b: nowhere, nowhere"});
  }
}

TEST_CASE("compare: what is asked to stop in B's part compares as many pods") {
  TwoSides sides(policy("", kAnyNode), policy("", kLikesSsd), three_nodes);
  std::size_t told_of = 0;
  const Comparison result = sides.place({}, deployment("web", 9, "100m"), [&](std::size_t, std::size_t all) {
    CHECK(all == 18);
    return ++told_of < 4;
  });
  CHECK(result.cut_short);
  CHECK(result.count_known() == 4);
  CHECK(result.count_differing() == 4);
}

TEST_CASE("compare: the detail of one pod has all scores and refusals") {
  TwoSides sides(policy(kNotRetiring, kLeast), policy("", kMost), [](State& state) {
    three_nodes(state);
    state.set_pod(pod("p").cpu("1"));
  });
  const Comparison result = sides.place({.pod = "default/p"});
  REQUIRE(result.detail);
  const PodDetail& detail = *result.detail;
  CHECK(detail.nodes == Told{"n2", "n1"});
  REQUIRE(detail.turn);
  CHECK(rules_in(*detail.turn) == "scores LeastRequestedPriority MostRequestedPriority");
  REQUIRE(detail.scores.size() == 2);
  CHECK(detail.scores[0].rule == "LeastRequestedPriority");
  CHECK(detail.scores[0].weight[winnow::kA] == 5);
  CHECK(detail.scores[0].weight[winnow::kB] == 1);
  for (const std::size_t side : {winnow::kA, winnow::kB})
    for (std::size_t node = 0; node < 2; ++node) {
      CHECK(detail.said[node][side].refusals.empty());
      CHECK(detail.said[node][side].total ==
            *detail.scores[0].scores[side][node] + *detail.scores[1].scores[side][node]);
    }
  CHECK(detail.said[0][winnow::kA].total > detail.said[1][winnow::kA].total);
  CHECK(detail.said[0][winnow::kB].total < detail.said[1][winnow::kB].total);
}

// ---- pods that run ----

TEST_CASE("compare --placed: where pods that run would go, and what turns it") {
  const auto fill = [](State& state) {
    three_nodes(state);
    state.set_pod(owned_by(pod("tied").cpu("1").on("n3"), "ReplicaSet"));
    state.set_pod(owned_by(pod("agent").on("n1"), "DaemonSet"));
    state.set_pod(owned_by(pod("static").on("n1"), "Node"));
    Pod leaving = pod("leaving").on("n1");
    leaving.metadata.deleting = true;
    state.set_pod(leaving);
  };
  SUBCASE("it stays where no other node has more") {
    TwoSides sides(policy("", kAnyNode), policy("", kAnyNode), fill);
    const Comparison result = sides.ask_placed();
    CHECK(told(result) == Told{"busy: n1, n1", "tied: n3, n3"});
    CHECK(result.daemon_pods == 2);
    CHECK(result.leaving == 1);
  }
  SUBCASE("two configurations") {
    TwoSides sides(policy("", kLikesSsd), policy(kNotRetiring, kMost), fill);
    const Comparison result = sides.ask_placed();
    // Without itself n1 is empty for busy, and n3 holds a pod; that is retiring.
    CHECK(told(result) == Told{"busy: n2, n1; scores LikesSsd", "tied: n3, n1; refused B:NotRetiring"});
    CHECK(result.nodes[result.pods[0].now].name == "n1");
  }
  SUBCASE("one configuration against where they stand") {
    TwoSides sides(policy(kNotRetiring, kLikesSsd), policy("", kAnyNode), fill);
    const Comparison result = sides.ask_placed(/*both=*/false);
    CHECK(told(result) == Told{"busy: n1, n2; scores LikesSsd", "tied: n3, n2; refused B:NotRetiring"});
    CHECK(result.label[winnow::kB] == "A");
  }
  SUBCASE("it stays by a tie under one, and a rule moves it under the other") {
    for (const bool to_first : {true, false}) {
      // n1 is before n2 by name: neither direction is to be taken for a draw.
      const auto two_nodes = [&](State& state) {
        state.set_node(roomy("n1", "4").label(to_first ? "ssd" : "hdd", ""));
        state.set_node(roomy("n2", "4").label(to_first ? "hdd" : "ssd", ""));
        state.set_pod(owned_by(pod("p").on(to_first ? "n2" : "n1"), "ReplicaSet"));
      };
      const std::string from = to_first ? "n2" : "n1", to = to_first ? "n1" : "n2";
      TwoSides there(policy("", kAnyNode), policy("", kLikesSsd), two_nodes);
      CHECK(told(there.ask_placed()) == Told{"p: " + from + ", " + to + "; scores LikesSsd"});
      TwoSides back(policy("", kLikesSsd), policy("", kAnyNode), two_nodes);
      CHECK(told(back.ask_placed()) == Told{"p: " + to + ", " + from + "; scores LikesSsd"});
    }
  }
  SUBCASE("nothing changes by asking") {
    TwoSides sides(policy("", kLikesSsd), today(), fill);
    const Comparison once = sides.ask_placed();
    CHECK(told(sides.ask_placed()) == told(once));
    CHECK(sides.state().find_pod("default", "busy") != winnow::kNone);
  }
  SUBCASE("one pod") {
    TwoSides sides(policy(kNotRetiring, kLikesSsd), policy("", kAnyNode), fill);
    const Comparison result = sides.ask_placed(/*both=*/false, {.pod = "default/tied"});
    CHECK(told(result) == Told{"tied: n3, n2; refused B:NotRetiring"});
    REQUIRE(result.detail);
    CHECK(result.detail->nodes == Told{"n3", "n2"});
    CHECK(result.detail->said[0][winnow::kB].refusals.size() == 1);
  }
}

}  // namespace winnow::test
