#include "cluster/api/selector_errors.h"

#include <doctest/doctest.h>

#include "cluster/api/pod.h"

namespace winnow {
namespace {

const std::string kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const std::string kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const std::string kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

std::string errors_of(std::vector<SelectorRequirement> labels, std::vector<SelectorRequirement> fields = {}) {
  return aggregate(node_selector_errors({{{std::move(labels), std::move(fields)}}}));
}

}  // namespace

TEST_CASE("a node selector term that does not parse says so in today's words") {
  struct Row {
    const char* sentence;
    std::vector<SelectorRequirement> labels;
    std::string error;  ///< Behind "nodeSelectorTerms[0].matchExpressions[0]".
  };
  const std::string long_name(64, 'a');
  const Row rows[] = {
      {"an operator that nobody knows, and then nothing else is looked at",
       {{"bad key", "in", {"bad value"}}},
       ".operator: Unsupported value: \"in\": supported values: \"In\", \"NotIn\", \"Exists\", "
       "\"DoesNotExist\", \"Gt\", \"Lt\""},
      {"In of nothing",
       {{"a", "In", {}}},
       ".values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {"Exists with values, which are written as JSON that HTML cannot misread",
       {{"a", "Exists", {"b", "c"}}},
       ".values: Invalid value: [\"b\",\"c\"]: values set must be empty for exists and does not exist"},
      {"Gt of no number",
       {{"a", "Gt", {"x"}}},
       ".values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"},
      {"Gt -1 is an integer, and no label value",
       {{"a", "Gt", {"-1"}}},
       ".values[0][a]: Invalid value: \"-1\": " + kValueRule},
      {"a key with a blank",
       {{"bad key", "Exists", {}}},
       ".key: Invalid value: \"bad key\": name part " + kNameRule},
      {"a prefix in capitals",
       {{"A/x", "Exists", {}}},
       ".key: Invalid value: \"A/x\": prefix part " + kSubdomainRule},
      {"two slashes",
       {{"a/b/c", "Exists", {}}},
       ".key: Invalid value: \"a/b/c\": a valid label key " + kNameRule +
           " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
      {"a long name",
       {{long_name, "Exists", {}}},
       ".key: Invalid value: \"" + long_name + "\": name part must be no more than 63 bytes"},
      {"a long value",
       {{"a", "In", {long_name}}},
       ".values[0][a]: Invalid value: \"" + long_name + "\": must be no more than 63 bytes"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(errors_of(row.labels) == "nodeSelectorTerms[0].matchExpressions[0]" + row.error);
  }
  CHECK(errors_of({{"a", "In", {"b"}}}, {{"metadata.name", "In", {"n"}}}) == "");
}

TEST_CASE("every fault is told, in order") {
  CHECK(
      errors_of({{"a", "Gt", {"x", "1"}}, {"", "Lt", {}}}) ==
      "[nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: [\"x\",\"1\"]: for 'Gt', 'Lt' "
      "operators, exactly one value is required, "
      "nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, "
      "the "
      "value must be an integer, "
      "nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: \"\": name part must be non-empty; name "
      "part " +
          kNameRule +
          ", "
          "nodeSelectorTerms[0].matchExpressions[1].values: Invalid value: null: for 'Gt', 'Lt' operators, "
          "exactly "
          "one value is required]");
}

TEST_CASE("fields know two operators and one value") {
  CHECK(errors_of({}, {{"metadata.name", "Gt", {"1"}}}) ==
        "nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: \"Gt\": supported values: \"In\", "
        "\"NotIn\"");
  CHECK(errors_of({}, {{"metadata.name", "NotIn", {"<a>", "b\"&"}}}) ==
        "nodeSelectorTerms[0].matchFields[0].values: Invalid value: "
        "[\"\\u003ca\\u003e\",\"b\\\"\\u0026\"]: must have one element");
}

TEST_CASE("preferred terms are named by their place; those of weight 0 are passed over") {
  const NodeSelectorTerm bad{{{"a", "Gt", {"x"}}}, {}};
  const std::vector<PreferredSchedulingTerm> terms = {{0, bad}, {1, {}}, {1, bad}};
  const std::string fault =
      "[2].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be "
      "an "
      "integer";
  CHECK(aggregate(preferred_terms_errors(terms)) == fault);
  CHECK(aggregate(preferred_terms_errors(terms, "args.preferred")) == "args.preferred" + fault);
}

TEST_CASE("a label selector tells its first fault") {
  CHECK(label_selector_error({{{"a", "b"}}, {{"c", "In", {"d"}}}}) == "");
  CHECK(label_selector_error({{}, {{"a", "Gt", {"1"}}}}) == "\"Gt\" is not a valid label selector operator");
  CHECK(label_selector_error({{{"a", "b c"}}, {{"a", "Gt", {"1"}}}}) ==
        "values[0][a]: Invalid value: \"b c\": " + kValueRule);
  CHECK(label_selector_error({{}, {{"a", "NotIn", {}}, {"", "Exists", {}}}}) ==
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
}

TEST_CASE("several errors in one text") {
  CHECK(aggregate({}) == "");
  CHECK(aggregate({"a"}) == "a");
  CHECK(aggregate({"a", "a"}) == "a");
  CHECK(aggregate({"a", "b", "a"}) == "[a, b]");
}

}  // namespace winnow
