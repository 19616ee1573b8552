#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const char* const kRefused = "unresolvable: node(s) didn't match node selector";
const Node kNode = node("a")
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
      {"nothing asked", pod("web"), kNode, {}, "fits"},
      {"nodeSelector", pod("web").selects_nodes("disk", "ssd"), kNode, {}, "fits"},
      {"another value", pod("web").selects_nodes("disk", "hdd"), kNode, {}, kRefused},
      {"a value that nobody has", pod("web").selects_nodes("disk", "tape"), kNode, {}, kRefused},
      {"a key that nobody has", pod("web").selects_nodes("unheard-of", ""), kNode, {}, kRefused},
      {"an empty value", pod("web").selects_nodes("empty", ""), kNode, {}, "fits"},
      {"all pairs must match",
       pod("web").selects_nodes("disk", "ssd").selects_nodes("cores", "9"),
       kNode,
       {},
       kRefused},
      {"an invalid value matches every node",
       pod("web").selects_nodes("disk", "not valid"),
       kNode,
       {},
       "fits"},
      {"and spoils the valid pairs beside it",
       pod("web").selects_nodes("disk", "hdd").selects_nodes("x", "-"),
       kNode,
       {},
       "fits"},
  };
  check_verdicts("MatchNodeSelector", rows);
}

TEST_CASE("MatchNodeSelector: operators on labels") {
  const Placement rows[] = {
      {"affinity without required terms", pod("web").prefers_nodes(1, {kIsHdd}), kNode, {}, "fits"},
      {"required, and no terms", without_terms(), kNode, {}, kRefused},
      {"an empty term", pod("web").requires_nodes({}), kNode, {}, kRefused},
      {"an empty term beside one that matches",
       pod("web").requires_nodes({}).requires_nodes({kIsSsd}),
       kNode,
       {},
       "fits"},
      {"In", pod("web").requires_nodes({kIsSsd}), kNode, {}, "fits"},
      {"In, another value", pod("web").requires_nodes({kIsHdd}), kNode, {}, kRefused},
      {"In needs the key", pod("web").requires_nodes({{"unheard-of", "In", {""}}}), kNode, {}, kRefused},
      {"NotIn, another value", pod("web").requires_nodes({{"disk", "NotIn", {"hdd"}}}), kNode, {}, "fits"},
      {"NotIn, its value",
       pod("web").requires_nodes({{"disk", "NotIn", {"hdd", "ssd"}}}),
       kNode,
       {},
       kRefused},
      {"NotIn without the key",
       pod("web").requires_nodes({{"unheard-of", "NotIn", {"x"}}}),
       kNode,
       {},
       "fits"},
      {"Exists", pod("web").requires_nodes({{"empty", "Exists", {}}}), kNode, {}, "fits"},
      {"Exists without the key",
       pod("web").requires_nodes({{"unheard-of", "Exists", {}}}),
       kNode,
       {},
       kRefused},
      {"DoesNotExist", pod("web").requires_nodes({{"unheard-of", "DoesNotExist", {}}}), kNode, {}, "fits"},
      {"DoesNotExist with the key",
       pod("web").requires_nodes({{"empty", "DoesNotExist", {}}}),
       kNode,
       {},
       kRefused},
  };
  check_verdicts("MatchNodeSelector", rows);
}

