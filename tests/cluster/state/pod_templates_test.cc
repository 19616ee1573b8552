// Pods of few workloads, which share their templates.
#include "cluster/state/pod_templates.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/cluster/state/describe.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

State::Options todays_options() {
  State::Options options;
  options.accounting = Accounting::kToday;
  options.generation = Generation::kToday;
  return options;
}

/// The pods of five workloads. One in eight pods differs from its siblings in its spec alone, as the pods of
/// a DaemonSet do.
class FewWorkloads {
 public:
  explicit FewWorkloads(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 5; ++i) templates_.push_back(random_.pod(random_.ns(), "set-" + std::to_string(i)));
  }

  Pod pod() {
    const std::size_t of = random_.below(templates_.size());
    Pod pod = templates_[of];
    pod.metadata.name += '-' + std::to_string(random_.below(20));
    pod.metadata.uid = random_.value_of(3);
    pod.metadata.resource_version = std::to_string(++version_);
    pod.metadata.deleting = random_.one_in(8);
    pod.spec.node_name = random_.one_in(6) ? "" : random_.node_name();
    pod.status = {};
    pod.status.phase = random_.one_in(30) ? "Failed" : "Running";
    if (random_.one_in(3)) pod.status.start_time = static_cast<std::int64_t>(random_.below(3));
    if (random_.one_in(8)) pod.spec.node_selector["own"] = pod.metadata.name;
    if (random_.one_in(4)) add_status(pod);
    return pod;
  }

  RandomCluster& random() { return random_; }

 private:
  struct Random : RandomCluster {
    using RandomCluster::RandomCluster;
    std::string value_of(std::size_t n) { return "uid-" + std::to_string(below(n)); }
  };

  /// As a kubelet writes it: what the node has allocated is mostly what the spec asks for.
  void add_status(Pod& pod) {
    for (const Container& container : pod.spec.containers) {
      ContainerStatus& status = pod.status.container_statuses.emplace_back();
      status.name = container.name;
      status.allocated_resources = container.resources.requests;
      if (random_.one_in(3)) (*status.allocated_resources)["cpu"] = Quantity::of_millis(700);
      status.resources.emplace().requests = container.resources.requests;
    }
  }

  Random random_;
  std::vector<Pod> templates_;
  std::uint64_t version_ = 0;
};

Lines all_that_is_said(const State& state) {
  Lines lines = describe_pods(state);
  append(lines, describe(View(state), {"ns-0", "ns-1", "ns-2"}, {}, {}));
  return lines;
}

/// Each group's first pod is the one with the lowest name.
void check_first_members(const State& state) {
  for (PodId id = 0; id < state.pod_capacity(); ++id) {
    if (state.pod(id).name.empty()) continue;
    const GroupId group = state.pod(id).group;
    const auto members = state.members(group);
    const auto lowest = std::ranges::min_element(members, {}, [&](PodId one) { return state.pod(one).name; });
    REQUIRE(state.first_member(group) == (lowest == members.end() ? kNone : *lowest));
  }
}

}  // namespace

TEST_CASE("pods of few templates that come, change and go leave the state that the remains make") {
  for (const State::Options& options : {State::Options(), todays_options()}) {
    for (std::uint64_t seed = 1; seed <= part_of(12U); ++seed) {
      CAPTURE(seed);
      FewWorkloads workloads(seed);
      State state(options);
      std::vector<Node> nodes;
      std::map<std::string, Pod> left;
      for (int i = 0; i < 9; ++i) nodes.push_back(workloads.random().node("node-" + std::to_string(i)));
      for (const Node& node : nodes) state.set_node(node);
      for (int event = 0; event < 600; ++event) {
        const Pod pod = workloads.pod();
        const std::string key = key_of(pod.metadata);
        if (workloads.random().one_in(3)) {
          CHECK(state.remove_pod(pod.metadata.namespace_, pod.metadata.name) == (left.erase(key) > 0));
        } else {
          state.set_pod(pod);
          left.insert_or_assign(key, pod);
          if (has_ended(pod)) left.erase(key);
        }
        if (event % 50 == 49) check_first_members(state);
        if (event % 100 != 99) continue;
        State expected(options);
        for (const Node& node : nodes) expected.set_node(node);
        for (const auto& [name, one] : left) expected.set_pod(one);
        REQUIRE(difference(all_that_is_said(state), all_that_is_said(expected)) == "");
      }
      for (const auto& [key, pod] : left) state.remove_pod(pod.metadata.namespace_, pod.metadata.name);
      for (const Node& node : nodes) state.remove_node(node.metadata.name);
      CHECK(state.pod_count() == 0);
      CHECK(state.groups.groups() == 0);
      CHECK(state.terms.size() == 0);
      CHECK(state.names().symbols.size() == 0);
    }
  }
}

TEST_CASE("an amount beyond an int64 counts as it is written, whoever came before with an equal one") {
  for (const State::Options& options : {State::Options(), todays_options()}) {
    const auto asking = [](const char* name, const char* memory) {
      return pod(name).in("a").container("c").memory(memory).on("n");
    };
    const auto put = [&](State& state, const std::vector<Pod>& pods) {
      state.set_node(node("n").memory("1Gi"));
      for (const Pod& one : pods) state.set_pod(one);
    };
    State both(options), alone(options);
    put(both, {asking("p", "10E"), asking("q", "10000000000000000000")});
    put(alone, {asking("q", "10000000000000000000")});
    both.remove_pod("a", "p");
    CHECK(both.nodes().requested_memory[both.find_node("n")] ==
          alone.nodes().requested_memory[alone.find_node("n")]);
  }
}

TEST_CASE("pods that differ in what their template has differ in its text") {
  const auto text_of = [](const Pod& pod) {
    std::string buffer;
    return std::string(write_template(pod, buffer));
  };
  const Pod first = pod("p").in("a").label("k", "v").owner("ReplicaSet", "u").container("c").cpu("1").on("n");
  Pod same = first;
  same.metadata.name = "q";
  same.metadata.uid = "other";
  same.spec.node_name = "m";
  same.spec.volumes.emplace_back().name = "kube-api-access-q";
  same.spec.containers[0].resources.requests["cpu"] = *Quantity::parse("1000m");
  CHECK(text_of(same) == text_of(first));
  std::vector<Pod> others(8, first);
  others[0].metadata.namespace_ = "b";
  others[1].metadata.labels["k"] = "w";
  others[2].metadata.deleting = true;
  others[3].metadata.owner_references[0].uid = "v";
  others[4].metadata.owner_references.clear();
  others[5].spec.containers[0].resources.requests["cpu"] = *Quantity::parse("1001m");
  others[6].spec.priority = 0;
  others[7].spec.volumes.push_back(claim("a"));
  for (const Pod& other : others) CHECK(text_of(other) != text_of(first));
}

}  // namespace winnow::test
