// The list of columns, and what goes through it.
#include "cluster/state/node_columns.h"

#include <doctest/doctest.h>

#include <set>

#include "cluster/state/node_column_list.h"
#include "cluster/state/state.h"
#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {

TEST_CASE("the list names every column once") {
  std::set<std::string_view> names;
  std::set<const void*> members;
  const NodeColumns columns;
  for_each_column([&](const auto& column) {
    CAPTURE(column.name);
    CHECK(names.insert(column.name).second);
    CHECK(members.insert(&(columns.*column.values)).second);
  });
}

/// What the tests of overlays compare says nothing of a column that has the same value everywhere.
TEST_CASE("random clusters have more than one value in every column") {
  RandomCluster random(1);
  State state;
  for (int i = 0; i < 40; ++i) state.set_node(random.node(random.node_name()));
  for (int i = 0; i < 200; ++i) state.set_pod(random.pod(random.ns(), random.pod_name()));
  for_each_column([&](const auto& column) {
    CAPTURE(column.name);
    const auto& values = state.nodes().*column.values;
    CHECK(std::set(values.begin(), values.end()).size() > 1);
  });
}

TEST_CASE("random clusters have keys that become common, and rare again, and end") {
  RandomCluster random(1);
  State state;
  int common = 0, rare = 0, none = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = random.node_name();
    if (random.one_in(8))
      state.remove_node(name);
    else
      state.set_node(random.node(name));
    const Symbol key = state.names().symbols.find(std::string_view("example.com/rare-0"));
    const LabelColumn* const column = key == kNone ? nullptr : state.nodes().label_column(key);
    ++(!column ? none : column->common() ? common : rare);
  }
  CAPTURE(none);
  CHECK(common > 100);
  CHECK(rare > 100);
  CHECK(none > 10);
}

TEST_CASE("a row that is freed is in every column as a row that begins") {
  RandomCluster random(1);
  Dictionaries names;
  NodeTable table(names, /*exact_zones=*/false);
  for (int i = 0; i < 100; ++i) {
    const NodeId row = table.add_row(random.node("n"), 5);
    const Footprint pod =
        acquire_footprint(names, random.pod("ns", "p"), Accounting::kToday, Generation::kToday);
    table.add(row, pod);
    table.remove_row(row);
    for_each_column([&](const auto& column) {
      CAPTURE(column.name);
      CHECK((table.*column.values)[row] == column.empty_value());
    });
  }
  CHECK(table.capacity() == 1);
}

/// What makes a Node another one to some rule.
const std::pair<const char*, void (*)(Node&)> kNodeChanges[] = {
    {"a label comes", [](Node& node) { node.metadata.labels["more"] = "x"; }},
    {"a label has another value", [](Node& node) { node.metadata.labels.at("disk") = "hdd"; }},
    {"a label goes", [](Node& node) { node.metadata.labels.erase("disk"); }},
    {"it is cordoned", [](Node& node) { node.spec.unschedulable = true; }},
    {"a taint comes", [](Node& node) { node.spec.taints.push_back({"k", "v", "NoSchedule"}); }},
    {"an amount changes", [](Node& node) { node.status.allocatable.at("cpu") = quantity("3"); }},
    {"a scalar resource comes", [](Node& node) { node.status.allocatable["a.com/b"] = quantity("1"); }},
    {"a scalar resource changes",
     [](Node& node) { node.status.allocatable.at("a.com/gpu") = quantity("2"); }},
    {"a scalar resource goes", [](Node& node) { node.status.allocatable.erase("a.com/gpu"); }},
    {"an image comes", [](Node& node) { node.status.images.push_back({{"other"}, 5}); }},
    {"an image grows", [](Node& node) { node.status.images.front().size_bytes = 6; }},
    {"an image has another name", [](Node& node) { node.status.images.front().names = {"new"}; }},
    {"an image goes", [](Node& node) { node.status.images.clear(); }},
    {"a fact is another number", [](Node& node) { node.metadata.annotations.at("load") = "2"; }},
    {"a fact goes", [](Node& node) { node.metadata.annotations.erase("load"); }},
};

TEST_CASE("a Node that says what its row holds changes no row, and any other does") {
  State::Options options;
  options.facts = {{.from = NodeFact::From::kAnnotation, .key = "load"}};
  Node first = node("a").cpu("4").label("disk", "ssd");
  first.status.allocatable["a.com/gpu"] = quantity("1");
  first.status.images = {{{"image", "alias"}, 5}};
  first.metadata.annotations["load"] = "1.5";
  for (const auto& [what, change] : kNodeChanges) {
    CAPTURE(what);
    State state(options);
    state.set_node(first);
    const std::uint64_t before = state.nodes().changes().count();
    Node heartbeat = first;
    heartbeat.metadata.annotations["other"] = "x";
    heartbeat.metadata.resource_version = "17";
    state.set_node(heartbeat);
    CHECK(state.nodes().changes().count() == before);
    Node changed = first;
    change(changed);
    state.set_node(changed);
    CHECK(state.nodes().changes().count() > before);
  }
}

TEST_CASE("random Nodes that come twice change their rows once, unless an image's name stands there twice") {
  RandomCluster random(1);
  State state(with_facts({}));
  std::size_t same = 0;
  for (int i = 0; i < 300; ++i) {
    const Node made = random.node(random.node_name());
    state.set_node(made);
    const std::uint64_t before = state.nodes().changes().count();
    state.set_node(made);
    same += state.nodes().changes().count() == before ? 1 : 0;
  }
  CHECK(same > 200);
}

}  // namespace winnow::test
