// A view with an overlay says what a state with those changes says.
#include "cluster/state/overlay.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <format>

#include "predicates/rules.h"
#include "priorities/resources.h"
#include "priorities/rules.h"
#include "tests/ask.h"
#include "tests/cluster/state/describe.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

const std::vector<std::string> kNamespaces = {"ns-0", "ns-1", "ns-2"};

/// The same changes in an overlay and, for real, in another state.
class Changes {
 public:
  Changes(std::uint64_t seed, const State::Options& options)
      : random_(seed, seed % 3 == 0 ? 60 : 1'000'000), below_(options), really_(options) {
    for (int i = 0; i < 40; ++i)
      both([node = random_.node(random_.node_name())](State& s) { s.set_node(node); });
    for (int i = 0; i < 120; ++i)
      both([pod = random_.pod(random_.ns(), random_.pod_name())](State& s) { s.set_pod(pod); });
    for (int i = 0; i < 3; ++i) both([name = random_.node_name()](State& s) { s.remove_node(name); });
    add_workloads();
    add_storage();
    for (int i = 0; i < 4; ++i) selectors_.push_back(random_.selector());
    for (int i = 0; i < 6; ++i) queries_.push_back(random_.query());
    static_cast<void>(View(below_).count_pods(queries_[0]));
    static_cast<void>(View(below_).count_pods("ns-0", selectors_[0]));
    below_.groups.keep_wanted();
    overlay_.emplace(below_);
  }

  void change() {
    const std::string name = random_.node_name();
    switch (random_.below(6)) {
      case 0:
        return remove_node(name);
      case 1:
        return set_node(random_.node(name));
      case 2:
        return remove_pod(random_.ns(), random_.pod_name());
      default:
        return add_pod(random_.pod(random_.ns(), "added-" + std::to_string(next_++)));
    }
  }

  std::string difference_of_views() const {
    return difference(describe(over(), kNamespaces, selectors_, queries_),
                      describe(really(), kNamespaces, selectors_, queries_));
  }

  /// The first rule that tells the two apart about a pod, or "".
  std::string difference_of_rules(const Pod& pod) const {
    for (const predicates::Record& row : predicates::classic()) {
      if (!row.bind) continue;
      const Arguments arguments = arguments_for(row.argument, "disk");
      const auto is = judge(row.name, over(), pod, arguments);
      const auto expected = judge(row.name, really(), pod, arguments);
      if (is != expected) return std::string(row.name) + first_difference(is, expected);
    }
    for (const priorities::Record& row : priorities::classic()) {
      if (!row.bind) continue;
      const Arguments arguments = arguments_for(row.argument, "disk");
      const Scores a = score(row, over(), pod, arguments), b = score(row, really(), pod, arguments);
      if (a.raw != b.raw || a.scores != b.scores || a.error != b.error) return std::string(row.name);
    }
    return "";
  }

  Pod pod() { return random_.pod(random_.ns(), "asked"); }
  Lines below() const { return describe(View(below_), kNamespaces, selectors_, queries_); }

 private:
  View over() const { return View(below_, &*overlay_); }
  View really() const { return View(really_); }

  using Verdicts = std::map<std::string, std::string>;
  static std::string first_difference(const Verdicts& is, const Verdicts& expected) {
    for (const auto& [node, verdict] : expected) {
      const auto found = is.find(node);
      const std::string other = found == is.end() ? "no verdict" : found->second;
      if (other != verdict) return " on " + node + ": " + other + ", expected: " + verdict;
    }
    return " on nodes that are not there";
  }

  template <class Event>
  void both(const Event& event) {
    event(below_);
    event(really_);
  }

  void add_workloads() {
    for (int i = 0; i < 6; ++i) {
      const ObjectMeta service = meta(random_.ns(), "s" + std::to_string(i));
      const StringMap selector = random_.label_selector().match_labels;
      both([&](State& s) { s.workloads.set(WorkloadKind::kService, service, selector); });
    }
  }

  void add_storage() {
    for (int i = 0; i < 4; ++i)
      both([one = random_.storage_class(random_.class_name())](State& s) { s.volumes.set(one); });
    for (int i = 0; i < 10; ++i)
      both([one = random_.csi_node(random_.node_name())](State& s) { s.volumes.set(one); });
    for (int i = 0; i < 12; ++i)
      both([one = random_.persistent_volume(random_.volume_name())](State& s) { s.volumes.set(one); });
    for (int i = 0; i < 24; ++i)
      both(
          [one = random_.volume_claim(random_.ns(), random_.claim_name())](State& s) { s.volumes.set(one); });
  }

  void set_node(const Node& node) {
    overlay_->set_node(node);
    really_.set_node(node);
  }
  void remove_node(const std::string& name) {
    overlay_->remove_node(name);
    really_.remove_node(name);
  }
  void remove_pod(const std::string& ns, const std::string& name) {
    CHECK(overlay_->remove_pod(ns, name) == really_.remove_pod(ns, name));
  }
  void add_pod(Pod pod) {
    pod.status.phase.clear();
    overlay_->add_pod(pod);
    // On a node that is not there the overlay ignores it.
    if (really_.find_node(pod.spec.node_name) != kNone) really_.set_pod(pod);
  }

