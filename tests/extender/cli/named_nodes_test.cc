#include "extender/cli/named_nodes.h"

#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/explain/table.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";

const std::vector<LabelledNode> kPools = {
    {"pool-a-1", {{"pool", "spot"}, {kZoneLabel, "eu-1a"}}},
    {"pool-a-2", {{"pool", "general"}, {kZoneLabel, "eu-1a"}}},
    {"pool-b-1", {{"pool", "spot"}, {kZoneLabel, "eu-1b"}, {"gpu", ""}}},
};

}  // namespace

TEST_CASE("nodes are named by name, by pattern and by label") {
  struct Row {
    const char* sentence;
    Names values, nodes;
  };
  const Row rows[] = {
      {"no value names none", {}, {}},
      {"names, in their order, each once", {"pool-b-1,pool-a-1", "pool-b-1"}, {"pool-b-1", "pool-a-1"}},
      {"a pattern", {"pool-a-*"}, {"pool-a-1", "pool-a-2"}},
      {"a pattern of one letter", {"pool-?-1"}, {"pool-a-1", "pool-b-1"}},
      {"a set of letters", {"pool-[bc]-1"}, {"pool-b-1"}},
      {"a label", {"pool=spot"}, {"pool-a-1", "pool-b-1"}},
      {"kubectl's other spelling", {"pool==spot"}, {"pool-a-1", "pool-b-1"}},
      {"another value", {"pool!=spot"}, {"pool-a-2"}},
      {"one of some values", {"pool in (general, fast)"}, {"pool-a-2"}},
      {"none of some values", {"pool notin (general)"}, {"pool-a-1", "pool-b-1"}},
      {"without a label", {"!gpu"}, {"pool-a-1", "pool-a-2"}},
      {"with a label, whatever its value", {"gpu"}, {"pool-b-1"}},
      {"with a label that has a prefix", {"topology.kubernetes.io/zone,!gpu"}, {"pool-a-1", "pool-a-2"}},
      {"with a zone", {"zone"}, {"pool-a-1", "pool-a-2", "pool-b-1"}},
      {"a zone, in short", {"zone=eu-1a"}, {"pool-a-1", "pool-a-2"}},
      {"a zone, in full", {"topology.kubernetes.io/zone=eu-1b"}, {"pool-b-1"}},
      {"labels of one value must all hold", {"pool=spot,zone=eu-1a"}, {"pool-a-1"}},
      {"labels of two values need not", {"pool=general", "zone=eu-1b"}, {"pool-a-2", "pool-b-1"}},
      {"a name beside a label", {"pool-a-2,pool=spot"}, {"pool-a-2", "pool-a-1", "pool-b-1"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto named = named_nodes(kPools, "--drain", row.values);
    REQUIRE_MESSAGE(named, named.error());
    CHECK(*named == row.nodes);
  }
}

TEST_CASE("what names no node is an error, with what may be meant") {
  struct Row {
    const char* sentence;
    Names values;
    const char* error;
  };
  const Row rows[] = {
      {"a name", {"pool-a-1,pool-a3"}, "--drain: node \"pool-a3\" is not in the cluster (did you mean "},
      {"a pattern", {"pol-a-*"}, "--drain: no node has a name like \"pol-a-*\" (did you mean \"pool-a-1\""},
      {"a value", {"pool=sopt"}, "--drain: no node has pool=sopt (did you mean \"pool=spot\"?)"},
      {"a zone",
       {"zone=eu-1c"},
       "--drain: no node has zone=eu-1c (did you mean \"zone=eu-1a\" or \"zone=eu-1b\"?)"},
      {"a key", {"pol=spot"}, "--drain: no node has pol=spot (did you mean \"pool\"?)"},
      {"a key with a prefix", {"x.dev/pool"}, "--drain: no node has x.dev/pool"},
      {"labels that exclude each other", {"gpu=,zone=eu-1a"}, "--drain: no node has gpu=,zone=eu-1a"},
      {"a value that no label has", {"pool=a b"}, "--drain: \"pool=a b\": invalid label value"},
      {"nothing", {""}, "--drain: expected names, patterns or labels of nodes, and it is empty"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto named = named_nodes(kPools, "--drain", row.values);
    REQUIRE_FALSE(named);
    CHECK_MESSAGE(named.error().starts_with(row.error), named.error());
  }
}

TEST_CASE("a bare word is a node's name before it is a label") {
  const std::vector<LabelledNode> nodes = {{"gpu", {}}, {"other", {{"gpu", "yes"}}}};
  CHECK(named_nodes(nodes, "--drain", Names{"gpu"}) == Names{"gpu"});
}

TEST_CASE("a name may lack what tables leave out of names") {
  const std::string domain = ".eu-west-1.compute.internal";
  const std::vector<LabelledNode> nodes = {{"ip-10-20-1-23" + domain, {{kZoneLabel, "eu-1a"}}},
                                           {"ip-10-20-1-99" + domain, {{kZoneLabel, "eu-1b"}, {"pool", "a"}}},
                                           {"ip-10-20-1-99.other.example.com", {}},
                                           {"ip-10-22-3-4" + domain, {}}};
  CHECK(named_nodes(nodes, "--drain", Names{"ip-10-20-1-23"}) == Names{nodes[0].name});
  CHECK(named_nodes(nodes, "--drain", Names{"ip-10-2?-*-4,ip-10-20-1-23" + domain}) ==
        Names{nodes[3].name, nodes[0].name});
  const std::pair<const char*, std::string> rows[] = {
      {"ip-10-20-1-24",
       "--drain: node \"ip-10-20-1-24\" is not in the cluster (did you mean \"ip-10-20-1-23\""},
      {"eu-1b", "--drain: node \"eu-1b\" is not in the cluster (did you mean \"zone=eu-1b\"?)"},
      {"a", "--drain: node \"a\" is not in the cluster (did you mean \"pool=a\"?)"},
  };
  for (const auto& [part, error] : rows) {
    const auto named = named_nodes(nodes, "--drain", Names{part});
    REQUIRE_FALSE(named);
    CHECK_MESSAGE(named.error().starts_with(error), named.error());
  }
  const std::vector<LabelledNode> two = {{"n-1.a.example.com", {}}, {"n-1.b.example.com", {}}};
  CHECK(named_nodes(two, "--drain", Names{"n-1"}).error() ==
        "--drain: \"n-1\" is the name of 2 nodes: n-1.a.example.com and n-1.b.example.com");
}

TEST_CASE("a label called zone counts before the zone, and old labels of zones count too") {
  const std::vector<LabelledNode> own = {{"a", {{"zone", "x"}, {kZoneLabel, "y"}}}};
  CHECK(named_nodes(own, "--drain", Names{"zone=x"}) == Names{"a"});
  CHECK_FALSE(named_nodes(own, "--drain", Names{"zone=y"}));
  const std::vector<LabelledNode> old = {{"a", {{"failure-domain.beta.kubernetes.io/zone", "x"}}}};
  CHECK(named_nodes(old, "--drain", Names{"zone=x"}) == Names{"a"});
}

TEST_CASE("-l is kubectl's: a bare word is a label, and all must hold") {
  CHECK(named_nodes(kPools, NodeWords{.selector = "gpu"}) == Names{"pool-b-1"});
  CHECK(named_nodes(kPools, NodeWords{.selector = "pool=spot,!gpu"}) == Names{"pool-a-1"});
  CHECK(named_nodes(kPools, NodeWords{.selector = "pool in (spot,general),gpu"}) == Names{"pool-b-1"});
  CHECK(named_nodes(kPools, NodeWords{.values = {"pool-a-1"}, .selector = "gpu"}).error() ==
        "--nodes and -l exclude each other");
  CHECK(named_nodes(kPools, NodeWords{.selector = "pol"}).error() ==
        "-l: no node has pol (did you mean \"pool\"?)");
}

TEST_CASE("where names alone are given, nobody has to list the nodes") {
  CHECK(plain_names({.values = {"a,b", "c"}}) == Names{"a", "b", "c"});
  CHECK_FALSE(plain_names({.values = {"a,pool=spot"}}));
  CHECK_FALSE(plain_names({.values = {"a*"}}));
  CHECK_FALSE(plain_names({.values = {"x.dev/pool"}}));
  CHECK_FALSE(plain_names({.selector = "pool"}));
}

TEST_CASE("the nodes of a state have their labels, and come by name") {
  State state;
  state.set_node(node("b").label("pool", "spot"));
  state.set_node(node("a"));
  const std::vector<LabelledNode> nodes = labelled_nodes(state);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].name == "a");
  CHECK(nodes[1].labels.at("pool") == "spot");
}

}  // namespace winnow::test