TEST_CASE("MatchNodeSelector: numbers") {
  const Placement rows[] = {
      {"8 > 7", pod("web").requires_nodes({{"cores", "Gt", {"7"}}}), kNode, {}, "fits"},
      {"8 > 8 is not", pod("web").requires_nodes({{"cores", "Gt", {"8"}}}), kNode, {}, kRefused},
      {"8 < 9", pod("web").requires_nodes({{"cores", "Lt", {"9"}}}), kNode, {}, "fits"},
      {"8 < 8 is not", pod("web").requires_nodes({{"cores", "Lt", {"8"}}}), kNode, {}, kRefused},
      {"08 is 8: > 7", pod("web").requires_nodes({{"padded", "Gt", {"7"}}}), kNode, {}, "fits"},
      {"008 is 8: > 008 is not", pod("web").requires_nodes({{"cores", "Gt", {"008"}}}), kNode, {}, kRefused},
      {"-3 < 0", pod("web").requires_nodes({{"below", "Lt", {"0"}}}), kNode, {}, "fits"},
      {"-3 > 0 is not", pod("web").requires_nodes({{"below", "Gt", {"0"}}}), kNode, {}, kRefused},
      {"> -1 is invalid: never matches",
       pod("web").requires_nodes({{"cores", "Gt", {"-1"}}}),
       kNode,
       {},
       kRefused},
      {"a word is no number", pod("web").requires_nodes({{"word", "Gt", {"0"}}}), kNode, {}, kRefused},
      {"nor less than one", pod("web").requires_nodes({{"word", "Lt", {"9"}}}), kNode, {}, kRefused},
      {"Lt without the key", pod("web").requires_nodes({{"unheard-of", "Lt", {"9"}}}), kNode, {}, kRefused},
  };
  check_verdicts("MatchNodeSelector", rows);
}

TEST_CASE("MatchNodeSelector: terms and fields") {
  const Placement rows[] = {
      {"an invalid requirement spoils its term",
       pod("web").requires_nodes({kIsSsd, {"disk", "Gt", {"x"}}}),
       kNode,
       {},
       kRefused},
      {"not the other terms",
       pod("web").requires_nodes({{"disk", "Gt", {"x"}}}).requires_nodes({kIsSsd}),
       kNode,
       {},
       "fits"},
      {"an unknown operator is invalid",
       pod("web").requires_nodes({{"disk", "Is", {"ssd"}}}),
       kNode,
       {},
       kRefused},
      {"all requirements of a term",
       pod("web").requires_nodes({kIsSsd, {"cores", "In", {"9"}}}),
       kNode,
       {},
       kRefused},
      {"terms are ORed", pod("web").requires_nodes({kIsHdd}).requires_nodes({kIsSsd}), kNode, {}, "fits"},
      {"the name alone", pod("web").requires_nodes({}, {kIsA}), kNode, {}, "fits"},
      {"another name", pod("web").requires_nodes({}, {kIsB}), kNode, {}, kRefused},
      {"not another name",
       pod("web").requires_nodes({}, {{"metadata.name", "NotIn", {"b"}}}),
       kNode,
       {},
       "fits"},
      {"labels and name", pod("web").requires_nodes({kIsSsd}, {kIsA}), kNode, {}, "fits"},
      {"labels, but not the name", pod("web").requires_nodes({kIsSsd}, {kIsB}), kNode, {}, kRefused},
      {"the name, but not the labels", pod("web").requires_nodes({kIsHdd}, {kIsA}), kNode, {}, kRefused},
      {"the name, and an invalid label",
       pod("web").requires_nodes({{"cores", "Gt", {"-1"}}}, {kIsA}),
       kNode,
       {},
       kRefused},
      {"two names in one requirement are invalid",
       pod("web").requires_nodes({}, {{"metadata.name", "In", {"a", "b"}}}),
       kNode,
       {},
       kRefused},
      {"fields take no other operators",
       pod("web").requires_nodes({}, {{"metadata.name", "Exists", {}}}),
       kNode,
       {},
       kRefused},
      {"nodeSelector and affinity both must match",
       pod("web").selects_nodes("disk", "hdd").requires_nodes({kIsSsd}),
       kNode,
       {},
       kRefused},
      {"affinity too", pod("web").selects_nodes("disk", "ssd").requires_nodes({kIsHdd}), kNode, {}, kRefused},
  };
  check_verdicts("MatchNodeSelector", rows);
}

}  // namespace winnow::test
