#include "extender/explain/tried_expression.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <format>
#include <iterator>
#include <set>
#include <utility>

#include "cluster/api/generation.h"
#include "cluster/api/wanted_fields.h"
#include "cluster/cel/value.h"
#include "cluster/expressions/expression.h"
#include "cluster/rule/expression_question.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "extender/explain/explanation_text.h"

namespace winnow {
namespace {

using expressions::Expression;

/// Values of JSON that are nested deeper are texts, and so is one that is longer.
constexpr int kDeepestJson = 16;
constexpr std::size_t kLongestJson = std::size_t{1} << 20;

void append_json_of(std::string& out, const cel::Value& value, int depth);

void append_list_json(std::string& out, const cel::List& list, int depth) {
  out += '[';
  for (std::size_t i = 0; i < list.size() && out.size() <= kLongestJson; ++i) {
    if (i > 0) out += ',';
    append_json_of(out, list.at(i), depth);
  }
  out += ']';
}

void append_map_json(std::string& out, const cel::Map& map, int depth) {
  out += '{';
  for (std::size_t i = 0; i < map.size() && out.size() <= kLongestJson; ++i) {
    if (i > 0) out += ',';
    append_quoted(out, cel::plain_text(map.key_at(i)));
    out += ':';
    append_json_of(out, map.value_at(i), depth);
  }
  out += '}';
}

void append_json_of(std::string& out, const cel::Value& value, int depth) {
  using cel::Kind;
  const bool is_plain = value.is(Kind::kNull) || value.is(Kind::kBool) || value.is(Kind::kInt);
  if (is_plain)
    out += cel::describe(value);
  else if (value.is(Kind::kUint))
    out += std::to_string(value.as_uint());
  else if (value.is(Kind::kDouble) && std::isfinite(value.as_double()))
    out += std::format("{}", value.as_double());
  else if (value.is(Kind::kList) && depth > 0)
    append_list_json(out, value.as_list(), depth - 1);
  else if (value.is(Kind::kMap) && depth > 0)
    append_map_json(out, value.as_map(), depth - 1);
  else
    append_quoted(out, value.is(Kind::kString) ? value.text() : std::string_view(cel::describe(value)));
}

std::string json_of(const cel::Value& value) {
  std::string json;
  append_json_of(json, value, kDeepestJson);
  if (json.size() <= kLongestJson) return json;
  json.clear();
  append_quoted(json, cel::describe(value));
  return json;
}

std::optional<double> number_in(const cel::Value& value) {
  const double number = expressions::number_of(value);
  if (!value.is_number() || std::isnan(number)) return std::nullopt;
  return number;
}

TriedValue value_on(expressions::Question::Nodes& nodes, const Expression& expression, NodeId node) {
  TriedValue tried;
  {
    const cel::Evaluation found = nodes.ask(expression, node);
    const cel::Value& value = found.value;
    tried.value = cel::describe(value);
    tried.json = json_of(value);
    tried.cost = found.cost;
    tried.is_error = value.is_error();
    if (value.is(cel::Kind::kBool)) tried.truth = value.as_bool();
    tried.number = number_in(value);
  }
  tried.read = values_read(nodes, expression, node);
  return tried;
}

}  // namespace

std::expected<const Expression*, std::string> expression_to_try(std::string_view text) {
  return Expression::find(text, expressions::Scope::kNodes, expressions::ResultKind::kAnything);
}

bool reads_pod(const Expression& expression) {
  return std::ranges::any_of(expression.reads().paths, [](const std::string& path) {
    return path == "pod" || path.starts_with("pod.") || path.starts_with("pod[");
  });
}

bool reads_node(const Expression& expression) { return expression.reads().of_node; }

void want_fields_of(const Expression& expression, StateOptions& options) {
  const auto add = [](FieldsOf of, const std::vector<std::string>& more, std::vector<std::string>& fields) {
    fields.insert(fields.end(), more.begin(), more.end());
    fields = least_fields(std::move(fields));
    want_fields(of, fields);
  };
  add(FieldsOf::kPods, expression.reads().pod_fields, options.pod_fields);
  add(FieldsOf::kNodes, expression.reads().node_fields, options.node_fields);
  options.node_load |= expression.reads().load();
  if (options.node_load) want_running_since();
}

std::vector<TriedValue> try_expression(const Expression& expression, const TriedOn& on,
                                       std::span<const NodeId> nodes) {
  const expressions::Question question({.pod = on.pod,
                                        .view = on.view,
                                        .accounting = on.view.state().options().accounting,
                                        .params = on.params,
                                        .now = timestamp_of(std::chrono::system_clock::now())});
  expressions::Question::Nodes asked(question);
  std::vector<TriedValue> values;
  if (!reads_node(expression)) {
    values.push_back(value_on(asked, expression, 0));
    return values;
  }
  for (const NodeId node : nodes) {
    values.push_back(value_on(asked, expression, node));
    values.back().node = on.view.node_name(node);
  }
  return values;
}

// The sum.

namespace {

/// A number in twelve digits at most: a median may be half of a sum.
std::string short_number(double number) { return std::format("{:.12g}", number); }

/// "min 0.5, median 2, max 3.5 on 40 of 41 nodes".
std::string spread_of(std::vector<double> numbers, std::size_t nodes) {
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  const double median = numbers.size() % 2 != 0 ? numbers[half] : numbers[half - 1] / 2 + numbers[half] / 2;
  const std::string on = numbers.size() == nodes
                             ? count_nodes(nodes)
                             : with_thousands(numbers.size()) + " of " + count_nodes(nodes);
  return std::format("min {}, median {}, max {} on {}", short_number(numbers.front()), short_number(median),
                     short_number(numbers.back()), on);
}

/// "true on 12 of 40 nodes, false on 27". The first part names all nodes.
class Counts {
 public:
  explicit Counts(std::size_t nodes) : nodes_(nodes) {}
  void add(std::string_view what, std::size_t count) {
    if (count == 0) return;
    if (text_.empty())
      text_ = std::format("{} on {} of {}", what, with_thousands(count), count_nodes(nodes_));
    else
      text_ += std::format(", {} on {}", what, with_thousands(count));
  }
  void begin_with(std::string text) { text_ = std::move(text); }
  std::string take() { return std::move(text_); }

