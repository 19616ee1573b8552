// To the byte: programs read this.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/api/node.h"
#include "extender/explain/explanation_json.h"
#include "tests/extender/explain/examples.h"

namespace winnow::test::json_test {
namespace {

std::string json(const Explanation& explanation) {
  std::string out;
  append_json(out, explanation);
  return out;
}

TEST_CASE("explain json: one node that fits and one that does not") {
  NodeExplanation n1 =
      fitting("n1", {gives("SelectorSpreadPriority", 7), gives("InterPodAffinityPriority", 0)}, 10);
  n1.scores[0].raw = 3;
  n1.scores[1].raw.reset();
  const FilterEntry full = refuses("GeneralPredicates", {"Insufficient cpu", "Insufficient memory"});
  const NodeExplanation n2 = refused("n2", {full, passes("PodToleratesNodeTaints")});
  CHECK(
      json(pod("default/web-1", "n1", {n1, n2})) ==
      R"({"pod":"default/web-1","feasible":1,"selected":"n1","nodes":[)"
      R"({"name":"n1","fits":true,)"
      R"("filters":[{"rule":"GeneralPredicates","fits":true},{"rule":"PodToleratesNodeTaints","fits":true}],)"
      R"("scores":[{"rule":"SelectorSpreadPriority","raw":3,"score":7,"weight":1},)"
      R"({"rule":"InterPodAffinityPriority","score":0,"weight":1}],)"
      R"("total":7,"answer":10},)"
      R"({"name":"n2","fits":false,)"
      R"("filters":[{"rule":"GeneralPredicates","fits":false,"resolvable":true,)"
      R"("reasons":["Insufficient cpu","Insufficient memory"]},{"rule":"PodToleratesNodeTaints","fits":true}]}]})");
}

TEST_CASE("explain json: an error of the pod") {
  Explanation broken = pod("default/db-0", {}, {});
  broken.error = "persistentvolumeclaim \"data\" not found";
  CHECK(json(broken) == R"({"pod":"default/db-0","feasible":0,"selected":null,)"
                        R"("error":"persistentvolumeclaim \"data\" not found","nodes":[]})");
}

TEST_CASE("explain json: a rule with nothing to say, and one that refuses before the nodes") {
  FilterEntry skipped = passes("NodePorts");
  skipped.skipped = true;
  const FilterEntry refusal = refuses("NodeAffinity", {"pod affinity terms conflict"}, false);
  CHECK(
      json(pod("default/api-2", {}, {refused("n1", {skipped, refusal})})) ==
      R"({"pod":"default/api-2","feasible":0,"selected":null,"nodes":[{"name":"n1","fits":false,"filters":[)"
      R"({"rule":"NodePorts","fits":true,"skipped":true},)"
      R"({"rule":"NodeAffinity","fits":false,"resolvable":false,"reasons":["pod affinity terms conflict"]}]}]})");
}

TEST_CASE("explain json: an error of one rule stands in its entry") {
  CHECK(json(pod("a/b", {}, {refused("n1", {breaks("CheckVolumeBinding", "no such class")})})) ==
        R"({"pod":"a/b","feasible":0,"selected":null,"nodes":[{"name":"n1","fits":false,"filters":[)"
        R"({"rule":"CheckVolumeBinding","fits":false,"error":"no such class"}]}]})");
}

TEST_CASE("explain json: the error of a priority where one node fits stands in place of the scores") {
  NodeExplanation node = fitting("n1", {});
  node.filters.clear();
  node.scored = false;
  node.score_error = {"NodeAffinityPriority", "\"a\" is no number"};
  CHECK(json(pod("a/b", "n1", {node})) ==
        R"({"pod":"a/b","feasible":1,"selected":"n1","nodes":[{"name":"n1","fits":true,"filters":[],)"
        R"("scoreError":{"rule":"NodeAffinityPriority","error":"\"a\" is no number"}}]})");
}

TEST_CASE("explain json: a skipped priority, and numbers at their limits") {
  ScoreEntry skipped = gives("NodeAffinity", 0, 2);
  skipped.raw.reset();
  skipped.skipped = true;
  NodeExplanation node = fitting("n1", {skipped}, -1);
  node.filters.clear();
  node.total = INT64_MIN;
  CHECK(
      json(pod("a/b", "n1", {node})) ==
      R"({"pod":"a/b","feasible":1,"selected":"n1","nodes":[{"name":"n1","fits":true,"filters":[],"scores":[)"
      R"({"rule":"NodeAffinity","score":0,"weight":2,"skipped":true}],)"
      R"("total":-9223372036854775808,"answer":-1}]})");
}

TEST_CASE("explain json: what is under way for the pod stands before the nodes, where there is something") {
  Explanation on_node = pod("a/b", "n3", {});
  on_node.node = "n2";
  CHECK(json(on_node) == R"({"pod":"a/b","feasible":0,"selected":"n3","node":"n2","nodes":[]})");

  Explanation waits = pod("a/b", {}, {});
  waits.assumed = "n1";
  waits.error = "no";
  waits.nominated = "n3";
  waits.not_judged = {"DeviceClass gpu provides nvidia.com/gpu"};
  waits.not_nominated = "it is so";
  waits.gates = {"x.dev/quota", "x.dev/wait"};
  waits.refused = {.times = 3, .seconds = 12.345, .would_fit_on = "n2", .would_fit_seconds = 8.06};
  waits.preemption = {
      .node = "n2", .victims = {"a/l1", "a/l2"}, .violations = 1, .judged = 5, .candidates = 5};
  const std::string before = R"({"pod":"a/b","feasible":0,"selected":null,"assumed":"n1","error":"no",)"
                             R"("notJudged":["DeviceClass gpu provides nvidia.com/gpu"],"nominated":"n3",)"
                             R"("notNominated":"it is so","gates":["x.dev/quota","x.dev/wait"],)";
  const std::string refused =
      R"("refused":{"times":3,"seconds":12.3,"wouldFitOn":"n2","wouldFitSeconds":8.1},)";
  CHECK(json(waits) ==
        before + refused +
            R"("preemption":{"node":"n2","victims":["a/l1","a/l2"],"violations":1},"nodes":[]})");
}

TEST_CASE("explain json: a refusal that stands, and preemptions of other kinds") {
  Explanation waits = pod("a/b", {}, {});
  waits.refused = {.times = 1, .seconds = 0};
  waits.preemption = {.message = "not eligible due to preemptionPolicy=Never."};
  const std::string before =
      R"({"pod":"a/b","feasible":0,"selected":null,"refused":{"times":1,"seconds":0.0},"preemption":)";
  CHECK(json(waits) == before + R"({"message":"not eligible due to preemptionPolicy=Never."},"nodes":[]})");
  waits.preemption = {.node = "n2", .victims = {"a/l"}, .judged = 100, .candidates = 812, .in_vain = true};
  CHECK(
      json(waits) ==
      before +
          R"({"node":"n2","victims":["a/l"],"violations":0,"candidates":100,"of":812,)"
          R"("note":"kube-scheduler up to 1.37 does not preempt for this: with --answer=best it knows resources and host ports only"},"nodes":[]})");
}

}  // namespace
}  // namespace winnow::test::json_test
