// What queries leave behind: classes, which each event of a pod updates.
#include "cluster/state/pod_groups.h"

#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::test::pod_groups_test {
namespace {

/// A cluster in which each pod is a group of its own.
struct Cluster {
  static constexpr int kGroups = 2000;
  State state;
  Cluster() {
    state.set_node(node("n"));
    for (int i = 0; i < kGroups; ++i)
      state.set_pod(pod("p" + std::to_string(i)).label("pod", "x" + std::to_string(i)).on("n"));
  }
  std::int32_t count(const Selector& selector) const {
    return View(state).count_pods(PodQuery{{}, selector, true})[state.find_node("n")];
  }
};

Selector not_in(std::vector<std::string> values) {
  return Selector::all_of({parse_label_requirement({"pod", "NotIn", std::move(values)}).value()});
}

TEST_CASE("queries that select everything become few classes at once, and count right") {
  Cluster cluster;
  for (int i = 0; i < 200; ++i) CHECK(cluster.count(not_in({"y" + std::to_string(i)})) == Cluster::kGroups);
  cluster.state.groups.keep_wanted();
  CHECK(cluster.state.groups.classes() > 0);
  CHECK(cluster.state.groups.classes() <= 51);
  for (int i = 0; i < 200; ++i) CHECK(cluster.count(not_in({"y" + std::to_string(i)})) == Cluster::kGroups);
  for (int round = 0; round < 50; ++round) {
    cluster.state.groups.keep_wanted();
    for (int i = 0; i < 200; ++i) cluster.count(not_in({"y" + std::to_string(i)}));
  }
  cluster.state.set_pod(pod("new").label("pod", "new").on("n"));
  for (int i = 0; i < 200; ++i)
    CHECK(cluster.count(not_in({"y" + std::to_string(i)})) == Cluster::kGroups + 1);
}

TEST_CASE("a query larger than any that pods ask again is counted, and not kept") {
  Cluster cluster;
  std::vector<std::string> values = {"x0", "x1"};
  for (int i = 0; i < 5000; ++i) values.push_back("y" + std::to_string(i));
  CHECK(cluster.count(not_in(values)) == Cluster::kGroups - 2);
  cluster.state.groups.keep_wanted();
  CHECK(cluster.state.groups.classes() == 0);
}

TEST_CASE("requirements on one label are judged together") {
  const Cluster cluster;
  const auto all = [](std::vector<SelectorRequirement> written) {
    std::vector<Requirement> requirements;
    for (const SelectorRequirement& one : written)
      requirements.push_back(parse_label_requirement(one).value());
    return Selector::all_of(std::move(requirements));
  };
  CHECK(cluster.count(all({{"pod", "In", {"x1", "x2", "no"}}, {"pod", "In", {"x2", "x3"}}})) == 1);
  CHECK(cluster.count(all({{"pod", "In", {"x1", "x2"}}, {"pod", "NotIn", {"x2"}}})) == 1);
  CHECK(cluster.count(all({{"pod", "NotIn", {"x1"}}, {"pod", "NotIn", {"x2", "no"}}})) ==
        Cluster::kGroups - 2);
  CHECK(cluster.count(all({{"pod", "Exists", {}}, {"other", "DoesNotExist", {}}})) == Cluster::kGroups);
  CHECK(cluster.count(all({{"pod", "DoesNotExist", {}}})) == 0);
  CHECK(cluster.count(all({{"other", "Exists", {}}})) == 0);
  CHECK(cluster.count(all({{"other", "In", {"x1"}}})) == 0);
  CHECK(cluster.count(all({{"other", "NotIn", {"x1"}}})) == Cluster::kGroups);
  CHECK(cluster.count(all({{"pod", "In", {"no"}}})) == 0);
}

}  // namespace
}  // namespace winnow::test::pod_groups_test
