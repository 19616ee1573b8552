// A pod with many host ports, disks and volumes is counted like its parts one by one.
#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

PodBuilder with(const std::string& name, int from, int to) {
  PodBuilder made = pod(name).on("n").container("c");
  for (int i = to; i > from; --i) made.host_port(i).mounts(ebs_volume("v" + std::to_string(i)));
  return made;
}

/// Each port, disk and volume in use, with its number of pods; and the volumes that count against the limit.
std::vector<std::vector<std::int64_t>> uses(const State& state) {
  const NodeId node = state.find_node("n");
  std::vector<std::vector<std::int64_t>> all(4);
  for (const auto& use : state.nodes().ports[node]) {
    all[0].push_back(use.port.port);
    all[0].push_back(use.pods);
  }
  for (const auto& use : state.nodes().disks[node]) all[1].push_back(use.pods);
  for (const auto& use : state.nodes().attached().uses(node)) all[2].push_back(use.pods);
  const Symbol limit = state.names().limits.find(std::string_view("attachable-volumes-aws-ebs"));
  if (const auto* columns = state.nodes().attached().limit(limit)) all[3].push_back(columns->attached[node]);
  return all;
}

TEST_CASE("many uses at once are the same as one after another") {
  State many, one_by_one;
  for (State* state : {&many, &one_by_one}) state->set_node(node("n"));
  many.set_pod(with("before", 10, 30));
  many.set_pod(with("large", 0, 60));
  for (int i = 0; i < 60; ++i) one_by_one.set_pod(with("p" + std::to_string(i), i, i + 1));
  for (int i = 10; i < 30; ++i) one_by_one.set_pod(with("q" + std::to_string(i), i, i + 1));
  const auto ports = uses(many)[0];
  CHECK(ports == uses(one_by_one)[0]);
  REQUIRE(ports.size() == 120);
  CHECK(uses(many)[3] == std::vector<std::int64_t>{60});

  many.remove_pod("", "large");
  many.remove_pod("default", "large");
  State alone;
  alone.set_node(node("n"));
  alone.set_pod(with("before", 10, 30));
  CHECK(uses(many) == uses(alone));
  CHECK(uses(many)[0].size() == 40);
}

}  // namespace
}  // namespace winnow::test
