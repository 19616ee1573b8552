// What an operator sees.
#include "extender/explain/table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/extender/explain/examples.h"

namespace winnow::test::table_test {
namespace {

std::string table(const Explanation& explanation, const TableOptions& options = {}) {
  std::string out = "\n";  // So that a golden text may start on a line of its own.
  append_table(out, explanation, options);
  return out;
}

std::string headline(const Explanation& explanation, const TableOptions& options = {}) {
  std::string out;
  append_headline(out, explanation, options);
  return out;
}

NodeExplanation scored(const std::string& name, std::int64_t spread, std::int64_t affinity,
                       std::int64_t answer) {
  return fitting(
      name,
      {gives("SelectorSpreadPriority", spread), gives("LeastRequestedPriority", 9),
       gives("NodePreferAvoidPodsPriority", 10, 10000), gives("NodeAffinityPriority", affinity, 2)},
      answer);
}

Explanation mixed() {
  const FilterEntry full = refuses("GeneralPredicates", {"Insufficient cpu", "Insufficient memory"});
  return pod(
      "default/web-1", "n2",
      {scored("n1", 7, 10, 10), scored("n2", 7, 10, 10), refused("n3", {no_cpu(), passes("EvenPodsSpread")}),
       refused("n4", {full, tainted()}), scored("n5", 3, 0, 0)});
}

Explanation nowhere() {
  return pod(
      "default/web-1", {},
      {refused("n1", {no_cpu(), passes("PodToleratesNodeTaints")}), refused("n2", {no_cpu(), tainted()}),
       refused("n3", {no_cpu(), passes("PodToleratesNodeTaints")}),
       refused("n4", {passes("GeneralPredicates"), tainted()}),
       refused("n5", {passes("GeneralPredicates"), tainted()})});
}

TEST_CASE("explain table: some nodes fit and some do not") {
  CHECK(table(mixed()) == R"(
default/web-1 → n2 (3 of 5 nodes fit)

  NODE   TOTAL  ANSWER  SelectorSpreadPriority  NodeAffinityPriority
= n1    100036      10                       7                  10×2
* n2    100036      10                       7                  10×2
  n5    100012       0                       3                   0×2

  2 nodes tie at 100036 (* and =)
  the same for every node: LeastRequestedPriority 9, NodePreferAvoidPodsPriority
    10×10000

2 nodes do not fit, by the first rule that fails:
  1 node   GeneralPredicates: Insufficient cpu
           eviction might help
           n3
  1 node   GeneralPredicates: Insufficient cpu, Insufficient memory
           also fails PodToleratesNodeTaints; eviction cannot help
           n4
)");
}

TEST_CASE("explain table: a pod that fits nowhere, in kube-scheduler's words") {
  CHECK(table(nowhere()) == R"(
default/web-1: 0/5 nodes are available: 2 node(s) had taints that the pod didn't
  tolerate, 3 Insufficient cpu.

5 nodes do not fit, by the first rule that fails:
  2 nodes  PodToleratesNodeTaints: node(s) had taints that the pod didn't
           tolerate
           eviction cannot help
           n4, n5
  3 nodes  GeneralPredicates: Insufficient cpu
           also fails PodToleratesNodeTaints (1 of them); eviction might help on
           2 of them
           n1, n2, n3
)");
}

TEST_CASE("explain table: an error") {
  Explanation broken =
      pod("default/db-0", {}, {refused("n1", {breaks("CheckVolumeBinding", "no such claim")})});
  broken.error = "persistentvolumeclaim \"data\" not found";
  CHECK(table(broken) == R"(
default/db-0: error: persistentvolumeclaim "data" not found

1 node does not fit, by the first rule that fails:
  1 node   CheckVolumeBinding: error: no such claim
           n1
)");
  broken.nodes = {fitting("n1", {}), fitting("n2", {})};
  CHECK(table(broken) == R"(
default/db-0: error: persistentvolumeclaim "data" not found

Nodes that every rule accepts, but for the error:
  n1, n2
)");
}

TEST_CASE("explain table: the only node that fits, which could not be scored") {
  NodeExplanation only = fitting("n1", {});
  only.scored = false;
  only.score_error = {"NodeAffinityPriority", "\"a\" is no number"};
  CHECK(table(pod("default/web-1", "n1", {only, refused("n2", {no_cpu()})})) == R"(
default/web-1 → n1 (1 of 2 nodes fits)

  NODE  TOTAL  ANSWER
* n1        -       -

  not scored, and the only node that fits: NodeAffinityPriority: error: "a" is
    no number

1 node does not fit, by the first rule that fails:
  1 node   GeneralPredicates: Insufficient cpu
           eviction might help
           n2
)");
}

TEST_CASE("explain table: a pod that has a node, and where it would go now") {
  Explanation runs = mixed();
  runs.node = "n5";
  CHECK(headline(runs) == "default/web-1 is on n5; asked anew it would go to n2 (3 of 5 nodes fit)\n");
  runs.node = "n2";
  CHECK(headline(runs) == "default/web-1 is on n2; asked anew it would go there again (3 of 5 nodes fit)\n");
  runs = nowhere();
  runs.node = "n1";
  CHECK(headline(runs, {.width = 0}) ==
        "default/web-1 is on n1; asked anew it would fit nowhere now: 0/5 nodes are available: 2 node(s) had "
        "taints that the pod didn't tolerate, 3 Insufficient cpu.\n");
  runs.error = "no claim";
  CHECK(headline(runs) == "default/web-1 is on n1: error: no claim\n");
}

std::vector<std::string> outlook(const Explanation& explanation, const TableOptions& options = {}) {
  std::string out;
  append_outlook(out, explanation, options);
  return lines_of(out);
}

TEST_CASE("explain table: what is under way for a pod, a sentence each") {
  using Lines = std::vector<std::string>;
  Explanation waits = nowhere();
  CHECK(outlook(waits).empty());
  waits.assumed = "n1";
  waits.nominated = "n3";
  waits.refused = {.times = 1, .seconds = 0.04};
  waits.preemption = {.message = "not eligible due to preemptionPolicy=Never."};
  CHECK(outlook(waits) == Lines{"  On its way to n1.", "  Nominated for n3.", "  Refused 0.0 s ago.",
                                "  preemption: not eligible due to preemptionPolicy=Never."});
  waits = nowhere();
  waits.not_nominated = "it has resource claims, which are not judged";
  CHECK(outlook(waits) == Lines{"  Not nominated: it has resource claims, which are not judged."});
  waits = nowhere();
  waits.refused = {.times = 3, .seconds = 12.34, .would_fit_on = "n2", .would_fit_seconds = 8.06};
  waits.preemption = {.node = "n2", .victims = {"default/low-1", "default/low-2"}, .violations = 1};
  const Lines lines = {"  Refused 3 times in a row, the last time 12.3 s ago. For 8.1 s it would have",
                       "    fitted on n2.",
                       "  preemption: by these rules it would evict default/low-1, default/low-2 on n2,",
                       "    1 of them against a disruption budget"};
  CHECK(outlook(waits) == lines);
  CHECK(table(waits).contains("3 Insufficient cpu.\n" + lines[0] + "\n"));
}

TEST_CASE("explain table: the gates that a pod waits for stand under its headline") {
  Explanation gated = mixed();
  gated.gates = {"x.dev/quota", "x.dev/wait"};
  CHECK(table(gated).contains(" fit)\n  It waits for its scheduling gates: x.dev/quota, x.dev/wait.\n\n"));
}

TEST_CASE("explain table: many victims, not all candidates, and a preemption that nobody does") {
  Explanation waits = nowhere();
  PreemptionPreview preview{.node = "n2", .judged = 100, .candidates = 1812, .in_vain = true};
  for (char c = 'a'; c <= 'l'; ++c) preview.victims.push_back(std::string("x/") + c);
  waits.preemption = preview;
  const std::string many =
      "  preemption: by these rules it would evict x/a, x/b, x/c, x/d, x/e, x/f, x/g, x/h and 4 more on n2 "
      "(100 "
      "of 1,812 nodes were asked about); kube-scheduler up to 1.37 does not preempt for this: with "
      "--answer=best it "
      "knows "
      "resources and host ports only";
  CHECK(outlook(waits, {.width = 0}) == std::vector{many});
  CHECK(outlook(waits, {.width = 0, .all_nodes = true})[0].contains("x/k, x/l on n2"));
}

TEST_CASE("explain table: one node fits") {
  ScoreEntry skipped = gives("TaintToleration", 0, 3);
  skipped.skipped = true;
  CHECK(table(pod("a/b", "n1", {fitting("n1", {gives("NodeAffinity", 40, 2), skipped}, 10)})) == R"(
a/b → n1 (1 of 1 node fits)

  NODE  TOTAL  ANSWER
* n1       80      10

  scores: NodeAffinity 40×2
  nothing to say about this pod: TaintToleration
)");
}

TEST_CASE("explain table: no nodes, and nodes that no rule refused") {
  CHECK(table(pod("a/b", {}, {})) == "\na/b: no nodes available to schedule pods\n");
  CHECK(table(pod("a/b", {}, {refused("n1", {})})).contains("  1 node   no rule says why\n           n1\n"));
}

TEST_CASE("explain table: the headline") {
  CHECK(headline(mixed()) == "default/web-1 → n2 (3 of 5 nodes fit)\n");
  const std::string taints = "node(s) had taints that the pod didn't tolerate";
  CHECK(headline(nowhere(), {.width = 0}) ==
        "default/web-1: 0/5 nodes are available: 2 " + taints + ", 3 Insufficient cpu.\n");
  CHECK(headline(nowhere(), {.width = 0, .every_failure = true}) ==
        "default/web-1: 0/5 nodes are available: 3 Insufficient cpu, 3 " + taints + ".\n");
}

TEST_CASE("explain table: counts are sorted as texts") {
  std::vector<NodeExplanation> nodes(10, refused("n", {no_cpu()}));
  nodes.push_back(refused("m", {tainted()}));
  nodes.push_back(refused("m", {tainted()}));
  CHECK(headline(pod("a/b", {}, nodes), {.width = 0}) ==
        "a/b: 0/12 nodes are available: 10 Insufficient cpu, 2 node(s) had taints that the pod didn't "
        "tolerate.\n");
}

TEST_CASE("explain table: 5,000 nodes fit a screen") {
  const std::string text = table(large_cluster());
  CHECK(lines_of(text).size() <= 50);
  CHECK(widest_line(text) <= 80);
  CHECK(text.contains("… and 990 more feasible nodes, totals 100008 to 100020"));
  CHECK(text.contains(
      "* ip-10-0-1945  100020"));  // Selected among the 35 that tie, though not of the first ten.
  CHECK(text.ends_with("\nNames of nodes end in .eu-west-1.compute.internal.\n"));
  CHECK(text.contains("  1,084 nodes  GeneralPredicates: Insufficient cpu, Insufficient memory\n"));
  CHECK(lines_of(table(large_cluster(), {.width = 0})).size() <= 40);
  CHECK(widest_line(table(large_cluster(), {.width = 200})) <= 200);
}

TEST_CASE("explain table: all nodes if one asks for them") {
  const std::string text = table(large_cluster(), {.all_nodes = true});
  CHECK(widest_line(text) <= 80);
  CHECK_FALSE(text.contains("more"));
  CHECK(text.contains(" ip-10-0-4999\n"));
}

TEST_CASE("explain table: what all names share is left out at every width, and said once") {
  Explanation waits = nowhere();
  for (NodeExplanation& node : waits.nodes) node.name += ".eu-west-1.compute.internal";
  waits.node = "n1.eu-west-1.compute.internal";
  waits.preemption = {.node = "n2.eu-west-1.compute.internal", .victims = {"default/low"}};
  waits.help.suggestions = {
      {.change = {.kind = "uncordon", .fields = {}}, .node = "n3.eu-west-1.compute.internal", .nodes = 1}};
  for (const int width : {0, 60, 80, 200}) {
    CAPTURE(width);
    const std::string text = table(waits, {.width = width});
    std::string words = text;  // Lines are broken where the width wants it.
    std::ranges::replace(words, '\n', ' ');
    CHECK(words.contains(" n2 "));
    CHECK(words.contains(" n1, n2, n3 "));
    CHECK(words.contains("uncordon n3"));
    std::size_t told = 0;  // In the headline, which is to be copied, and in the note.
    for (std::size_t at = 0; (at = text.find(".compute.internal", at)) != std::string::npos; ++at) ++told;
    CHECK(told == 2);
  }
}

TEST_CASE("explain table: 12 nodes × 8 priorities") {
  const Explanation explanation = many_priorities();
  CHECK(table(explanation, {.width = 60}) == R"(
shop/checkout-7d9f → worker-03 (12 of 12 nodes fit)

                             Selector  NodePrefer      Node
  NODE        TOTAL  ANSWER    Spread   AvoidPods  Affinity
* worker-03  100056       3        10    10×10000      10×2
  worker-07  100053       7         5    10×10000      10×2
  worker-09  100052       9         8    10×10000      10×2
  worker-01  100050       1         7    10×10000      10×2
  worker-05  100047       5         2    10×10000      10×2
  worker-11  100039       0         0    10×10000      10×2
  worker-06  100034       6         9    10×10000       0×2
  worker-10  100031      10         4    10×10000       0×2
  worker-02  100029       2         3    10×10000       0×2
  worker-08  100025       8         1    10×10000       0×2
  worker-00  100020       0         0    10×10000       0×2
  worker-04      28       4         6     0×10000       0×2

  +5 more (use -o json or --width): LeastRequestedPriority,
    BalancedResourceAllocation, ImageLocalityPriority,
    TaintTolerationPriority, InterPodAffinityPriority
)");
  for (int width = 1; width <= 240; ++width) {
    CAPTURE(width);
    CHECK(widest_line(table(explanation, {.width = width})) <= static_cast<std::size_t>(std::max(width, 40)));
  }
  CHECK_FALSE(table(explanation, {.width = 120}).contains("-o json"));
  CHECK(table(explanation, {.width = 0}).contains("  NodePreferAvoidPodsPriority  NodeAffinityPriority  "));
}

TEST_CASE("explain table: the node selected is shown, and that it is not the best") {
  Explanation explanation = many_priorities();
  explanation.selected = "worker-04";
  const std::string text = table(explanation, {.max_nodes = 2});
  CHECK(text.contains("  worker-03  100056"));
  CHECK(text.contains("* worker-04      28"));
  CHECK(text.contains("… and 10 more feasible nodes, totals 100020 to 100053\n"));
  CHECK(text.contains("* was selected although its total is not the highest"));
}

TEST_CASE("explain table: very long names, of nodes and of everything else") {
  const std::string longest(253, 'x');
  Explanation explanation = pod(longest + "/" + longest, "a" + longest, {});
  for (std::int64_t i = 0; i < 3; ++i) {
    explanation.nodes.push_back(fitting(numbered("a", static_cast<std::size_t>(i), 1) + longest,
                                        {gives(longest, i), gives("LeastRequestedPriority", i * 3)}));
  }
  explanation.nodes.push_back(refused(longest, {refuses(longest, {longest, "Insufficient " + longest})}));
  for (const int width : {40, 60, 80, 200}) {
    CAPTURE(width);
    CHECK(widest_line(table(explanation, {.width = width})) <= static_cast<std::size_t>(width));
  }
}

TEST_CASE("explain table: many reasons") {
  std::vector<NodeExplanation> nodes;
  for (std::size_t i = 0; i < 100; ++i) {
    nodes.push_back(refused(numbered("n", i, 3), {refuses("NodeAffinity", {"reason " + std::to_string(i)})}));
  }
  const Explanation explanation = pod("a/b", {}, nodes);
  CHECK(table(explanation).contains("\n  … and 88 nodes more, for 88 other reasons\n"));
  CHECK_FALSE(table(explanation, {.all_nodes = true}).contains("more"));
}

TEST_CASE("explain table: colour only where it is wanted") {
  for (const Explanation& explanation : {mixed(), nowhere(), large_cluster()}) {
    CHECK_FALSE(table(explanation).contains('\x1b'));
    std::string coloured = table(explanation, {.colour = true});
    CHECK(coloured.contains("\x1b["));
    for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
      coloured.erase(at, coloured.find('m', at) + 1 - at);
    }
    CHECK(coloured == table(explanation));
  }
}

TEST_CASE("explain table: names align by character, and cannot steer the terminal") {
  const std::string text = table(pod("a/b\x1b[2J", "nœud-é",
                                     {fitting("node-1", {gives("A", 1)}), fitting("nœud-é", {gives("A", 2)}),
                                      refused("x\xff\ny", {refuses("R", {"\x1b]0;title\x07"})})}));
  CHECK(text == R"(
a/b�[2J → nœud-é (2 of 3 nodes fit)

  NODE    TOTAL  ANSWER  A
* nœud-é      2       0  2
  node-1      1       0  1

1 node does not fit, by the first rule that fails:
  1 node   R: �]0;title�
           eviction might help
           x� y
)");
}

}  // namespace
}  // namespace winnow::test::table_test
