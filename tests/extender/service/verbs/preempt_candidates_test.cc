// Candidates of a preempt call: what an answer has left of them, and what it is compared with.
#include "extender/service/verbs/preempt_candidates.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/state/state.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

/// Node a with the victims u1 and u2, and node b with u3.
Candidates two_candidates() {
  return {.given = {{.node_name = "a", .uids = {"u1", "u2"}}, {.node_name = "b", .uids = {"u3"}}},
          .asked = {{.node_name = "a", .victims = {}}, {.node_name = "b", .victims = {}}}};
}

}  // namespace

TEST_CASE("what remains of the candidates has the victims by their names, and no node without room") {
  const Candidates candidates = two_candidates();
  const auto fewer = remaining(candidates, {Eviction{.victims = {1}, .violations = 2}, std::nullopt});
  REQUIRE(fewer.size() == 1);
  CHECK(fewer[0].node_name == "a");
  CHECK(fewer[0].uids == std::vector<std::string>{"u2"});
  CHECK(fewer[0].violations == 2);
  CHECK(takes_back(fewer, candidates));
  CHECK_FALSE(takes_back(remaining(candidates, {std::nullopt, Eviction{.victims = {0}}}), candidates));
  CHECK_FALSE(
      takes_back(remaining(candidates, {Eviction{.victims = {0, 1}}, Eviction{.victims = {0}}}), candidates));
}

TEST_CASE("a search spares some where it has come to a part of the victims that kube-scheduler names") {
  struct Row {
    const char* sentence;
    const char* node;
    std::vector<std::string> uids;
    bool spares;
  };
  const Row rows[] = {
      {"a part of them", "a", {"u2"}, true},
      {"all of them", "a", {"u1", "u2"}, false},
      {"another one", "a", {"u3"}, false},
      {"a node that is not named", "c", {"u1"}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(spares_some({.node_name = row.node, .uids = row.uids}, two_candidates()) == row.spares);
  }
}

TEST_CASE("a pod is still there if the cache has it on the node, and kube-scheduler does not name it") {
  State state;
  state.set_node(node("a"));
  state.set_pod(pod("p").uid("u9").on("a"));
  state.set_pod(pod("q").uid("u1").on("a"));
  struct Row {
    const char* sentence;
    const char* node;
    std::vector<std::string> uids;
    bool there;
  };
  const Row rows[] = {
      {"one that is not named", "a", {"u9"}, true},
      {"one that is named", "a", {"u1"}, false},
      {"one that the node does not have", "a", {"u8"}, false},
      {"a node that the cache does not have", "b", {"u9"}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(still_there(state, row.node, row.uids, two_candidates()) == row.there);
  }
}

}  // namespace winnow::test
