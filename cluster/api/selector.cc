#include "cluster/api/selector.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <span>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/api/node.h"
#include "cluster/text/go_format.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

struct OperatorName {
  std::string_view name;
  Operator op;
};

constexpr OperatorName kOperators[] = {
    {"In", Operator::kIn},         {"NotIn", Operator::kNotIn},
    {"Exists", Operator::kExists}, {"DoesNotExist", Operator::kDoesNotExist},
    {"Gt", Operator::kGt},         {"Lt", Operator::kLt},
};

std::optional<Operator> operator_named(std::string_view name) {
  for (const auto& row : kOperators) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

bool compares_numbers(Operator op) { return op == Operator::kGt || op == Operator::kLt; }

/// The error in the number of values, or in a value that must be an integer; empty if there is none.
std::string_view operand_error(Operator op, const std::vector<std::string>& values) {
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn:
      return values.empty() ? "for 'in', 'notin' operators, values set can't be empty" : "";
    case Operator::kExists:
    case Operator::kDoesNotExist:
      return values.empty() ? "" : "values set must be empty for exists and does not exist";
    case Operator::kGt:
    case Operator::kLt:
      if (values.size() != 1) return "for 'Gt', 'Lt' operators, exactly one value is required";
      return parse_int64(values[0]) ? "" : "for 'Gt', 'Lt' operators, the value must be an integer";
  }
  return "";
}

/// The labels.NewRequirement of upstream, which gives the first error in its order of checks.
std::expected<Requirement, std::string> new_requirement(const std::string& key, Operator op,
                                                        std::vector<std::string> values) {
  if (!is_qualified_name(key)) {
    return std::unexpected(std::format("invalid label key {}: {}", go_quote(key), label_key_errors(key)));
  }
  if (const auto error = operand_error(op, values); !error.empty())
    return std::unexpected(std::string(error));
  for (const auto& value : values) {
    if (is_valid_label_value(value)) continue;
    return std::unexpected(std::format("invalid label value: {}: at key: {}: {}", go_quote(value),
                                       go_quote(key), label_value_errors(value)));
  }
  Requirement requirement{key, op, std::move(values), 0};
  if (compares_numbers(op)) requirement.bound = *parse_int64(requirement.values[0]);
  std::ranges::sort(requirement.values);
  const auto repeated = std::ranges::unique(requirement.values);
  requirement.values.erase(repeated.begin(), repeated.end());
  return requirement;
}

bool has_value(const Requirement& requirement, const std::string& value) {
  return std::ranges::binary_search(requirement.values, value);
}

bool compares(const Requirement& requirement, const std::string& value) {
  const auto number = parse_int64(value);
  if (!number) return false;
  return requirement.op == Operator::kGt ? *number > requirement.bound : *number < requirement.bound;
}

Selector exact_pairs(const StringMap& labels) {
  std::vector<Requirement> requirements;
  requirements.reserve(labels.size());
  for (const auto& [key, value] : labels) requirements.push_back({key, Operator::kIn, {value}, 0});
  return Selector::all_of(std::move(requirements));
}

}  // namespace

std::expected<Requirement, std::string> parse_requirement(const SelectorRequirement& written) {
  const auto op = operator_named(written.op);
  if (!op) return std::unexpected(go_quote(written.op) + " is not a valid node selector operator");
  return new_requirement(written.key, *op, written.values);
}

std::expected<Requirement, std::string> parse_label_requirement(const SelectorRequirement& written) {
  const auto op = operator_named(written.op);
  if (!op || compares_numbers(*op)) {
    return std::unexpected(go_quote(written.op) + " is not a valid pod selector operator");
  }
  return new_requirement(written.key, *op, written.values);
}

bool matches(const Requirement& requirement, const std::string* value) {
  switch (requirement.op) {
    case Operator::kIn:
      return value != nullptr && has_value(requirement, *value);
    case Operator::kNotIn:
      return value == nullptr || !has_value(requirement, *value);
    case Operator::kExists:
      return value != nullptr;
    case Operator::kDoesNotExist:
      return value == nullptr;
    case Operator::kGt:
    case Operator::kLt:
      return value != nullptr && compares(requirement, *value);
  }
  return false;
}

Selector Selector::nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Selector Selector::all_of(std::vector<Requirement> requirements) {
  Selector selector;
  selector.requirements_ = std::move(requirements);
  std::ranges::sort(selector.requirements_);
  const auto repeated = std::ranges::unique(selector.requirements_);
  selector.requirements_.erase(repeated.begin(), repeated.end());
  return selector;
}

bool Selector::matches(const StringMap& labels) const {
  if (nothing_) return false;
  return std::ranges::all_of(requirements_, [&](const Requirement& requirement) {
    const auto label = labels.find(requirement.key);
    return winnow::matches(requirement, label == labels.end() ? nullptr : &label->second);
  });
}

