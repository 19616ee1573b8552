#include "extender/what_if/simulate/changes.h"

#include <doctest/doctest.h>

#include <functional>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

void three_nodes_and_pods(State& state) {
  for (const char* const name : {"a", "b", "big-1"}) state.set_node(node(name).cpu("2").label("zone", "z1"));
  state.set_pod(pod("web").in("shop").on("a").cpu("1"));
  state.set_pod(pod("db").in("data").on("a").cpu("1"));
  state.set_pod(pod("idle").in("shop"));
}

std::string node_names(const State& state) {
  std::vector<std::string> names;
  for (const std::string& name : state.nodes().name)
    if (!name.empty()) names.push_back(name);
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string label(const State& state, const std::string& name, const std::string& key) {
  const Node node = state.nodes().to_node(state.find_node(name));
  const auto it = node.metadata.labels.find(key);
  return it == node.metadata.labels.end() ? "(none)" : it->second;
}

}  // namespace

TEST_CASE("changes: nodes and pods come and go") {
  struct Row {
    std::string sentence;
    Changes changes;
    std::string nodes;
    std::size_t pods;
    std::vector<std::string> lost;
    std::size_t deleted = 0;
  };
  const Row rows[] = {
      {"nothing", {}, "a b big-1", 3, {}},
      {"a removed node takes its pods along", {.remove_nodes = {"a", "a"}}, "b big-1", 1, {"db", "web"}},
      {"names that are taken are left out",
       {.templates = {node("big").cpu("8")}, .count = 2},
       "a b big-1 big-2 big-3",
       3,
       {}},
      {"deleted pods are none that a removed node loses",
       {.remove_nodes = {"a"}, .delete_pods = {{"shop", "web"}, {"shop", "idle"}}},
       "b big-1",
       0,
       {"db"},
       1},
      {"unknown names are ignored",
       {.remove_nodes = {"x"}, .cordon = {"x"}, .delete_pods = {{"x", "x"}}, .labels = {{"x", "k", "v"}}},
       "a b big-1",
       3,
       {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state;
    three_nodes_and_pods(state);
    const Changed changed = make_changes(state, row.changes);
    CHECK(node_names(state) == row.nodes);
    CHECK(state.pod_count() == row.pods);
    std::vector<std::string> lost;
    for (const Pod& pod : changed.lost) lost.push_back(pod.metadata.name);
    CHECK(lost == row.lost);
    CHECK(changed.deleted.size() == row.deleted);
  }
}

TEST_CASE("changes: a new node has its name as its host's") {
  State state;
  make_changes(state, {.templates = {node("big").cpu("8").label("kubernetes.io/hostname", "old")}});
  CHECK(label(state, "big-1", "kubernetes.io/hostname") == "big-1");
}

TEST_CASE("changes: labels are set, replaced and removed") {
  State state;
  three_nodes_and_pods(state);
  make_changes(state, {.labels = {{"a", "zone", "z2"}, {"b", "zone", std::nullopt}, {"b", "disk", "ssd"}}});
  CHECK(label(state, "a", "zone") == "z2");
  CHECK(label(state, "b", "zone") == "(none)");
  CHECK(label(state, "b", "disk") == "ssd");
  CHECK(state.pods_on(state.find_node("a")).size() == 2);
}

TEST_CASE("changes: a cordoned node has the flag and one taint, and keeps its pods") {
  State state;
  three_nodes_and_pods(state);
  make_changes(state, {.cordon = {"a", "a"}});
  const Node a = state.nodes().to_node(state.find_node("a"));
  CHECK(a.spec.unschedulable);
  CHECK(a.spec.taints == std::vector<Taint>{{"node.kubernetes.io/unschedulable", "", "NoSchedule"}});
  CHECK(state.pods_on(state.find_node("a")).size() == 2);
}

}  // namespace winnow::test
