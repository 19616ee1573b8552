#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "cluster/state/view.h"
#include "tests/cluster/state/describe.h"
#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {

TEST_CASE("a node that is put back as the state gives it is the same") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    RandomCluster random(seed);
    State state(State::Options{.generation = seed % 2 ? Generation::kToday : Generation::kClassic,
                               .facts = random_facts()});
    for (int i = 0; i < 12; ++i) state.set_node(random.node(random.node_name()));
    for (int i = 0; i < 60; ++i) state.set_pod(random.pod(random.ns(), random.pod_name()));
    const auto told = [&] {
      Lines lines = describe(View(state), {"ns-0", "ns-1", "ns-2"}, {}, {});
      append(lines, describe_pods(state));
      return lines;
    };
    const Lines before = told();
    for (NodeId id = 0; id < state.nodes().capacity(); ++id)
      if (!state.nodes().name[id].empty()) state.set_node(state.nodes().to_node(id));
    CHECK(difference(before, told()) == "");
  }
}

TEST_CASE("a node without a limit differs from one whose limit is 0") {
  State state;
  state.set_node(node("a").offers("attachable-volumes-aws-ebs", "0"));
  state.set_node(node("b").cpu("1500m").taint("k", "v", "NoExecute").cordoned());
  const Node a = state.nodes().to_node(state.find_node("a")), b = state.nodes().to_node(state.find_node("b"));
  CHECK(a.status.allocatable.contains("attachable-volumes-aws-ebs"));
  CHECK_FALSE(b.status.allocatable.contains("attachable-volumes-aws-ebs"));
  CHECK(b.status.allocatable.at("cpu").milli_value() == 1500);
  CHECK(b.spec.unschedulable);
  CHECK(b.spec.taints == std::vector<Taint>{{"k", "v", "NoExecute"}});
}

TEST_CASE("a fact is a number that the node's text is, and nothing else") {
  const NodeFact load{NodeFact::From::kAnnotation, "load"}, rank{NodeFact::From::kLabel, "rank"};
  State state(State::Options{.facts = {load, rank}});
  const auto number = [&](const char* annotation, const char* label) {
    Node one = node("a").label("rank", label);
    one.metadata.annotations["load"] = annotation;
    state.set_node(one);
    const View view(state);
    return std::pair(view.fact(load)[view.find_node("a")], view.fact(rank)[view.find_node("a")]);
  };
  CHECK(number("0.85", "12") == std::pair(0.85, 12.0));
  CHECK(number("-1e3", "0") == std::pair(-1000.0, 0.0));
  for (const char* const text : {"", " 1", "1 ", "1Gi", "0x10", "inf", "nan", "1e999", "+1"}) {
    CAPTURE(text);
    CHECK(std::isnan(number(text, text).first));
    CHECK(std::isnan(number(text, text).second));
  }
  state.set_node(node("a"));
  CHECK(std::isnan(View(state).fact(load)[0]));
  CHECK(View(State()).fact(load).empty());
  CHECK(fact_of(text_of(load)) == load);
  CHECK(fact_of(text_of(rank)) == rank);
}

}  // namespace winnow::test
