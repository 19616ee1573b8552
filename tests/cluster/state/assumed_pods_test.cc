// Pods on their way: what makes them count on a node, and what ends it.
#include "cluster/state/assumed_pods.h"

#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using Outcome = AssumedOutcome;
constexpr AssumedPods::Time kStart{std::chrono::hours(1)};

struct Cluster {
  State state;
  AssumedPods pods{state};

  Cluster() {
    for (const char* name : {"a", "b"}) state.set_node(node(name).cpu("4").pods("10"));
  }
  std::size_t on(std::string_view name) const { return state.pods_on(state.find_node(name)).size(); }
  std::uint64_t ended(Outcome outcome) const { return pods.outcomes()[static_cast<std::size_t>(outcome)]; }
  std::int64_t cpu_on(std::string_view name) const {
    return state.nodes().requested_cpu[state.find_node(name)];
  }
};

Pod web(std::string version = "7") {
  Pod made = pod("web").uid("u1").cpu("1");
  made.metadata.resource_version = std::move(version);
  return made;
}
Pod web_on(const std::string& node_name) {
  Pod made = web("9");
  made.spec.node_name = node_name;
  return made;
}
Pod web_refused(const std::string& message, std::string version = "9") {
  Pod made = web(std::move(version));
  made.status.conditions.push_back({"PodScheduled", "False", "Unschedulable", message});
  return made;
}

