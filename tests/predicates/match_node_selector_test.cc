#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const char* const kNotSelected = "unresolvable: node(s) didn't match node selector";
const Node kLabelledNode = node("a")
                               .label("disk", "ssd")
                               .label("cores", "8")
                               .label("padded", "08")
                               .label("below", "-3")
                               .label("empty", "")
                               .label("word", "x");
const SelectorRequirement kIsSsd{"disk", "In", {"hdd", "ssd"}};
const SelectorRequirement kIsHdd{"disk", "In", {"hdd"}};
const SelectorRequirement kIsA{"metadata.name", "In", {"a"}};
const SelectorRequirement kIsB{"metadata.name", "In", {"b"}};

Pod without_terms() {
  Pod made = pod("web").requires_nodes({});
  made.spec.affinity->node_affinity->required->terms.clear();
  return made;
}

}  // namespace

TEST_CASE("MatchNodeSelector: the nodeSelector") {
  const Placement rows[] = {
      {"nothing asked", pod("web"), kLabelledNode, {}, "fits"},
      {"nodeSelector", pod("web").selects_nodes("disk", "ssd"), kLabelledNode, {}, "fits"},
      {"another value", pod("web").selects_nodes("disk", "hdd"), kLabelledNode, {}, kNotSelected},
      {"a value that nobody has", pod("web").selects_nodes("disk", "tape"), kLabelledNode, {}, kNotSelected},
      {"a key that nobody has", pod("web").selects_nodes("unheard-of", ""), kLabelledNode, {}, kNotSelected},
      {"an empty value", pod("web").selects_nodes("empty", ""), kLabelledNode, {}, "fits"},
      {"all pairs must match",
       pod("web").selects_nodes("disk", "ssd").selects_nodes("cores", "9"),
       kLabelledNode,
       {},
       kNotSelected},
      {"an invalid value matches every node",
       pod("web").selects_nodes("disk", "not valid"),
       kLabelledNode,
       {},
       "fits"},
      {"and spoils the valid pairs beside it",
       pod("web").selects_nodes("disk", "hdd").selects_nodes("x", "-"),
       kLabelledNode,
       {},
       "fits"},
  };
  check_verdicts("MatchNodeSelector", rows);
}

