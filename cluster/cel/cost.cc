#include "cluster/cel/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "cluster/cel/library/named_format.h"
#include "cluster/cel/size.h"

namespace winnow::cel {
namespace {

constexpr double kPerCharacter = 0.1;
constexpr double kPerRegexCharacter = 0.25;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// The size for cel-go's own functions: an optional has the size of what it holds.
std::uint64_t actual_size(const Value& value) {
  if (value.is(Kind::kOptional) && value.as_optional() != nullptr) return actual_size(*value.as_optional());
  return size_of(value).value_or(1);
}
/// The size for the extensions and for Kubernetes' functions.
std::uint64_t plain_size(const Value& value) { return size_of(value).value_or(1); }

std::uint64_t rounded_up(double cost) { return static_cast<std::uint64_t>(std::ceil(cost)); }
std::uint64_t scan(std::uint64_t size, double factor = 1) {
  return rounded_up(static_cast<double>(size) * factor * kPerCharacter);
}
std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; }
/// As Go on amd64 has it for what is too large.
std::uint64_t truncated(double cost) {
  return cost >= 0x1p64 ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(cost);
}

std::uint64_t one(Arguments, const Value&) { return 1; }

// cel-go's own functions.

std::uint64_t of_second(Arguments arguments, const Value&) { return scan(actual_size(arguments[1])); }
std::uint64_t of_first(Arguments arguments, const Value&) { return scan(actual_size(arguments[0])); }
std::uint64_t of_list(Arguments arguments, const Value&) { return actual_size(arguments[1]); }
std::uint64_t of_smaller(Arguments arguments, const Value&) {
  return scan(std::min(actual_size(arguments[0]), actual_size(arguments[1])));
}
std::uint64_t of_both(Arguments arguments, const Value&) {
  return scan(actual_size(arguments[0]) + actual_size(arguments[1]));
}
std::uint64_t of_containment(Arguments arguments, const Value&) {
  return scan(actual_size(arguments[0])) * scan(actual_size(arguments[1]));
}
std::uint64_t of_regex(Arguments arguments, const Value&) {
  const std::uint64_t text =
      rounded_up((1.0 + static_cast<double>(actual_size(arguments[0]))) * kPerCharacter);
  return text * rounded_up(static_cast<double>(actual_size(arguments[1])) * kPerRegexCharacter);
}
std::uint64_t of_equality(Arguments arguments, const Value& result) {
  if (arguments[0].is(Kind::kOpaque)) return 1;
  return of_smaller(arguments, result);
}

// The extensions.

std::uint64_t new_list(double factor, std::uint64_t size) {
  if (factor < 0) factor = 1;
  return add(add(truncated(static_cast<double>(size) * factor), 1), kListCost);
}
std::uint64_t of_new_list(Arguments, const Value& result) { return new_list(1, plain_size(result)); }
std::uint64_t of_flatten(Arguments arguments, const Value&) {
  const double depth =
      arguments.size() == 2 && arguments[1].is(Kind::kInt) ? static_cast<double>(arguments[1].as_int()) : 1.0;
  return new_list(depth, plain_size(arguments[0]));
}
std::uint64_t self_comparison(const Value& list) {
  const std::uint64_t size = plain_size(list);
  double factor = 2;
  if (size == 0 || !list.is(Kind::kList)) return new_list(factor, 0);
  const Value first = list.as_list().at(0);
  if (first.is(Kind::kString) || first.is(Kind::kBytes)) factor += kPerCharacter;
  return new_list(factor, multiply(size, size));
}
std::uint64_t of_self_comparison(Arguments arguments, const Value&) { return self_comparison(arguments[0]); }
std::uint64_t of_key_comparison(Arguments arguments, const Value&) { return self_comparison(arguments[1]); }
template <int factor>
std::uint64_t of_sets(Arguments arguments, const Value&) {
  const double product = static_cast<double>(plain_size(arguments[0]) * plain_size(arguments[1]));
  return add(1, truncated(product * factor));
}

// Kubernetes' functions.

/// The most parts that are counted. What has more costs more than any limit allows.
constexpr std::uint64_t kMostParts = 4'000'000;
constexpr int kDeepestCounted = 1000;

std::uint64_t traversal(const Value& value, std::uint64_t& parts, int depth = 0) {
  if (depth > kDeepestCounted) parts = kMostParts;
  if (++parts > kMostParts) return 0;
  std::uint64_t cost = 0;
  switch (value.kind()) {
    case Kind::kString:
    case Kind::kBytes:
      return truncated(static_cast<double>(value.text().size()) * kPerCharacter);
    case Kind::kList:
      for (std::size_t i = 0; i < value.as_list().size() && parts <= kMostParts; ++i)
        cost += traversal(value.as_list().at(i), parts, depth + 1);
      return cost;
    case Kind::kMap:
      for (std::size_t i = 0; i < value.as_map().size() && parts <= kMostParts; ++i)
        cost += traversal(value.as_map().key_at(i), parts, depth + 1) +
                traversal(value.as_map().value_at(i), parts, depth + 1);
      return cost;
    default:
      return 1;
  }
}
std::uint64_t of_traversal(Arguments arguments, const Value&) {
  std::uint64_t parts = 0;
  const std::uint64_t cost = traversal(arguments[0], parts);
  return parts > kMostParts ? kMost / 2 : cost;
}
std::uint64_t of_text(Arguments arguments, const Value&) { return scan(plain_size(arguments[0])); }
std::uint64_t of_text_twice(Arguments arguments, const Value&) { return scan(plain_size(arguments[0]), 2); }
std::uint64_t of_result_twice(Arguments, const Value& result) { return scan(plain_size(result), 2); }
std::uint64_t of_contained_ip(Arguments arguments, const Value&) {
  return scan(2 * plain_size(arguments[0]));
}
std::uint64_t of_contained_ip_text(Arguments arguments, const Value& result) {
  return of_contained_ip(arguments, result) + scan(plain_size(arguments[1]));
}
std::uint64_t of_contained_cidr(Arguments arguments, const Value& result) {
  return of_contained_ip(arguments, result) + scan(plain_size(arguments[0])) + 1;
}
std::uint64_t of_contained_cidr_text(Arguments arguments, const Value& result) {
  return of_contained_cidr(arguments, result) + scan(plain_size(arguments[1]));
}
std::uint64_t of_validation(Arguments arguments, const Value&) {
  const NamedFormat* format = as_named_format(arguments[0]);
  if (format == nullptr) return 1;
  const std::uint64_t text =
      rounded_up((1.0 + static_cast<double>(plain_size(arguments[1]))) * kPerCharacter);
  return text * rounded_up(static_cast<double>(format->regex_size) * kPerRegexCharacter);
}

using Rule = std::pair<std::string_view, CallCost>;

/// By overload, before all others.
constexpr std::array kExtensions = std::to_array<Rule>({
    {"list_slice", of_new_list},
    {"list_flatten", of_flatten},
    {"list_flatten_int", of_flatten},
    {"lists_range", of_new_list},
    {"list_reverse", of_new_list},
    {"list_distinct", of_self_comparison},
    {"list_sets_contains_list", of_sets<1>},
    {"list_sets_intersects_list", of_sets<1>},
    {"list_sets_equivalent_list", of_sets<2>},
});

/// By function; a rule with an overload is for that one alone.
struct FunctionRule {
  std::string_view function;
  std::string_view overload;
  CallCost cost;
};
constexpr std::array kKubernetes = std::to_array<FunctionRule>({
    {"isSorted", "", of_traversal},
    {"sum", "", of_traversal},
    {"max", "", of_traversal},
    {"min", "", of_traversal},
    {"indexOf", "", of_traversal},
    {"lastIndexOf", "", of_traversal},
    {"includes", "", of_traversal},
    {"url", "", of_text},
    {"lowerAscii", "", of_text},
    {"upperAscii", "", of_text},
    {"substring", "", of_text},
    {"trim", "", of_text},
    {"replace", "", of_text_twice},
    {"split", "", of_text_twice},
    {"join", "", of_result_twice},
    {"find", "", of_regex},
    {"findAll", "", of_regex},
    {"cidr", "", of_text},
    {"isIP", "", of_text},
    {"isCIDR", "", of_text},
    {"ip", "cidr_ip", one},
    {"ip", "", of_text},
    {"ip.isCanonical", "", of_text_twice},
    {"containsIP", "cidr_contains_ip_string", of_contained_ip_text},
    {"containsIP", "", of_contained_ip},
    {"containsCIDR", "cidr_contains_cidr_string", of_contained_cidr_text},
    {"containsCIDR", "", of_contained_cidr},
    {"quantity", "", of_text},
    {"isQuantity", "", of_text},
    {"semver", "", of_text},
    {"isSemver", "", of_text},
    {"validate", "", of_validation},
    {"_==_", "", of_equality},
});

/// cel-go's own rules, by overload.
constexpr std::array kOwn = std::to_array<Rule>({
    {"starts_with_string", of_second},
    {"ends_with_string", of_second},
    {"string_to_bytes", of_first},
    {"bytes_to_string", of_first},
    {"strings_quote", of_first},
    {"string_format", of_first},
    {"in_list", of_list},
    {"less_string", of_smaller},
    {"greater_string", of_smaller},
    {"less_equals_string", of_smaller},
    {"greater_equals_string", of_smaller},
    {"less_bytes", of_smaller},
    {"greater_bytes", of_smaller},
    {"less_equals_bytes", of_smaller},
    {"greater_equals_bytes", of_smaller},
    {"not_equals", of_smaller},
    {"add_string", of_both},
    {"add_bytes", of_both},
    {"matches", of_regex},
    {"matches_string", of_regex},
    {"contains_string", of_containment},
});

}  // namespace

bool needs_result(CallCost cost) { return cost == of_new_list || cost == of_result_twice; }

CallCost call_cost(std::string_view function, std::string_view overload) {
  if (const auto* rule = std::ranges::find(kExtensions, overload, &Rule::first); rule != kExtensions.end())
    return rule->second;
  if (overload.starts_with("list_") && overload.ends_with("_sort")) return of_self_comparison;
  if (overload.starts_with("list_") && overload.ends_with("_sortByAssociatedKeys")) return of_key_comparison;
  for (const FunctionRule& rule : kKubernetes)
    if (rule.function == function && (rule.overload.empty() || rule.overload == overload)) return rule.cost;
  if (const auto* rule = std::ranges::find(kOwn, overload, &Rule::first); rule != kOwn.end())
    return rule->second;
  return one;
}

}  // namespace winnow::cel
