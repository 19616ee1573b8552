#include <doctest/doctest.h>

#include "priorities/rules.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("a label preference") {
  const priorities::Record& rule = *priorities::find_classic_taking("labelPreference");
  const std::vector<Node> nodes = {node("with").label("disk", "ssd"), node("empty").label("disk", ""),
                                   node("without").label("other", "disk")};
  const Ranking present[] = {{"10 for having it, whatever its value",
                              pod("web"),
                              nodes,
                              {},
                              {{"with", 10}, {"empty", 10}, {"without", 0}}}};
  check_scores(rule, present, LabelPreference{"disk", true});
  const Ranking absent[] = {
      {"10 for lacking it", pod("web"), nodes, {}, {{"with", 0}, {"empty", 0}, {"without", 10}}}};
  check_scores(rule, absent, LabelPreference{"disk", false});
  const Ranking unheard[] = {
      {"a key that nobody has", pod("web"), nodes, {}, {{"with", 0}, {"empty", 0}, {"without", 0}}}};
  check_scores(rule, unheard, LabelPreference{"unheard-of", true});
}

}  // namespace winnow::test
