#include "cluster/api/selector_errors.h"

#include <algorithm>
#include <format>
#include <set>
#include <span>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

/// The errors of one selector. Each invalid value gives an error that is a hundred times as long. So only so
/// many are kept: many more than people read, and than events and conditions hold.
constexpr std::size_t kMostErrors = 100;
constexpr std::size_t kLongestError = 4096;

class Errors {
 public:
  void push_back(std::string error) {
    if (error.size() > kLongestError) error = std::string(utf8_prefix(error, kLongestError)).append("…");
    if (kept_.size() < kMostErrors) kept_.push_back(std::move(error));
  }
  bool empty() const { return kept_.empty(); }
  bool is_full() const { return kept_.size() == kMostErrors; }
  std::vector<std::string> take() { return std::move(kept_); }

 private:
  std::vector<std::string> kept_;
};

constexpr std::string_view kOperatorNames[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
constexpr std::string_view kFieldOperators[] = {"In", "NotIn"};
constexpr std::string_view kLabelOperators[] = {"In", "NotIn", "Exists", "DoesNotExist"};

std::string child(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::format("{}.{}", path, name);
}
std::string index(std::string_view path, std::size_t i) { return std::format("{}[{}]", path, i); }

/// The text as Go's encoding/json writes it, which also escapes the characters of HTML.
std::string go_json(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\u2028", "\\u2028"}, {"\u2029", "\\u2029"}};
  std::string quoted, json;
  append_quoted(quoted, text);
  for (std::string_view left = quoted; !left.empty();) {
    const auto escape =
        std::ranges::find_if(kEscapes, [&](const auto& one) { return left.starts_with(one.first); });
    const bool is_plain = escape == std::end(kEscapes);
    json += is_plain ? left.substr(0, 1) : escape->second;
    left.remove_prefix(is_plain ? 1 : escape->first.size());
  }
  return json;
}

// An empty list is written as null: an object from an API server has nil there, never an empty list.
std::string go_json(const std::vector<std::string>& values) {
  if (values.empty()) return "null";
  std::string json;
  for (const std::string& value : values) json += (json.empty() ? "[" : ",") + go_json(value);
  return json += ']';
}

std::string invalid(std::string_view path, std::string_view value, std::string_view detail) {
  return std::format("{}: Invalid value: {}: {}", path, value, detail);
}

std::string unsupported(std::string_view path, std::string_view value,
                        std::span<const std::string_view> supported) {
  std::string names;
  for (const std::string_view name : supported) names += (names.empty() ? "" : ", ") + go_quote(name);
  return std::format("{}: Unsupported value: {}: supported values: {}", path, go_json(value), names);
}

/// Checks the number of values, and that the value of Gt and Lt is an integer.
void check_operands(const SelectorRequirement& written, const std::string& path, Errors& errors) {
  const std::vector<std::string>& values = written.values;
  const auto complain = [&](std::string_view detail) {
    errors.push_back(invalid(path, go_json(values), detail));
  };
  if (written.op == "In" || written.op == "NotIn") {
    if (values.empty()) complain("for 'in', 'notin' operators, values set can't be empty");
  } else if (written.op == "Gt" || written.op == "Lt") {
    if (values.size() != 1) complain("for 'Gt', 'Lt' operators, exactly one value is required");
    for (std::size_t i = 0; i < values.size() && !errors.is_full(); ++i)
      if (!parse_int64(values[i]))
        errors.push_back(invalid(index(path, i), go_quote(values[i]),
                                 "for 'Gt', 'Lt' operators, the value must be an integer"));
  } else if (!values.empty()) {
    complain("values set must be empty for exists and does not exist");
  }
}

/// Checks a requirement whose operator is valid.
void check_requirement(const SelectorRequirement& written, std::string_view path, Errors& errors) {
  if (const std::string faults = label_key_errors(written.key, Generation::kToday); !faults.empty())
    errors.push_back(invalid(child(path, "key"), go_quote(written.key), faults));
  const std::string values = child(path, "values");
  check_operands(written, values, errors);
  for (std::size_t i = 0; i < written.values.size() && !errors.is_full(); ++i) {
    const std::string faults = label_value_errors(written.values[i], Generation::kToday);
    if (faults.empty()) continue;
    errors.push_back(
        invalid(std::format("{}[{}]", index(values, i), written.key), go_quote(written.values[i]), faults));
  }
}

void check_expressions(const std::vector<SelectorRequirement>& expressions, const std::string& path,
                       Errors& errors) {
  for (std::size_t i = 0; i < expressions.size() && !errors.is_full(); ++i) {
    const std::string at = index(path, i);
    if (std::ranges::contains(kOperatorNames, expressions[i].op))
      check_requirement(expressions[i], at, errors);
    else
      errors.push_back(unsupported(child(at, "operator"), expressions[i].op, kOperatorNames));
  }
}

void check_fields(const std::vector<SelectorRequirement>& fields, const std::string& path, Errors& errors) {
  for (std::size_t i = 0; i < fields.size() && !errors.is_full(); ++i) {
    const std::string at = index(path, i);
    if (!std::ranges::contains(kFieldOperators, fields[i].op))
      errors.push_back(unsupported(child(at, "operator"), fields[i].op, kFieldOperators));
    else if (fields[i].values.size() != 1)
      errors.push_back(invalid(child(at, "values"), go_json(fields[i].values), "must have one element"));
  }
}

void check_term(const NodeSelectorTerm& term, const std::string& path, Errors& errors) {
  check_expressions(term.match_expressions, child(path, "matchExpressions"), errors);
  check_fields(term.match_fields, child(path, "matchFields"), errors);
}

}  // namespace

std::vector<std::string> node_selector_errors(const NodeSelector& selector, std::string_view path) {
  Errors errors;
  const std::string terms = child(path, "nodeSelectorTerms");
  for (std::size_t i = 0; i < selector.terms.size() && !errors.is_full(); ++i)
    check_term(selector.terms[i], index(terms, i), errors);
  return errors.take();
}

std::vector<std::string> preferred_terms_errors(std::span<const PreferredSchedulingTerm> terms,
                                                std::string_view path) {
  Errors errors;
  for (std::size_t i = 0; i < terms.size() && !errors.is_full(); ++i)
    if (terms[i].weight != 0) check_term(terms[i].preference, index(path, i), errors);
  return errors.take();
}

std::string label_selector_error(const LabelSelector& selector) {
  Errors errors;
  for (const auto& [key, value] : selector.match_labels) {
    check_requirement({key, "In", {value}}, "", errors);
    if (!errors.empty()) return aggregate(errors.take());
  }
  for (const SelectorRequirement& expression : selector.match_expressions) {
    if (!std::ranges::contains(kLabelOperators, expression.op))
      return go_quote(expression.op) + " is not a valid label selector operator";
    check_requirement(expression, "", errors);
    if (!errors.empty()) return aggregate(errors.take());
  }
  return "";
}

std::string aggregate(const std::vector<std::string>& errors) {
  std::set<std::string_view> seen;
  std::string text;
  for (const std::string& error : errors)
    if (seen.insert(error).second) text.append(text.empty() ? "" : ", ").append(error);
  return seen.size() > 1 ? "[" + text + "]" : text;
}

}  // namespace winnow