  RandomCluster random_;
  State below_, really_;
  std::vector<Selector> selectors_;
  std::vector<PodQuery> queries_;
  std::optional<Overlay> overlay_;
  int next_ = 0;
};

}  // namespace

TEST_CASE("an overlay says what a state with its changes says") {
  for (std::uint64_t seed = 1; seed <= part_of(12U); ++seed) {
    CAPTURE(seed);
    Changes changes(seed, with_facts(seed % 2 == 0 ? kExact : kDefaults));
    const Lines before = changes.below();
    for (int i = 0; i < 60; ++i) {
      changes.change();
      REQUIRE(changes.difference_of_views() == "");
      if (i % 6 == 0) REQUIRE(changes.difference_of_rules(changes.pod()) == "");
    }
    CHECK(difference(changes.below(), before) == "");
  }
}

TEST_CASE("a node that was removed comes back with its pods") {
  State state;
  state.set_node(node("a").cpu("4"));
  state.set_pod(pod("kept").on("a").cpu("1"));
  state.set_pod(pod("victim").on("a").cpu("2"));
  Overlay overlay(state);
  overlay.remove_node("a");
  overlay.remove_node("a");
  CHECK(overlay.remove_pod("default", "victim"));
  CHECK_FALSE(overlay.remove_pod("default", "victim"));
  CHECK_FALSE(overlay.remove_pod("default", "nobody"));
  CHECK(View(state, &overlay).node_count() == 0);
  CHECK(View(state, &overlay).find_node("a") == kNone);
  overlay.set_node(node("a").cpu("8"));
  const View view(state, &overlay);
  const NodeId a = view.find_node("a");
  REQUIRE(a != kNone);
  CHECK(view.node_count() == 1);
  CHECK(view.column(&NodeTable::allocatable_cpu)[a] == 8000);
  CHECK(view.column(&NodeTable::requested_cpu)[a] == 1000);
  CHECK(View(state).column(&NodeTable::requested_cpu)[state.find_node("a")] == 3000);
}

TEST_CASE("pods that wait for a node are on it, with what their status adds, once the overlay has it") {
  State state;
  Pod resized = pod("resized").on("new").container("c").cpu("1");
  ContainerStatus status;
  status.name = "c";
  status.allocated_resources = ResourceList{{"cpu", quantity("3")}};
  resized.status.container_statuses = {status};
  state.set_pod(resized);
  Overlay overlay(state);
  overlay.set_node(node("new"));
  const View view(state, &overlay);
  CHECK(view.column(&NodeTable::requested_cpu)[view.find_node("new")] == 3000);
  overlay.remove_pod("default", "resized");
  CHECK(View(state, &overlay).column(&NodeTable::requested_cpu)[view.find_node("new")] == 0);
}

TEST_CASE("names that only the overlay knows are found, and the state's keep their ids") {
  State state;
  state.set_node(node("a").label("disk", "ssd"));
  Overlay overlay(state);
  overlay.set_node(node("b").label("rack", "r1").label("disk", "ssd"));
  const View view(state, &overlay);
  CHECK(state.names().symbols.find(std::string_view("rack")) == kNone);
  CHECK(view.text(view.label("rack")[view.find_node("b")]) == "r1");
  CHECK(view.label("rack")[view.find_node("a")] == kNone);
  CHECK(view.label("disk")[view.find_node("a")] == view.label("disk")[view.find_node("b")]);
  CHECK(view.is_current(view.find_node("a")));
}

TEST_CASE("pods that were taken away come back, and changes of pods are taken back to a mark") {
  State state(kPlugins);
  state.set_node(node("a").cpu("4"));
  state.set_pod(pod("one").on("a").cpu("1").label("app", "x"));
  state.set_pod(pod("two").on("a").cpu("2").label("app", "x"));
  const PodQuery all{{"default"}, Selector::everything(), false};
  Overlay overlay(state);
  // Requested cpu, pods, and those of them that do not only wait for the node.
  const auto figures = [&](const Overlay& changes) {
    const View view(state, &changes);
    const NodeId a = view.find_node("a");
    return std::format("{} {} {}", view.column(&NodeTable::requested_cpu)[a], view.count_pods(all)[a],
                       view.count_assigned(all)[a]);
  };
  overlay.remove_pod("default", "one");
  overlay.remove_pod("default", "two");
  CHECK(figures(overlay) == "0 0 0");
  CHECK(overlay.restore_pod("default", "two"));
  CHECK_FALSE(overlay.restore_pod("default", "two"));
  CHECK(figures(overlay) == "2000 1 1");
  const std::size_t mark = overlay.mark();
  overlay.restore_pod("default", "one");
  overlay.add_pod(pod("new").on("a").cpu("5").asks("x.y/z", "1"));
  overlay.add_nominated_pod(pod("waits").on("a").cpu("10"));
  CHECK(figures(overlay) == "18000 4 3");
  CHECK(overlay.has_added("default", "new"));
  const Overlay copy(overlay);
  overlay.return_to(mark);
  CHECK(figures(overlay) == "2000 1 1");
  CHECK(figures(copy) == "18000 4 3");
  CHECK_FALSE(overlay.has_added("default", "new"));
  overlay.return_to(0);
  CHECK(figures(overlay) == "3000 2 2");
  CHECK_FALSE(overlay.restore_pod("default", "one"));
}

}  // namespace winnow::test
