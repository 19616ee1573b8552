#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
#include "predicates/records.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::node_affinity_test {
namespace {

const char* const kRefused = "unresolvable: node(s) didn't match Pod's node affinity/selector";
const char* const kEnforced = "unresolvable: node(s) didn't match scheduler-enforced node affinity";
const char* const kConflict = "unresolvable: pod affinity terms conflict";

const SelectorRequirement kSsd{"disk", "In", {"ssd"}};
const SelectorRequirement kHdd{"disk", "In", {"hdd"}};

SelectorRequirement named(std::vector<std::string> names) {
  return {"metadata.name", "In", std::move(names)};
}

NodeAffinityArgs adds(std::vector<NodeSelectorTerm> terms) {
  return {NodeAffinity{NodeSelector{std::move(terms)}, {}}};
}

/// An affinity that is present and has no terms.
Pod requires_none() {
  Pod none = pod("web");
  none.spec.affinity.emplace().node_affinity.emplace().required.emplace();
  return none;
}

std::unique_ptr<const Predicate> bound(const View& view, const Pod& asked, const Arguments& arguments = {},
                                       bool pre_filters = true) {
  return predicates::find_plugin("NodeAffinity")
      ->bind({asked, view, {}, Accounting::kToday, pre_filters}, arguments);
}

}  // namespace

TEST_CASE("NodeAffinity: nodeSelector") {
  const Node a = node("a").label("disk", "ssd").label("empty", "").label("odd", "a b");
  const Placement rows[] = {
      {"nothing asked", pod("web"), a, {}, "fits"},
      {"a pair that is there", pod("web").selects_nodes("disk", "ssd"), a, {}, "fits"},
      {"another value", pod("web").selects_nodes("disk", "hdd"), a, {}, kRefused},
      {"no such label", pod("web").selects_nodes("zone", ""), a, {}, kRefused},
      {"an empty value is a value", pod("web").selects_nodes("empty", ""), a, {}, "fits"},
      {"every pair must be there",
       pod("web").selects_nodes("disk", "ssd").selects_nodes("zone", "z"),
       a,
       {},
       kRefused},
      {"pairs are not validated: matches", pod("web").selects_nodes("odd", "a b"), a, {}, "fits"},
      {"pairs are not validated: does not", pod("web").selects_nodes("disk", "a b"), a, {}, kRefused},
      {"and the affinity, one fails",
       pod("web").selects_nodes("disk", "ssd").requires_nodes({kHdd}),
       a,
       {},
       kRefused},
      {"and the affinity, the other fails",
       pod("web").selects_nodes("disk", "hdd").requires_nodes({kSsd}),
       a,
       {},
       kRefused},
      {"and the affinity, both match",
       pod("web").selects_nodes("disk", "ssd").requires_nodes({kSsd}),
       a,
       {},
       "fits"},
  };
  check_plugin_verdicts("NodeAffinity", rows);
}

TEST_CASE("NodeAffinity: terms") {
  const Node a = node("a").label("disk", "ssd").label("cores", "08").label("debt", "-3");
  const Placement rows[] = {
      {"terms are ORed", pod("web").requires_nodes({kHdd}).requires_nodes({kSsd}), a, {}, "fits"},
      {"requirements are ANDed", pod("web").requires_nodes({kHdd, kSsd}), a, {}, kRefused},
      {"no terms match nothing", requires_none(), a, {}, kRefused},
      {"an empty term matches nothing", pod("web").requires_nodes({}), a, {}, kRefused},
      {"an empty term beside one that matches",
       pod("web").requires_nodes({}).requires_nodes({kSsd}),
       a,
       {},
       "fits"},
      {"08 is 8", pod("web").requires_nodes({{"cores", "Gt", {"7"}}}), a, {}, "fits"},
      {"a plus sign is no label value",
       pod("web").requires_nodes({{"cores", "Gt", {"+7"}}}),
       a,
       {},
       kRefused},
      {"nor is a minus sign", pod("web").requires_nodes({{"cores", "Gt", {"-1"}}}), a, {}, kRefused},
      {"a node's label may be negative", pod("web").requires_nodes({{"debt", "Lt", {"0"}}}), a, {}, "fits"},
      {"a number that is none", pod("web").requires_nodes({{"cores", "Gt", {"x"}}}), a, {}, kRefused},
      {"a label that is no number", pod("web").requires_nodes({{"disk", "Lt", {"9"}}}), a, {}, kRefused},
      {"Gt needs the key", pod("web").requires_nodes({{"zone", "Gt", {"0"}}}), a, {}, kRefused},
      {"NotIn does not need the key", pod("web").requires_nodes({{"zone", "NotIn", {"z"}}}), a, {}, "fits"},
      {"DoesNotExist", pod("web").requires_nodes({{"zone", "DoesNotExist", {}}}), a, {}, "fits"},
      {"In of nothing does not parse", pod("web").requires_nodes({{"disk", "In", {}}}), a, {}, kRefused},
      {"an operator that nobody knows",
       pod("web").requires_nodes({{"disk", "in", {"ssd"}}}),
       a,
       {},
       kRefused},
      {"a term that does not parse beside one that matches",
       pod("web").requires_nodes({{"cores", "Gt", {"x"}}}).requires_nodes({kSsd}),
       a,
       {},
       "fits"},
      {"a requirement that does not parse beside one that matches",
       pod("web").requires_nodes({kSsd, {"cores", "Gt", {"x"}}}),
       a,
       {},
       kRefused},
  };
  check_plugin_verdicts("NodeAffinity", rows);
}

