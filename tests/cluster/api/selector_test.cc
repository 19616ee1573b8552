#include "cluster/api/selector.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "cluster/api/node.h"

namespace winnow {
namespace {

const StringMap kLabels = {{"app", "web"}, {"empty", ""}, {"n", "08"}, {"neg", "-3"}, {"word", "x"}};

}  // namespace

TEST_CASE("a node selector's requirement matches") {
  struct Row {
    const char* sentence;
    SelectorRequirement written;
    bool matches;
  };
  const Row rows[] = {
      {"In has the value", {"app", "In", {"db", "web"}}, true},
      {"In has not the value", {"app", "In", {"db"}}, false},
      {"In needs the key", {"zone", "In", {""}}, false},
      {"an empty value is a value", {"empty", "In", {""}}, true},
      {"NotIn has the value", {"app", "NotIn", {"web"}}, false},
      {"NotIn does not need the key", {"zone", "NotIn", {"a"}}, true},
      {"Exists needs the key", {"app", "Exists", {}}, true},
      {"Exists without the key", {"zone", "Exists", {}}, false},
      {"DoesNotExist without the key", {"zone", "DoesNotExist", {}}, true},
      {"DoesNotExist with the key", {"app", "DoesNotExist", {}}, false},
      {"Gt is decimal: 08 is 8", {"n", "Gt", {"7"}}, true},
      {"Gt is strict", {"n", "Gt", {"8"}}, false},
      {"Lt", {"n", "Lt", {"9"}}, true},
      {"a negative label is a number", {"neg", "Lt", {"0"}}, true},
      {"a label that is no number does not match", {"word", "Lt", {"9"}}, false},
      {"Gt needs the key", {"zone", "Gt", {"0"}}, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.sentence);
    const auto requirement = parse_requirement(row.written);
    REQUIRE(requirement);
    const auto label = kLabels.find(row.written.key);
    CHECK(matches(*requirement, label == kLabels.end() ? nullptr : &label->second) == row.matches);
  }
}

TEST_CASE("a requirement that is invalid says so in v1.16's words") {
  struct Row {
    SelectorRequirement written;
    const char* error;
  };
  const Row rows[] = {
      {{"a", "in", {"b"}}, "\"in\" is not a valid node selector operator"},
      {{"a", "In", {}}, "for 'in', 'notin' operators, values set can't be empty"},
      {{"a", "Exists", {"b"}}, "values set must be empty for exists and does not exist"},
      {{"a", "Gt", {"1", "2"}}, "for 'Gt', 'Lt' operators, exactly one value is required"},
      {{"a", "Gt", {"x"}}, "for 'Gt', 'Lt' operators, the value must be an integer"},
      {{"a", "Gt", {"-1"}},
       "invalid label value: \"-1\": at key: \"a\": a valid label must be an empty string or consist of "
       "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
       "(e.g. "
       "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
       "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
      {{"/a", "Exists", {}}, "invalid label key \"/a\": prefix part must be non-empty"},
      {{"", "Exists", {}},
       "invalid label key \"\": name part must be non-empty; name part must consist of alphanumeric "
       "characters, "
       "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
       "'my.name',  or "
       "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
  };
  for (const auto& row : rows) {
    const auto requirement = parse_requirement(row.written);
    REQUIRE_FALSE(requirement);
    CHECK(requirement.error() == row.error);
  }
  CHECK(parse_label_requirement({"a", "Gt", {"1"}}).error() == "\"Gt\" is not a valid pod selector operator");
}

TEST_CASE("label selectors") {
  CHECK(parse_label_selector(std::optional<LabelSelector>())->is_nothing());
  CHECK(parse_label_selector(LabelSelector())->is_everything());
  CHECK_FALSE(parse_label_selector(std::optional<LabelSelector>())->matches(kLabels));
  CHECK(parse_label_selector(LabelSelector())->matches({}));
  CHECK_FALSE(parse_label_selector(LabelSelector{{{"a", "not valid"}}, {}}));

  const LabelSelector both{{{"app", "web"}}, {{"zone", "DoesNotExist", {}}}};
  CHECK(parse_label_selector(both)->matches(kLabels));
  CHECK_FALSE(parse_label_selector(both)->matches({{"app", "web"}, {"zone", "a"}}));
}

TEST_CASE("selectors written differently are one") {
  const auto a = parse_label_selector(LabelSelector{{{"app", "web"}}, {{"b", "In", {"y", "x", "y"}}}});
  const auto b = parse_label_selector(
      LabelSelector{{}, {{"b", "In", {"x", "y"}}, {"app", "In", {"web"}}, {"app", "In", {"web"}}}});
  CHECK(*a == *b);
  CHECK(a->hash() == b->hash());
  CHECK(*a != Selector::everything());
  CHECK(Selector::nothing() != Selector::everything());
}

TEST_CASE("a selector from a set of labels") {
  CHECK(selector_from_set({}).is_everything());
  CHECK(selector_from_set({{"app", "web"}}).matches(kLabels));
  CHECK_FALSE(selector_from_set({{"app", "-bad-"}}).matches(kLabels));
  // v1.16 gives up on all of it and matches everything.
  CHECK(selector_from_set_v116({{"app", "-bad-"}, {"zone", "a"}}).matches(kLabels));
  CHECK_FALSE(selector_from_set_v116({{"zone", "a"}}).matches(kLabels));
}

TEST_CASE("node selectors") {
  struct Row {
    const char* sentence;
    NodeSelector selector;
    bool matches;
  };
  const SelectorRequirement is_web{"app", "In", {"web"}};
  const SelectorRequirement is_n1{"metadata.name", "In", {"n1"}};
  const SelectorRequirement invalid{"app", "Gt", {"-1"}};
  const Row rows[] = {
      {"no terms match nothing", {}, false},
      {"an empty term matches nothing", {{{}}}, false},
      {"terms are ORed", {{{}, {{is_web}, {}}}}, true},
      {"an invalid term does not match, others may", {{{{invalid}, {}}, {{is_web}, {}}}}, true},
      {"an invalid requirement spoils its term", {{{{is_web, invalid}, {}}}}, false},
      {"the name alone", {{{{}, {is_n1}}}}, true},
      {"another name", {{{{}, {{"metadata.name", "In", {"n2"}}}}}}, false},
      {"not another name", {{{{}, {{"metadata.name", "NotIn", {"n2"}}}}}}, true},
      {"labels and name", {{{{is_web}, {{"metadata.name", "In", {"n2"}}}}}}, false},
      {"two names are invalid", {{{{}, {{"metadata.name", "In", {"n1", "n2"}}}}}}, false},
      {"other operators on fields are invalid", {{{{}, {{"metadata.name", "Exists", {}}}}}}, false},
      {"another field reads as empty", {{{{}, {{"spec.x", "In", {""}}}}}}, true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.sentence);
    CHECK(matches(row.selector, kLabels, "n1") == row.matches);
  }
}

TEST_CASE("tolerations") {
  struct Row {
    const char* sentence;
    Toleration toleration;
    bool tolerates;
  };
  const Taint taint{"key", "value", "NoSchedule"};
  const Row rows[] = {
      {"Equal needs key, value and effect", {"key", "Equal", "value", "NoSchedule", {}}, true},
      {"no operator is Equal", {"key", "", "value", "NoSchedule", {}}, true},
      {"another value", {"key", "Equal", "other", "NoSchedule", {}}, false},
      {"another key", {"other", "Equal", "value", "NoSchedule", {}}, false},
      {"another effect", {"key", "Equal", "value", "NoExecute", {}}, false},
      {"no effect is every effect", {"key", "Equal", "value", "", {}}, true},
      {"Exists ignores the value", {"key", "Exists", "other", "", {}}, true},
      {"no key with Exists is every taint", {"", "Exists", "", "", {}}, true},
      {"no key with Equal compares values only", {"", "Equal", "value", "", {}}, true},
      {"no key with Equal and another value", {"", "Equal", "", "", {}}, false},
      {"Gt tolerates nothing", {"key", "Gt", "0", "", {}}, false},
      {"an unknown operator tolerates nothing", {"key", "exists", "value", "", {}}, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.sentence);
    CHECK(tolerates(row.toleration, taint) == row.tolerates);
  }
  CHECK_FALSE(tolerates(std::vector<Toleration>(), taint));
}

TEST_CASE("the tolerations of a pod are asked as each of them, few or many") {
  const std::string keys[] = {"", "key", "other"}, values[] = {"", "value"};
  const std::string effects[] = {"", "NoSchedule", "NoExecute"}, operators[] = {"", "Equal", "Exists", "Gt"};
  std::mt19937 random(1);
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  std::size_t answers[2] = {};
  for (int round = 0; round < 2000; ++round) {
    std::vector<Toleration> list(random() % 12);
    for (Toleration& toleration : list)
      toleration = {one_of(keys), one_of(operators), one_of(values), one_of(effects), {}};
    Tolerations tolerations;
    for (const Toleration& toleration : list) tolerations.add(toleration);
    const Taint taint{one_of(keys), one_of(values), effects[1 + random() % 2]};
    const bool expected = tolerates(list, taint);
    CHECK(tolerations.tolerate(taint) == expected);
    ++answers[expected];
  }
  CHECK(answers[0] > 100);
  CHECK(answers[1] > 100);
}

TEST_CASE("integers as Go reads them") {
  CHECK(parse_int64("+5") == 5);
  CHECK(parse_int64("-007") == -7);
  CHECK(parse_int64("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_int64("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", "+", "-", "+-5", "--5", "1_0", " 5", "5 ", "0x5", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int64(text));
  }
}

TEST_CASE("label keys and values") {
  CHECK(is_qualified_name("example.com/My_name.x"));
  CHECK(is_qualified_name(std::string(63, 'a')));
  CHECK_FALSE(is_qualified_name(std::string(64, 'a')));
  CHECK_FALSE(is_qualified_name("a/b/c"));
  CHECK_FALSE(is_qualified_name("a..b/c"));
  CHECK_FALSE(is_qualified_name("-a"));
  CHECK(is_valid_label_value(""));
  CHECK_FALSE(is_valid_label_value("a-"));
  CHECK_FALSE(is_valid_label_value(std::string(64, 'a')));
}

}  // namespace winnow