TEST_SUITE("assumed pods") {
  TEST_CASE("an assumed pod counts on its node as if it were bound") {
    Cluster cluster;
    cluster.pods.set(web(), kStart);
    CHECK(cluster.state.pending_count() == 1);
    cluster.pods.assume(web(), "a", kStart);
    CHECK(cluster.on("a") == 1);
    CHECK(cluster.cpu_on("a") == 1000);
    CHECK(cluster.state.pending_count() == 0);
    CHECK(cluster.pods.size() == 1);
    CHECK(cluster.pods.find("default", "web")->node == "a");
  }

  TEST_CASE("what the watch says of an assumed pod") {
    struct Row {
      const char* what;
      Pod event;
      std::optional<Outcome> ends;
      std::size_t on_a, on_b;
    };
    Pod another = web("9");
    another.metadata.uid = "u2";
    Pod over = web("9");
    over.status.phase = "Succeeded";
    Pod labelled = web("9");
    labelled.metadata.labels["new"] = "label";
    Pod with_gate = web_refused("Scheduling is blocked due to non-empty scheduling gates");
    with_gate.status.conditions.front().reason = "SchedulingGated";
    const Row rows[] = {
        {"it has a gate: kube-scheduler has not tried it", with_gate, std::nullopt, 1, 0},
        {"bound there: confirmed", web_on("a"), Outcome::kConfirmed, 1, 0},
        {"bound elsewhere: moved", web_on("b"), Outcome::kMoved, 0, 1},
        {"a change of the pending pod changes nothing", labelled, std::nullopt, 1, 0},
        {"PodScheduled=False: in doubt, and there for now", web_refused("0/2 nodes"), std::nullopt, 1, 0},
        {"PodScheduled=False of something else: released", web_refused("running Reserve plugin"),
         Outcome::kUnscheduled, 0, 0},
        {"another pod of that name", another, Outcome::kDeleted, 0, 0},
        {"it has ended", over, Outcome::kDeleted, 0, 0},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Cluster cluster;
      cluster.pods.set(web(), kStart);
      cluster.pods.assume(web(), "a", kStart);
      cluster.pods.set(row.event, kStart);
      CHECK(cluster.on("a") == row.on_a);
      CHECK(cluster.on("b") == row.on_b);
      CHECK(cluster.pods.size() == (row.ends ? 0 : 1));
      if (row.ends) CHECK(cluster.ended(*row.ends) == 1);
    }
  }

  TEST_CASE("a refusal that was known when the pod was assumed is old news") {
    Cluster cluster;
    cluster.pods.set(web_refused("0/2 nodes"), kStart);
    cluster.pods.assume(web_refused("0/2 nodes"), "a", kStart);
    cluster.pods.set(web_refused("0/2 nodes"), kStart);
    CHECK_FALSE(cluster.pods.has_doubts());
    cluster.pods.set(web_refused("0/1 nodes"), kStart);
    CHECK(cluster.pods.has_doubts());
  }

  TEST_CASE("a refusal that may be the attempt's before ends nothing until the watch has gone on for long") {
    constexpr std::chrono::seconds kDoubt = AssumedPods::kDoubt, kSecond{1};
    Cluster cluster;
    cluster.pods.set(web(), kStart);
    cluster.pods.assume(web(), "a", kStart);
    cluster.pods.set(web_refused("0/2 nodes: of the attempt before"), kStart);
    cluster.pods.settle_doubts(kStart + kDoubt - kSecond);
    CHECK(cluster.on("a") == 1);
    SUBCASE("the binding comes after it") {
      cluster.pods.set(web_on("a"), kStart);
      cluster.pods.settle_doubts(kStart + kDoubt);
      CHECK(cluster.on("a") == 1);
      CHECK(cluster.ended(Outcome::kConfirmed) == 1);
    }
    SUBCASE("no binding comes") {
      cluster.pods.settle_doubts(kStart + kDoubt);
      CHECK(cluster.on("a") == 0);
      CHECK(cluster.state.pending_count() == 1);
      CHECK(cluster.ended(Outcome::kUnscheduled) == 1);
    }
    SUBCASE("attempts that fail one after another do not put it off") {
      cluster.pods.set(web_refused("0/1 nodes", "10"), kStart + kDoubt - kSecond);
      cluster.pods.settle_doubts(kStart + kDoubt);
      CHECK(cluster.on("a") == 0);
    }
    SUBCASE("kube-scheduler is preparing it: nominated for the node") {
      Pod nominated = web_refused("0/2 nodes: of the attempt before", "10");
      nominated.status.nominated_node_name = "a";
      cluster.pods.set(nominated, kStart);
      cluster.pods.settle_doubts(kStart + 10 * kDoubt);
      CHECK(cluster.on("a") == 1);
    }
    SUBCASE("an API server has said that it is bound") {
      cluster.pods.set_bound("default", "web", "u1", "a");
      cluster.pods.settle_doubts(kStart + 10 * kDoubt);
      CHECK(cluster.on("a") == 1);
    }
    SUBCASE("bound to another node says nothing of this one") {
      cluster.pods.set_bound("default", "web", "u1", "b");
      cluster.pods.settle_doubts(kStart + kDoubt);
      CHECK(cluster.on("a") == 0);
    }
  }

  TEST_CASE("what the watch is late with says nothing of a pod that kube-scheduler knows later") {
    Cluster cluster;
    SUBCASE("the pod that had the name before") {
      Pod first = pod("web").uid("u0").on("b").cpu("1");
      first.metadata.resource_version = "3";
      cluster.pods.set(first, kStart);
      cluster.pods.assume(web(), "a", kStart);
      CHECK(cluster.on("a") == 1);
      CHECK(cluster.on("b") == 0);
      first.metadata.resource_version = "4";
      cluster.pods.set(first, kStart);
      CHECK(cluster.on("a") == 1);
      CHECK(cluster.on("b") == 0);
      cluster.pods.remove("default", "web", 5);
      CHECK(cluster.on("a") == 1);
      cluster.pods.set(web("6"), kStart);
      CHECK(cluster.on("a") == 1);
      CHECK(cluster.pods.find("default", "web")->watched);
      cluster.pods.remove("default", "web", 8);
      CHECK(cluster.on("a") == 0);
      CHECK(cluster.ended(Outcome::kDeleted) == 1);
    }
    SUBCASE("a refusal from before the one that it came with") {
      cluster.pods.set(web("3"), kStart);
      cluster.pods.assume(web_refused("the later", "7"), "a", kStart);
      cluster.pods.set(web_refused("the earlier", "5"), kStart);
      cluster.pods.set(web_refused("the later", "7"), kStart);
      CHECK(cluster.on("a") == 1);
      CHECK_FALSE(cluster.pods.has_doubts());
    }
    SUBCASE("but what cannot be taken back is believed") {
      cluster.pods.assume(web("7"), "a", kStart);
      Pod bound = web("6");
      bound.spec.node_name = "b";
      cluster.pods.set(bound, kStart);
      CHECK(cluster.on("b") == 1);
      CHECK(cluster.ended(Outcome::kMoved) == 1);
    }
    SUBCASE("and a list of another history is") {
      cluster.pods.watched_up_to(6);
      cluster.pods.assume(web("7"), "a", kStart);
      cluster.pods.listed(5);
      Pod another = pod("web").uid("u0");
      another.metadata.resource_version = "4";
      cluster.pods.set(another, kStart);
      CHECK(cluster.on("a") == 0);
      CHECK(cluster.ended(Outcome::kDeleted) == 1);
    }
    SUBCASE("which a list that goes on is not") {
      cluster.pods.watched_up_to(5);
      cluster.pods.assume(web("7"), "a", kStart);
      cluster.pods.listed(6);
      Pod another = pod("web").uid("u0");
      another.metadata.resource_version = "4";
      cluster.pods.set(another, kStart);
      CHECK(cluster.on("a") == 1);
    }
  }

  TEST_CASE("a pod whose name has passed to a later one is not assumed") {
    Cluster cluster;
    Pod later = pod("web").uid("u2").on("b").cpu("1");
    later.metadata.resource_version = "9";
    cluster.pods.set(later, kStart);
    cluster.pods.assume(web("7"), "a", kStart);
    CHECK(cluster.on("a") == 0);
    CHECK(cluster.on("b") == 1);
    CHECK(cluster.pods.size() == 0);
  }

  TEST_CASE(
      "a nomination for the node that is taken back ends it, though the refusal is the same as before") {
    Cluster cluster;
    Pod waiting = web_refused("bad luck");
    cluster.pods.set(waiting, kStart);
    cluster.pods.assume(waiting, "a", kStart);
    waiting.status.nominated_node_name = "a";
    cluster.pods.set(waiting, kStart);
    CHECK(cluster.on("a") == 1);
    waiting.status.nominated_node_name = "";
    cluster.pods.set(waiting, kStart);
    CHECK(cluster.on("a") == 1);
    cluster.pods.settle_doubts(kStart + AssumedPods::kDoubt);
    CHECK(cluster.on("a") == 0);
    CHECK(cluster.ended(Outcome::kUnscheduled) == 1);
  }

  TEST_CASE("a released pod is pending again, with what it was nominated for") {
    Cluster cluster;
    Pod nominated = web();
    nominated.status.nominated_node_name = "b";
    cluster.pods.set(nominated, kStart);
    cluster.pods.assume(nominated, "a", kStart);
    CHECK(cluster.state.nominated().empty());
    CHECK_FALSE(cluster.pods.release("default", "web", "another uid", Outcome::kAskedAgain));
    CHECK(cluster.pods.release("default", "web", "u1", Outcome::kAskedAgain));
    CHECK(cluster.on("a") == 0);
    CHECK(cluster.cpu_on("a") == 0);
    CHECK(cluster.state.pending_count() == 1);
    CHECK(cluster.state.nominated().on("b").size() == 1);
    CHECK_FALSE(cluster.pods.release("default", "web", "u1", Outcome::kAskedAgain));
  }

  TEST_CASE("a released pod is again all that it was") {
    Pod resized = web();
    resized.metadata.annotations["team"] = "shop";
    resized.status.phase = "Pending";
    resized.status.conditions = {{"PodResizePending", "True", "Infeasible", ""}};
    resized.status.allocated_resources = ResourceList{{"cpu", quantity("3")}};
    Cluster cluster;
    cluster.pods.set(resized, kStart);
    const Pod before = cluster.state.to_pod(cluster.state.find_pod("default", "web"));
    CHECK(before.status.allocated_resources == resized.status.allocated_resources);
    const auto is_back = [&] {
      CHECK(cluster.pods.release("default", "web", "u1", Outcome::kAskedAgain));
      CHECK(cluster.state.to_pod(cluster.state.find_pod("default", "web")) == before);
    };
    SUBCASE("as kube-scheduler sent it") {
      cluster.pods.assume(resized, "a", kStart);
      CHECK(cluster.pods.find("default", "web")->pod == resized);
      is_back();
    }
    SUBCASE("as the watch told of it in between") {
      cluster.pods.assume(web("6"), "a", kStart);
      cluster.pods.set(resized, kStart);
      CHECK(cluster.pods.find("default", "web")->pod == resized);
      is_back();
    }
    SUBCASE("as the watch had told of it before a call that knew less") {
      cluster.pods.assume(web("6"), "a", kStart);
      is_back();
    }
    SUBCASE("assumed again by a call that knows less") {
      cluster.pods.assume(resized, "a", kStart);
      cluster.pods.assume(web("6"), "b", kStart);
      CHECK(cluster.pods.find("default", "web")->pod == resized);
      is_back();
    }
    SUBCASE("bound to another node than it was assumed for") {
      cluster.pods.assume(resized, "a", kStart);
      cluster.pods.assume_known("default", "web", "u1", "b", kStart);
      CHECK(cluster.pods.find("default", "web")->pod == resized);
      is_back();
    }
    SUBCASE("in another picture, that knows less") {
      cluster.pods.assume(resized, "a", kStart);
      Cluster after;
      after.pods.set(web("6"), kStart);
      after.pods.take_over(cluster.pods);
      CHECK(after.pods.find("default", "web")->pod == resized);
      CHECK(after.pods.release("default", "web", "u1", Outcome::kAskedAgain));
      CHECK(after.state.to_pod(after.state.find_pod("default", "web")) == before);
    }
  }

  TEST_CASE("a nomination that is later than what the call knew is not lost") {
    Cluster cluster;
    Pod later = web("9");
    later.status.nominated_node_name = "b";
    cluster.pods.set(later, kStart);
    cluster.pods.assume(web("7"), "a", kStart);
    CHECK(cluster.pods.release("default", "web", "u1", Outcome::kAskedAgain));
    CHECK(cluster.state.nominated().on("b").size() == 1);
  }

  TEST_CASE("a pod that is known by its name only") {
    Cluster cluster;
    SUBCASE("is assumed") {
      cluster.pods.set(web(), kStart);
      cluster.pods.assume_known("default", "web", "u1", "a", kStart);
      CHECK(cluster.on("a") == 1);
      CHECK(cluster.pods.size() == 1);
    }
    SUBCASE("is moved, and what was old news of it is old news") {
      cluster.pods.set(web(), kStart);
      cluster.pods.assume(web_refused("before"), "a", kStart);
      cluster.pods.assume_known("default", "web", "u1", "b", kStart);
      CHECK(cluster.on("a") == 0);
      CHECK(cluster.on("b") == 1);
      CHECK(cluster.ended(Outcome::kAskedAgain) == 1);
      cluster.pods.set(web_refused("before"), kStart);
      CHECK(cluster.on("b") == 1);
      CHECK_FALSE(cluster.pods.has_doubts());
    }
    SUBCASE("is not assumed where the watch has bound it") {
      cluster.pods.set(web_on("b"), kStart);
      cluster.pods.assume_known("default", "web", "u1", "a", kStart);
      CHECK(cluster.on("b") == 1);
      CHECK(cluster.pods.size() == 0);
    }
    SUBCASE("is another's name, or nobody's") {
      cluster.pods.set(web(), kStart);
      cluster.pods.assume_known("default", "web", "u2", "a", kStart);
      cluster.pods.assume_known("default", "nobody", "u1", "a", kStart);
      CHECK(cluster.pods.size() == 0);
      CHECK(cluster.on("a") == 0);
    }
  }

  TEST_CASE("a pod may be assumed before the watch has told of it") {
    Cluster cluster;
    cluster.pods.assume(web(), "a", kStart);
    CHECK(cluster.on("a") == 1);
    SUBCASE("the watch comes behind") {
      cluster.pods.set(web(), kStart);
      CHECK(cluster.on("a") == 1);
    }
    SUBCASE("a list from before the pod does not end it") {
      cluster.pods.not_listed("default", "web", 6);
      CHECK(cluster.on("a") == 1);
    }
    SUBCASE("a list from after it does") {
      cluster.pods.not_listed("default", "web", 8);
      CHECK(cluster.on("a") == 0);
      CHECK(cluster.ended(Outcome::kDeleted) == 1);
    }
    SUBCASE("a watch that has come to it without a word of it does, one that has not does not") {
      cluster.pods.watched_up_to(6);
      CHECK(cluster.on("a") == 1);
      cluster.pods.watched_up_to(7);
      CHECK(cluster.on("a") == 0);
      CHECK(cluster.pods.size() == 0);
      CHECK(cluster.ended(Outcome::kDeleted) == 1);
    }
    SUBCASE("released, it is nowhere") {
      cluster.pods.release("default", "web", "u1", Outcome::kBindFailed);
      CHECK(cluster.state.pod_count() == 0);
    }
  }

  TEST_CASE("a pod that no API server has is not assumed") {
    Cluster cluster;
    cluster.pods.assume(web(""), "a", kStart);
    CHECK(cluster.pods.size() == 0);
    CHECK(cluster.state.pod_count() == 0);
  }

  TEST_CASE("a version that no pod can have by now is not believed") {
    constexpr std::uint64_t kFar = AssumedPods::kMostAhead;
    struct Row {
      const char* sentence;
      std::uint64_t told;
      std::string version;
      bool is_assumed;
    };
    const Row rows[] = {
        {"a little ahead of the watch", 1000, "1001", true},
        {"as far as the watch may be behind", 1000, std::to_string(1000 + kFar), true},
        {"one further", 1000, std::to_string(1001 + kFar), false},
        {"the greatest number of Go's", 1000, "9223372036854775807", false},
        {"the greatest of 64 bits", 1000, "18446744073709551615", false},
        {"behind the watch", 9'000'000'000, "7", true},
        {"without a watch", 0, "9223372036854775807", true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Cluster cluster;
      cluster.pods.listed(row.told);
      cluster.pods.assume(web(row.version), "a", kStart);
      CHECK(cluster.pods.size() == (row.is_assumed ? 1 : 0));
      CHECK(cluster.on("a") == (row.is_assumed ? 1 : 0));
    }
  }

  TEST_CASE("a pod that the watch has shown is assumed, and what the watch tells of it counts") {
    Cluster cluster;
    cluster.pods.listed(1000);
    cluster.pods.set(web(), kStart);
    cluster.pods.assume(web("9223372036854775807"), "a", kStart);
    CHECK(cluster.on("a") == 1);
    cluster.pods.set(web_refused("running Reserve plugin"), kStart);
    CHECK(cluster.ended(Outcome::kUnscheduled) == 1);
  }

  TEST_CASE("what the watch has bound is not assumed any more") {
    Cluster cluster;
    cluster.pods.set(web_on("b"), kStart);
    cluster.pods.assume(web(), "a", kStart);
    CHECK(cluster.on("b") == 1);
    CHECK(cluster.pods.size() == 0);
  }

  TEST_CASE("assumed again, it is on the later node only") {
    Cluster cluster;
    cluster.pods.set(web(), kStart);
    cluster.pods.assume(web(), "a", kStart);
    cluster.pods.assume(web(), "b", kStart);
    CHECK(cluster.on("a") == 0);
    CHECK(cluster.on("b") == 1);
    CHECK(cluster.pods.size() == 1);
  }

  TEST_CASE("time alone ends nothing, and is told of once") {
    Cluster cluster;
    cluster.pods.assume(web(), "a", kStart);
    CHECK(cluster.pods.overdue(kStart + std::chrono::seconds(59), std::chrono::seconds(60)).empty());
    const auto overdue = cluster.pods.overdue(kStart + std::chrono::seconds(60), std::chrono::seconds(60));
    REQUIRE(overdue.size() == 1);
    CHECK(overdue[0].name == "web");
    CHECK(cluster.pods.overdue(kStart + std::chrono::hours(1), std::chrono::seconds(60)).empty());
    CHECK(cluster.pods.overdue_count() == 1);
    CHECK(cluster.on("a") == 1);
  }

  TEST_CASE("another picture takes over what one assumes, be it ahead or behind") {
    Cluster before, after;
    for (const char* name : {"pending", "behind", "bound", "elsewhere", "replaced", "reused", "unseen"}) {
      Pod made = pod(name).uid(name);
      made.metadata.resource_version = "5";
      if (std::string_view(name) != "unseen") before.pods.set(made, kStart);
      before.pods.assume(made, "a", kStart);
    }
    const auto has = [&](const char* name, const char* uid, const char* version, const char* node = "") {
      Pod made = pod(name).uid(uid);
      made.metadata.resource_version = version;
      made.spec.node_name = node;
      after.pods.set(made, kStart);
    };
    has("pending", "pending", "5");
    has("bound", "bound", "7", "a");
    has("elsewhere", "elsewhere", "7", "b");
    has("replaced", "a later one", "8");
    has("reused", "an earlier one", "3", "b");
    before.pods.overdue(kStart + std::chrono::hours(1), std::chrono::seconds(60));
    after.pods.take_over(before.pods);
    for (const char* name : {"pending", "behind", "reused", "unseen"}) {
      CAPTURE(name);
      REQUIRE(after.pods.find("default", name));
      CHECK(after.pods.find("default", name)->watched == (name == std::string_view("pending")));
    }
    CHECK(after.pods.size() == 4);
    CHECK(after.on("a") == 5);
    CHECK(after.on("b") == 1);
    CHECK(after.ended(Outcome::kConfirmed) == 1);
    CHECK(after.ended(Outcome::kMoved) == 1);
    CHECK(after.ended(Outcome::kDeleted) == 1);
    CHECK(after.pods.overdue_count() == 7);
    SUBCASE("one that its watch tells of at last stays") {
      has("behind", "behind", "5");
      after.pods.watched_up_to(5);
      CHECK(after.pods.find("default", "behind"));
      CHECK_FALSE(after.pods.find("default", "unseen"));
    }
    SUBCASE("released, one that it knows waits again") {
      CHECK(after.pods.release("default", "pending", "pending", Outcome::kAskedAgain));
      CHECK(after.state.find_pod("default", "pending") != kNone);
      after.pods.watched_up_to(9);
      CHECK(after.state.find_pod("default", "pending") != kNone);
    }
  }

  TEST_CASE("what another picture has counted is not counted back") {
    Cluster before, after;
    before.pods.set(web(), kStart);
    before.pods.assume(web(), "a", kStart);
    before.pods.set(web_on("a"), kStart);
    after.pods.take_over(before.pods);
    CHECK(after.ended(Outcome::kConfirmed) == 1);
  }
}

}  // namespace
}  // namespace winnow::test