TEST_CASE("NodeAffinity: fields") {
  const Node a = node("a").label("disk", "ssd").label("metadata.name", "b");
  const Placement rows[] = {
      {"by name", pod("web").requires_nodes({}, {named({"a"})}), a, {}, "fits"},
      {"another name", pod("web").requires_nodes({}, {named({"b"})}), a, {}, kRefused},
      {"not by name", pod("web").requires_nodes({}, {{"metadata.name", "NotIn", {"b"}}}), a, {}, "fits"},
      {"not this name", pod("web").requires_nodes({}, {{"metadata.name", "NotIn", {"a"}}}), a, {}, kRefused},
      {"labels and fields are ANDed", pod("web").requires_nodes({kHdd}, {named({"a"})}), a, {}, kRefused},
      {"both match", pod("web").requires_nodes({kSsd}, {named({"a"})}), a, {}, "fits"},
      {"two names in one requirement do not parse",
       pod("web").requires_nodes({}, {named({"a", "b"})}),
       a,
       {},
       kRefused},
      {"no other field has a value: In",
       pod("web").requires_nodes({}, {{"spec.unschedulable", "In", {"false"}}}),
       a,
       {},
       kRefused},
      {"no other field has a value: In of the empty one",
       pod("web").requires_nodes({}, {{"spec.unschedulable", "In", {""}}}),
       a,
       {},
       "fits"},
      {"no other field has a value: NotIn",
       pod("web").requires_nodes({}, {{"metadata.uid", "NotIn", {"1"}}}),
       a,
       {},
       "fits"},
      {"fields know no other operators",
       pod("web").requires_nodes({}, {{"metadata.name", "Exists", {}}}),
       a,
       {},
       kRefused},
      {"two names in one term conflict",
       pod("web").requires_nodes({}, {named({"a"}), named({"b"})}),
       a,
       {},
       kConflict},
      {"In of no name at all conflicts", pod("web").requires_nodes({}, {named({})}), a, {}, kConflict},
      {"a conflict in every term",
       pod("web").requires_nodes({kSsd}, {named({"a"}), named({"b"})}).requires_nodes({}, {named({})}),
       a,
       {},
       kConflict},
      {"a conflict in one of two terms",
       pod("web").requires_nodes({}, {named({"a"}), named({"b"})}).requires_nodes({}, {named({"a"})}),
       a,
       {},
       "fits"},
      {"a conflict, and a term that names no node",
       pod("web").requires_nodes({}, {named({"a"}), named({"b"})}).requires_nodes({kHdd}),
       a,
       {},
       kRefused},
      {"NotIn does not make a conflict",
       pod("web").requires_nodes({}, {named({"a"}), {"metadata.name", "NotIn", {"a"}}}),
       a,
       {},
       kRefused},
      {"the conflict comes before nodeSelector",
       pod("web").selects_nodes("disk", "hdd").requires_nodes({}, {named({"a"}), named({"b"})}),
       a,
       {},
       kConflict},
  };
  check_plugin_verdicts("NodeAffinity", rows);
}

