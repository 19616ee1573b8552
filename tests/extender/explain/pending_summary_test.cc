// What keeps pods out that wait: the nearest nodes decide, of one pod and in the sum.
#include "extender/explain/pending_summary.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "extender/explain/explanation_json.h"
#include "extender/explain/table.h"
#include "tests/extender/explain/examples.h"

namespace winnow::test::pending_summary_test {
namespace {

using Lines = std::vector<std::string>;

FilterEntry kept_out_for(std::string rule, Cause cause, bool resolvable = false) {
  FilterEntry entry = refuses(std::move(rule), {"a reason of " + cause.kind}, resolvable);
  entry.causes = {std::move(cause)};
  return entry;
}

Cause lack(const std::string& resource, const std::string& wanted) {
  Cause cause{"resource"};
  return cause.with("resource", resource).with("wanted", wanted).with("free", "1").with("allocatable", "2");
}

Cause other_pool() {
  Cause cause{"label"};
  return cause.with("key", "pool").with("operator", "In").with("from", "nodeSelector");
}

/// Twenty nodes of another pool, three with a taint, and two of the pool that lack cpu.
Explanation of_pool(std::string pod, const std::string& cpu) {
  Explanation told;
  told.pod = std::move(pod);
  for (int i = 10; i < 30; ++i)
    told.nodes.push_back(refused("general-" + std::to_string(i),
                                 {passes("Taints"), kept_out_for("Affinity", other_pool()), passes("Fit")}));
  for (const char* const name : {"own-1", "own-2"})
    told.nodes.push_back(
        refused(name, {passes("Taints"), passes("Affinity"), kept_out_for("Fit", lack("cpu", cpu), true)}));
  for (const char* const name : {"tainted-1", "tainted-2", "tainted-3"})
    told.nodes.push_back(
        refused(name, {kept_out_for("Taints", Cause{"taint"}.with("taint", "a=b:NoSchedule")),
                       kept_out_for("Affinity", other_pool()), passes("Fit")}));
  told.kept_out = kept_out(told);
  return told;
}

Lines summed(const PendingSummary& summary) {
  Lines lines;
  for (const PendingSum& sum : summary.sums()) lines.push_back(sum.text);
  return lines;
}

TEST_CASE("the nodes that a pod asks for are nearest, though most nodes refuse it for a label") {
  const Explanation told = of_pool("shop/web", "6");
  REQUIRE(told.kept_out);
  CHECK(told.kept_out->nodes == 2);
  CHECK(to_text(*told.kept_out) == "lacks cpu (Fit)");
  const std::vector<FailureGroup> groups = group_failures(told);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].rule == "Fit");
  CHECK(groups[0].nearest.size() == 2);
  CHECK(groups[1].rule == "Affinity");
  CHECK(groups[1].nearest.empty());
  CHECK(groups[2].rule == "Taints");
}

TEST_CASE("all that refuses the nearest nodes is told, with facts") {
  Explanation told;
  told.pod = "data/olap";
  told.nodes.push_back(
      refused("memory-1", {kept_out_for("Taints", Cause{"taint"}.with("taint", "a=b:NoSchedule")),
                           kept_out_for("Fit", lack("memory", "80Gi"))}));
  told.kept_out = kept_out(told);
  CHECK(to_text(*told.kept_out) == "meets a taint that it does not tolerate, and lacks memory (Taints, Fit)");
  std::string out;
  append_table(out, told, {});
  CHECK_MESSAGE(out.contains("also Fit: wants 80Gi memory: none of them is large enough"), out);
}

TEST_CASE("the summary counts pods by what keeps them out, and says what they ask for") {
  PendingSummary summary;
  summary.add(of_pool("shop/a", "6"));
  summary.add(of_pool("shop/b", "1500m"));
  Explanation fits;
  fits.feasible = 1;
  summary.add(fits);
  Explanation waits;
  waits.gates = {"g"};
  summary.add(waits);
  CHECK(summed(summary) == Lines{"2 of 4 pending pods lack cpu (Fit); together they ask for 7500m cpu",
                                 "1 of 4 pending pods fits somewhere",
                                 "1 of 4 pending pods waits for a scheduling gate"});
}

TEST_CASE("what keeps a pod out is read back from JSON, where the nodes may be left out") {
  std::string json;
  append_json(json, of_pool("shop/web", "6"));
  CHECK_MESSAGE(
      json.contains(R"x("keptOut":{"nodes":2,"text":"lacks cpu (Fit)","obstacles":[{"rule":"Fit","cause":)x"
                    R"x({"kind":"resource","resource":"cpu","wanted":"6"}}]})x"),
      json);
  const auto read = read_explanation(json);
  REQUIRE(read);
  CHECK(to_text(*read->kept_out) == "lacks cpu (Fit)");
}

TEST_CASE("among other pods only the nearest nodes are told in full") {
  std::string out;
  append_table(out, of_pool("shop/web", "6"), {.brief = true});
  CHECK_MESSAGE(out.contains("   2 nodes  Fit: a reason of resource"), out);
  CHECK_MESSAGE(out.contains("  23 nodes are farther from taking it: 20 Affinity, 3 Taints\n"), out);
  CHECK_FALSE(out.contains("general-10"));
  std::string whole;
  append_table(whole, of_pool("shop/web", "6"), {.all_nodes = true, .brief = true});
  CHECK(whole.contains("general-10"));
}

}  // namespace
}  // namespace winnow::test::pending_summary_test
