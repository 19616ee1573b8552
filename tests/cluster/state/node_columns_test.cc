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

}  // namespace winnow::test