TEST_CASE("NodeAffinity: what the configuration adds is asked first") {
  const Node a = node("a").label("disk", "ssd");
  const Placement hdd[] = {
      {"a pod that asks for nothing", pod("web"), a, {}, kEnforced},
      {"a pod that would match", pod("web").requires_nodes({kSsd}), a, {}, kEnforced},
      {"a pod that would not", pod("web").requires_nodes({kHdd}), a, {}, kEnforced},
      {"a conflict comes before",
       pod("web").requires_nodes({}, {named({"a"}), named({"b"})}),
       a,
       {},
       kConflict},
  };
  check_plugin_verdicts("NodeAffinity", hdd, adds({{{kHdd}, {}}}));
  const Placement ssd[] = {
      {"a pod that asks for nothing", pod("web"), a, {}, "fits"},
      {"a pod that does not match", pod("web").requires_nodes({kHdd}), a, {}, kRefused},
      {"a node that does not", pod("web"), node("b"), {}, kEnforced},
  };
  check_plugin_verdicts("NodeAffinity", ssd, adds({{{kHdd}, {}}, {{kSsd}, {}}}));
  const Placement by_name[] = {{"names that are added", pod("web"), a, {}, "fits"},
                               {"and another node", pod("web"), node("b"), {}, kEnforced}};
  check_plugin_verdicts("NodeAffinity", by_name, adds({{{}, {named({"a"})}}}));
  const Placement none[] = {{"no terms match nothing", pod("web"), a, {}, kEnforced}};
  check_plugin_verdicts("NodeAffinity", none, adds({}));
}

TEST_CASE("NodeAffinity: the nodes that are left before any is looked at") {
  using Names = std::vector<std::string>;
  State state(kPlugins);
  const View view(state);
  struct Row {
    const char* sentence;
    Pod pod;
    std::optional<Names> left;
  };
  const Row rows[] = {
      {"labels alone leave all", pod("web").requires_nodes({kSsd}), {}},
      {"no terms leave all", requires_none(), {}},
      {"an empty term leaves all", pod("web").requires_nodes({}), {}},
      {"a name", pod("web").requires_nodes({}, {named({"b"})}), Names{"b"}},
      {"a name beside labels", pod("web").requires_nodes({kSsd}, {named({"b"})}), Names{"b"}},
      {"terms add up, sorted",
       pod("web").requires_nodes({}, {named({"b"})}).requires_nodes({}, {named({"a"})}), Names{"a", "b"}},
      {"also of a term that does not parse", pod("web").requires_nodes({}, {named({"b", "a", "b"})}),
       Names{"a", "b"}},
      {"in a term they intersect", pod("web").requires_nodes({}, {named({"a", "b"}), named({"b", "c"})}),
       Names{"b"}},
      {"one term without a name leaves all",
       pod("web").requires_nodes({}, {named({"b"})}).requires_nodes({kSsd}),
       {}},
      {"NotIn leaves all", pod("web").requires_nodes({}, {{"metadata.name", "NotIn", {"a"}}}), {}},
      {"another field leaves all", pod("web").requires_nodes({}, {{"metadata.uid", "In", {"a"}}}), {}},
      {"a label of that name leaves all", pod("web").requires_nodes({named({"a"})}), {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto rule = bound(view, row.pod);
    REQUIRE(rule);
    CHECK_FALSE(rule->refuses_pod());
    CHECK((rule->only() ? std::optional(*rule->only()) : std::nullopt) == row.left);
  }
}

TEST_CASE("NodeAffinity is skipped where nothing is asked") {
  State state(kPlugins);
  const View view(state);
  CHECK_FALSE(bound(view, pod("web")));
  CHECK_FALSE(bound(view, pod("web").prefers_nodes(1, {kSsd})));
  CHECK_FALSE(bound(view, pod("web"), NodeAffinityArgs{NodeAffinity{}}));
  CHECK(bound(view, requires_none()));
  CHECK(bound(view, pod("web").selects_nodes("a", "b")));
  CHECK(bound(view, pod("web"), adds({})));
}

TEST_CASE("NodeAffinity without PreFilter: a conflict is a term that does not match, on every node") {
  State state(kPlugins);
  state.set_node(node("a"));
  const View view(state);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Pod web = pod("web").requires_nodes({}, {named({"a"}), named({"b"})});
  CHECK(bound(view, web)->refuses_pod());
  const auto rule = bound(view, web, {}, /*pre_filters=*/false);
  CHECK_FALSE(rule->refuses_pod());
  CHECK_FALSE(rule->only());
  Verdict verdict;
  rule->map(nodes, {&verdict, 1});
  CHECK(verdict == Verdict::of(Fit::kUnresolvable, 2));
  CHECK(rule->reasons()[1] == "node(s) didn't match Pod's node affinity/selector");
}

}  // namespace winnow::test::node_affinity_test
