#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const char* const kAnnotation = "scheduler.alpha.kubernetes.io/preferAvoidPods";

std::string signature(const std::string& kind, const std::string& uid) {
  return R"({"podSignature":{"podController":{"apiVersion":"v1","kind":")" + kind +
         R"(","name":"x","uid":")" + uid + R"(","controller":true}},"reason":"some","message":"text"})";
}

Node avoiding(const std::string& signatures) {
  return node("shy").annotation(kAnnotation, R"({"preferAvoidPods":[)" + signatures + "]}");
}

}  // namespace

TEST_CASE("NodePreferAvoidPodsPriority") {
  const std::vector<Node> nodes = {avoiding(signature("ReplicaSet", "1")), node("open")};
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
       {avoiding(signature("ReplicationController", "1")), node("open")},
       {},
       avoided},
      {"no other kind can be avoided",
       pod("web").owner("StatefulSet", "1"),
       {avoiding(signature("StatefulSet", "1")), node("open")},
       {},
       welcome},
      {"the second of two",
       pod("web").owner("ReplicaSet", "1"),
       {avoiding(signature("ReplicaSet", "0") + "," + signature("ReplicaSet", "1")), node("open")},
       {},
       avoided},
      {"an empty list", pod("web").owner("ReplicaSet", "1"), {avoiding(""), node("open")}, {}, welcome},
      {"an annotation that is not JSON",
       pod("web").owner("ReplicaSet", "1"),
       {avoiding(signature("ReplicaSet", "1") + "]"), node("open")},
       {},
       welcome},
      {"an annotation of another shape",
       pod("web").owner("ReplicaSet", "1"),
       {node("shy").annotation(kAnnotation, R"({"preferAvoidPods":"none"})"), node("open")},
       {},
       welcome},
      {"an empty annotation",
       pod("web").owner("ReplicaSet", "1"),
       {node("shy").annotation(kAnnotation, ""), node("open")},
       {},
       welcome},
  };
  check_scores("NodePreferAvoidPodsPriority", rows);
}

}  // namespace winnow::test
