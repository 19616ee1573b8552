// Pods on their way: what makes them count on a node, and what ends it.
#include "cluster/state/assumed_pods.h"

#include <doctest/doctest.h>

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
Pod web_refused(const std::string& message) {
  Pod made = web("9");
  made.status.conditions.push_back({"PodScheduled", "False", "Unschedulable", message});
  return made;
}

TEST_SUITE("assumed pods") {
  TEST_CASE("an assumed pod counts on its node as if it were bound") {
    Cluster cluster;
    cluster.pods.set(web());
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
    const Row rows[] = {
        {"bound there: confirmed", web_on("a"), Outcome::kConfirmed, 1, 0},
        {"bound elsewhere: moved", web_on("b"), Outcome::kMoved, 0, 1},
        {"a change of the pending pod changes nothing", labelled, std::nullopt, 1, 0},
        {"PodScheduled=False: it waits again", web_refused("0/2 nodes"), Outcome::kUnscheduled, 0, 0},
        {"another pod of that name", another, Outcome::kDeleted, 0, 0},
        {"it has ended", over, Outcome::kDeleted, 0, 0},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Cluster cluster;
      cluster.pods.set(web());
      cluster.pods.assume(web(), "a", kStart);
      cluster.pods.set(row.event);
      CHECK(cluster.on("a") == row.on_a);
      CHECK(cluster.on("b") == row.on_b);
      CHECK(cluster.pods.size() == (row.ends ? 0 : 1));
      if (row.ends) CHECK(cluster.ended(*row.ends) == 1);
    }
  }

  TEST_CASE("a refusal that was known when the pod was assumed is old news") {
    Cluster cluster;
    cluster.pods.set(web_refused("0/2 nodes"));
    cluster.pods.assume(web_refused("0/2 nodes"), "a", kStart);
    cluster.pods.set(web_refused("0/2 nodes"));
    CHECK(cluster.pods.size() == 1);
    cluster.pods.set(web_refused("0/1 nodes"));
    CHECK(cluster.pods.size() == 0);
    CHECK(cluster.on("a") == 0);
  }

  TEST_CASE(
      "a nomination for the node that is taken back ends it, though the refusal is the same as before") {
    Cluster cluster;
    Pod waiting = web_refused("bad luck");
    cluster.pods.set(waiting);
    cluster.pods.assume(waiting, "a", kStart);
    waiting.status.nominated_node_name = "a";
    cluster.pods.set(waiting);
    CHECK(cluster.on("a") == 1);
    waiting.status.nominated_node_name = "";
    cluster.pods.set(waiting);
    CHECK(cluster.on("a") == 0);
    CHECK(cluster.ended(Outcome::kUnscheduled) == 1);
  }

  TEST_CASE("a released pod is pending again, with what it was nominated for") {
    Cluster cluster;
    Pod nominated = web();
    nominated.status.nominated_node_name = "b";
    cluster.pods.set(nominated);
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

  TEST_CASE("a pod may be assumed before the watch has told of it") {
    Cluster cluster;
    cluster.pods.assume(web(), "a", kStart);
    CHECK(cluster.on("a") == 1);
    SUBCASE("the watch comes behind") {
      cluster.pods.set(web());
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

  TEST_CASE("what the watch has bound is not assumed any more") {
    Cluster cluster;
    cluster.pods.set(web_on("b"));
    cluster.pods.assume(web(), "a", kStart);
    CHECK(cluster.on("b") == 1);
    CHECK(cluster.pods.size() == 0);
  }

  TEST_CASE("assumed again, it is on the later node only") {
    Cluster cluster;
    cluster.pods.set(web());
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

  TEST_CASE("a later picture takes over what an earlier one assumes") {
    Cluster before, after;
    for (const char* name : {"pending", "bound", "gone", "unseen"}) {
      Pod made = pod(name).uid(name);
      made.metadata.resource_version = "1";
      if (std::string_view(name) != "unseen") before.pods.set(made);
      before.pods.assume(made, "a", kStart);
    }
    after.pods.set(pod("pending").uid("pending"));
    after.pods.set(pod("bound").uid("bound").on("b"));
    after.pods.take_over(before.pods);
    CHECK(after.pods.find("default", "pending"));
    CHECK(after.pods.find("default", "unseen"));
    CHECK_FALSE(after.pods.find("default", "bound"));
    CHECK_FALSE(after.pods.find("default", "gone"));
    CHECK(after.on("a") == 2);
    CHECK(after.on("b") == 1);
  }
}

}  // namespace
}  // namespace winnow::test
