#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

Node avoiding(const std::string& kind, const std::string& uid) { return node("shy").avoids(kind, uid); }

}  // namespace

TEST_CASE("NodePreferAvoidPodsPriority") {
  const std::vector<Node> nodes = {avoiding("ReplicaSet", "1"), node("open")};
  const std::map<std::string, std::int64_t> avoided = {{"shy", 0}, {"open", 10}},
                                            welcome = {{"shy", 10}, {"open", 10}};
  const Ranking rows[] = {
      {"nobody's pod", pod("web"), nodes, {}, welcome},
      {"the ReplicaSet's", pod("web").owner("ReplicaSet", "1"), nodes, {}, avoided},
      {"another's", pod("web").owner("ReplicaSet", "2"), nodes, {}, welcome},
      {"the uid of another kind", pod("web").owner("ReplicationController", "1"), nodes, {}, welcome},
      {"a controller, not just an owner", pod("web").owner("ReplicaSet", "1", false), nodes, {}, welcome},
      {"the first controller counts: this",
       pod("web").owner("ReplicaSet", "1", false).owner("ReplicaSet", "1").owner("ReplicaSet", "2"),
       nodes,
       {},
       avoided},
      {"the first controller counts: another",
       pod("web").owner("ReplicaSet", "2").owner("ReplicaSet", "1"),
       nodes,
       {},
       welcome},
      {"a ReplicationController",
       pod("web").owner("ReplicationController", "1"),
       {avoiding("ReplicationController", "1"), node("open")},
       {},
       avoided},
      {"no other kind can be avoided",
       pod("web").owner("StatefulSet", "1"),
       {avoiding("StatefulSet", "1"), node("open")},
       {},
       welcome},
      {"the second of two",
       pod("web").owner("ReplicaSet", "1"),
       {node("shy").avoids("ReplicaSet", "0").avoids("ReplicaSet", "1"), node("open")},
       {},
       avoided},
      {"a node that avoids nobody",
       pod("web").owner("ReplicaSet", "1"),
       {node("shy"), node("open")},
       {},
       welcome},
  };
  check_scores("NodePreferAvoidPodsPriority", rows);
}

}  // namespace winnow::test