TEST_CASE("MatchNodeSelector: operators on labels") {
  const Placement rows[] = {
      {"affinity without required terms", pod("web").prefers_nodes(1, {kIsHdd}), kLabelledNode, {}, "fits"},
      {"required, and no terms", without_terms(), kLabelledNode, {}, kNotSelected},
      {"an empty term", pod("web").requires_nodes({}), kLabelledNode, {}, kNotSelected},
      {"an empty term beside one that matches",
       pod("web").requires_nodes({}).requires_nodes({kIsSsd}),
       kLabelledNode,
       {},
       "fits"},
      {"In", pod("web").requires_nodes({kIsSsd}), kLabelledNode, {}, "fits"},
      {"In, another value", pod("web").requires_nodes({kIsHdd}), kLabelledNode, {}, kNotSelected},
      {"In needs the key",
       pod("web").requires_nodes({{"unheard-of", "In", {""}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"NotIn, another value",
       pod("web").requires_nodes({{"disk", "NotIn", {"hdd"}}}),
       kLabelledNode,
       {},
       "fits"},
      {"NotIn, its value",
       pod("web").requires_nodes({{"disk", "NotIn", {"hdd", "ssd"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"NotIn without the key",
       pod("web").requires_nodes({{"unheard-of", "NotIn", {"x"}}}),
       kLabelledNode,
       {},
       "fits"},
      {"Exists", pod("web").requires_nodes({{"empty", "Exists", {}}}), kLabelledNode, {}, "fits"},
      {"Exists without the key",
       pod("web").requires_nodes({{"unheard-of", "Exists", {}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"DoesNotExist",
       pod("web").requires_nodes({{"unheard-of", "DoesNotExist", {}}}),
       kLabelledNode,
       {},
       "fits"},
      {"DoesNotExist with the key",
       pod("web").requires_nodes({{"empty", "DoesNotExist", {}}}),
       kLabelledNode,
       {},
       kNotSelected},
  };
  check_verdicts("MatchNodeSelector", rows);
}

TEST_CASE("MatchNodeSelector: numbers") {
  const Placement rows[] = {
      {"8 > 7", pod("web").requires_nodes({{"cores", "Gt", {"7"}}}), kLabelledNode, {}, "fits"},
      {"8 > 8 is not", pod("web").requires_nodes({{"cores", "Gt", {"8"}}}), kLabelledNode, {}, kNotSelected},
      {"8 < 9", pod("web").requires_nodes({{"cores", "Lt", {"9"}}}), kLabelledNode, {}, "fits"},
      {"8 < 8 is not", pod("web").requires_nodes({{"cores", "Lt", {"8"}}}), kLabelledNode, {}, kNotSelected},
      {"08 is 8: > 7", pod("web").requires_nodes({{"padded", "Gt", {"7"}}}), kLabelledNode, {}, "fits"},
      {"008 is 8: > 008 is not",
       pod("web").requires_nodes({{"cores", "Gt", {"008"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"-3 < 0", pod("web").requires_nodes({{"below", "Lt", {"0"}}}), kLabelledNode, {}, "fits"},
      {"-3 > 0 is not", pod("web").requires_nodes({{"below", "Gt", {"0"}}}), kLabelledNode, {}, kNotSelected},
      {"> -1 is invalid: never matches",
       pod("web").requires_nodes({{"cores", "Gt", {"-1"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"a word is no number",
       pod("web").requires_nodes({{"word", "Gt", {"0"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"nor less than one",
       pod("web").requires_nodes({{"word", "Lt", {"9"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"Lt without the key",
       pod("web").requires_nodes({{"unheard-of", "Lt", {"9"}}}),
       kLabelledNode,
       {},
       kNotSelected},
  };
  check_verdicts("MatchNodeSelector", rows);
}

TEST_CASE("MatchNodeSelector: terms and fields") {
  const Placement rows[] = {
      {"an invalid requirement spoils its term",
       pod("web").requires_nodes({kIsSsd, {"disk", "Gt", {"x"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"not the other terms",
       pod("web").requires_nodes({{"disk", "Gt", {"x"}}}).requires_nodes({kIsSsd}),
       kLabelledNode,
       {},
       "fits"},
      {"an unknown operator is invalid",
       pod("web").requires_nodes({{"disk", "Is", {"ssd"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"all requirements of a term",
       pod("web").requires_nodes({kIsSsd, {"cores", "In", {"9"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"terms are ORed",
       pod("web").requires_nodes({kIsHdd}).requires_nodes({kIsSsd}),
       kLabelledNode,
       {},
       "fits"},
      {"the name alone", pod("web").requires_nodes({}, {kIsA}), kLabelledNode, {}, "fits"},
      {"another name", pod("web").requires_nodes({}, {kIsB}), kLabelledNode, {}, kNotSelected},
      {"not another name",
       pod("web").requires_nodes({}, {{"metadata.name", "NotIn", {"b"}}}),
       kLabelledNode,
       {},
       "fits"},
      {"labels and name", pod("web").requires_nodes({kIsSsd}, {kIsA}), kLabelledNode, {}, "fits"},
      {"labels, but not the name",
       pod("web").requires_nodes({kIsSsd}, {kIsB}),
       kLabelledNode,
       {},
       kNotSelected},
      {"the name, but not the labels",
       pod("web").requires_nodes({kIsHdd}, {kIsA}),
       kLabelledNode,
       {},
       kNotSelected},
      {"the name, and an invalid label",
       pod("web").requires_nodes({{"cores", "Gt", {"-1"}}}, {kIsA}),
       kLabelledNode,
       {},
       kNotSelected},
      {"two names in one requirement are invalid",
       pod("web").requires_nodes({}, {{"metadata.name", "In", {"a", "b"}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"fields take no other operators",
       pod("web").requires_nodes({}, {{"metadata.name", "Exists", {}}}),
       kLabelledNode,
       {},
       kNotSelected},
      {"nodeSelector and affinity both must match",
       pod("web").selects_nodes("disk", "hdd").requires_nodes({kIsSsd}),
       kLabelledNode,
       {},
       kNotSelected},
      {"affinity too",
       pod("web").selects_nodes("disk", "ssd").requires_nodes({kIsHdd}),
       kLabelledNode,
       {},
       kNotSelected},
  };
  check_verdicts("MatchNodeSelector", rows);
}

}  // namespace winnow::test