std::size_t Selector::hash() const {
  std::size_t seed = nothing_ ? 1 : 2;
  for (const auto& requirement : requirements_) {
    seed = hash_mix(seed, TextHash{}(requirement.key));
    seed = hash_mix(seed, static_cast<std::size_t>(requirement.op));
    for (const auto& value : requirement.values) seed = hash_mix(seed, TextHash{}(value));
  }
  return seed;
}

std::expected<Selector, std::string> parse_label_selector(const LabelSelector& written) {
  std::vector<Requirement> requirements;
  for (const auto& [key, value] : written.match_labels) {
    auto requirement = new_requirement(key, Operator::kIn, {value});
    if (!requirement) return std::unexpected(std::move(requirement.error()));
    requirements.push_back(std::move(*requirement));
  }
  for (const auto& expression : written.match_expressions) {
    auto requirement = parse_label_requirement(expression);
    if (!requirement) return std::unexpected(std::move(requirement.error()));
    requirements.push_back(std::move(*requirement));
  }
  return Selector::all_of(std::move(requirements));
}

std::expected<Selector, std::string> parse_label_selector(const std::optional<LabelSelector>& written) {
  return written ? parse_label_selector(*written) : Selector::nothing();
}

Selector selector_from_set(const StringMap& labels) { return exact_pairs(labels); }

Selector selector_from_set_v116(const StringMap& labels) {
  const bool valid = std::ranges::all_of(labels, [](const auto& label) {
    return is_qualified_name(label.first) && is_valid_label_value(label.second);
  });
  return valid ? exact_pairs(labels) : Selector::everything();
}

std::expected<Selector, std::string> parse_node_requirements(
    const std::vector<SelectorRequirement>& written) {
  if (written.empty()) return Selector::nothing();
  std::vector<Requirement> requirements;
  for (const auto& expression : written) {
    auto requirement = parse_requirement(expression);
    if (!requirement) return std::unexpected(std::move(requirement.error()));
    requirements.push_back(std::move(*requirement));
  }
  return Selector::all_of(std::move(requirements));
}

bool match_fields(const std::vector<SelectorRequirement>& fields, std::string_view node_name) {
  // Upstream validates all fields before it matches one. The result is the same: an invalid field and one
  // that does not match both give false.
  return std::ranges::all_of(fields, [&](const SelectorRequirement& field) {
    const auto op = operator_named(field.op);
    if (op != Operator::kIn && op != Operator::kNotIn) return false;
    if (field.values.size() != 1) return false;
    const std::string_view actual = field.key == "metadata.name" ? node_name : "";
    return (actual == field.values[0]) == (op == Operator::kIn);
  });
}

bool matches(const NodeSelectorTerm& term, const StringMap& labels, std::string_view node_name) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  if (!term.match_expressions.empty()) {
    const auto selector = parse_node_requirements(term.match_expressions);
    if (!selector || !selector->matches(labels)) return false;
  }
  return match_fields(term.match_fields, node_name);
}

bool matches(const NodeSelector& selector, const StringMap& labels, std::string_view node_name) {
  return std::ranges::any_of(selector.terms,
                             [&](const NodeSelectorTerm& term) { return matches(term, labels, node_name); });
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations,
                             [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

void Tolerations::add(const Toleration& toleration) {
  if (count_ < kFew) {
    few_[count_++] = &toleration;
    return;
  }
  if (count_++ == kFew)
    for (const Toleration* const before : few_) put(*before);
  put(toleration);
}

void Tolerations::put(const Toleration& toleration) {
  if (toleration.op.empty() || toleration.op == "Equal")
    equal_[toleration.effect][toleration.key].insert(toleration.value);
  else if (toleration.op == "Exists")
    exists_[toleration.effect][toleration.key].insert(std::string_view());
}

bool Tolerations::has(const ByEffect& all, std::string_view effect, std::string_view key,
                      std::string_view value) {
  const auto by_key = all.find(effect);
  if (by_key == all.end()) return false;
  const auto values = by_key->second.find(key);
  return values != by_key->second.end() && values->second.contains(value);
}

bool Tolerations::tolerate(const Taint& taint) const {
  if (count_ <= kFew)
    return std::ranges::any_of(std::span(few_).first(count_),
                               [&](const Toleration* toleration) { return tolerates(*toleration, taint); });
  for (const std::string_view effect : {std::string_view(), std::string_view(taint.effect)})
    for (const std::string_view key : {std::string_view(), std::string_view(taint.key)})
      if (has(exists_, effect, key, {}) || has(equal_, effect, key, taint.value)) return true;
  return false;
}

bool is_qualified_name(std::string_view text) { return label_key_errors(text).empty(); }

bool is_valid_label_value(std::string_view text) { return label_value_errors(text).empty(); }

std::optional<std::int64_t> parse_int64(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace winnow
