#include "extender/cli/simulate_inputs.h"

#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/cli/flags/what_if_flags.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("simulate: labels as the command line has them") {
  struct Row {
    std::string text, node, key;
    std::optional<std::string> value;
  };
  const Row rows[] = {
      {"n1:zone=a", "n1", "zone", "a"},
      {"n1/zone=a", "n1", "zone", "a"},
      {"n1:topology.kubernetes.io/zone=a", "n1", "topology.kubernetes.io/zone", "a"},
      {"n1/topology.kubernetes.io/zone=a", "n1", "topology.kubernetes.io/zone", "a"},
      {"zone=eu-1a:tier=low", "zone=eu-1a", "tier", "low"},
      {"example.com/pool=a:tier=low", "example.com/pool=a", "tier", "low"},
      {"n1:zone=", "n1", "zone", std::nullopt},
      {"n1:zone-", "n1", "zone", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto change = parse_label_change(row.text);
    REQUIRE(change);
    CHECK(change->node == row.node);
    CHECK(change->key == row.key);
    CHECK(change->value == row.value);
  }
}

TEST_CASE("simulate: what is no label is named, with what is expected") {
  const std::string form = ": expected NODES:KEY=VALUE, or NODES:KEY- to remove the label";
  const std::pair<std::string, std::string> rows[] = {
      {"zone=a", "--set-label: \"zone=a\"" + form},
      {":zone=a", "--set-label: \":zone=a\"" + form},
      {"n1:zone", "--set-label: \"n1:zone\"" + form},
      {"", "--set-label: \"\"" + form},
  };
  for (const auto& [text, error] : rows) {
    CAPTURE(text);
    const auto change = parse_label_change(text);
    REQUIRE_FALSE(change);
    CHECK(change.error() == error);
  }
  for (const auto& [text, begin] : {std::pair("n1:=a", "--set-label: \"n1:=a\": key: "),
                                    std::pair("n1:a b=c", "--set-label: \"n1:a b=c\": key: "),
                                    std::pair("n1:k=a b", "--set-label: \"n1:k=a b\": value: ")}) {
    const auto change = parse_label_change(text);
    REQUIRE_FALSE(change);
    CHECK_MESSAGE(change.error().starts_with(begin), change.error());
  }
}

TEST_CASE("simulate: names that the cluster does not have") {
  State state;
  state.set_node(node("node-1"));
  state.set_pod(pod("web").in("shop"));
  struct Row {
    SimulateFlags flags;
    std::string error;
  };
  const std::string near = "\" is not in the cluster (did you mean \"node-1\"?)";
  const Row rows[] = {
      {{.drain = {"node-2"}}, "--drain: node \"node-2" + near},
      {{.remove_nodes = {"node-2"}}, "--remove-nodes: node \"node-2" + near},
      {{.cordon = {"node-1", "node-2"}}, "--cordon: node \"node-2" + near},
      {{.set_labels = {"node-2:a=b"}}, "--set-label: node \"node-2" + near},
      {{.delete_pods = {"shop/wep"}},
       "--delete-pods: pod \"shop/wep\" is not in the cluster (did you mean \"shop/web\"?)"},
  };
  for (const Row& row : rows) {
    SimulateFlags flags = row.flags;
    std::string error = resolve_nodes(flags, state);
    if (error.empty()) error = changes_of({.cluster = {"-"}}, flags, state).error_or("");
    CHECK(error == row.error);
  }
}

TEST_CASE("simulate: nodes are named by pattern and by label in each flag") {
  State state;
  for (const char* name : {"a-1", "a-2", "b-1"})
    state.set_node(node(name).label("pool", std::string(name, 1)));
  using Names = std::vector<std::string>;
  SimulateFlags flags{.drain = {"a-*"}, .remove_nodes = {"pool=b"}, .set_labels = {"pool=a:tier=low"}};
  CHECK(resolve_nodes(flags, state) == "");
  CHECK(flags.drain == Names{"a-1", "a-2"});
  CHECK(flags.remove_nodes == Names{"b-1"});
  const auto changes = changes_of({}, flags, state);
  REQUIRE(changes);
  CHECK(changes->cordon == Names{"a-1", "a-2"});
  REQUIRE(changes->labels.size() == 2);
  CHECK(changes->labels[1].node == "a-2");
  CHECK(changes->labels[1].key == "tier");
  SimulateFlags both{.drain = {"a-1"}, .cordon = {"a-*"}};
  CHECK(resolve_nodes(both, state) == "--cordon and --drain both name node \"a-1\"");
}

}  // namespace winnow::test