 private:
  const std::size_t nodes_;
  std::string text_;
};

}  // namespace

std::string sum_of(std::span<const TriedValue> values) {
  std::size_t yes = 0, no = 0, errors = 0, others = 0;
  std::vector<double> numbers;
  std::set<std::string_view> different;
  for (const TriedValue& one : values) {
    if (one.is_error) {
      ++errors;
    } else if (one.truth) {
      ++(*one.truth ? yes : no);
    } else if (one.number) {
      numbers.push_back(*one.number);
    } else {
      ++others;
      different.insert(one.value);
    }
  }
  Counts counts(values.size());
  if (!numbers.empty()) counts.begin_with(spread_of(std::move(numbers), values.size()));
  counts.add("true", yes);
  counts.add("false", no);
  counts.add(different.size() == 1 ? "one value" : with_thousands(different.size()) + " values", others);
  counts.add("error", errors);
  return counts.take();
}

void append_tried_json(std::string& out, std::string_view expression, std::string_view pod,
                       std::span<const TriedValue> values) {
  out += "{\"expression\":";
  append_quoted(out, expression);
  if (!pod.empty()) append_quoted(out += ",\"pod\":", pod);
  out += ",\"values\":[";
  for (const TriedValue& one : values) {
    out += &one == values.data() ? "{" : ",{";
    if (!one.node.empty()) {
      append_quoted(out += "\"node\":", one.node);
      out += ',';
    }
    out += (one.is_error ? "\"error\":" : "\"value\":") + one.json;
    if (!one.read.empty()) append_quoted(out += ",\"read\":", one.read);
    out += std::format(",\"cost\":{}}}", one.cost);
  }
  out += "]}";
}

}  // namespace winnow
