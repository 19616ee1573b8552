// Label selectors, node selectors and tolerations: what parses, and what matches.
// Upstream: apimachinery v0.16.15 and v0.37.0, pkg/labels/selector.go and pkg/util/validation; kubernetes
// v1.16.15, pkg/apis/core/v1/helper; component-helpers v0.37.0, scheduling/corev1/nodeaffinity; api v0.37.0,
// core/v1/toleration.go. Parsing and matching are apart, so that a requirement is parsed once and then
// evaluated here on strings or elsewhere on interned columns. Everything here is a value without locks.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/model/meta.h"
#include "cluster/model/node.h"

namespace winnow {

enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

/// A valid requirement in canonical form: values sorted, each once. Make it with the functions below.
struct Requirement {
  std::string key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;
  std::int64_t bound = 0;  ///< The value as a number; Gt and Lt only.

  auto operator<=>(const Requirement&) const = default;
};

/// A node selector's requirement: all six operators, key and every value valid as a label's (so "Gt -1" is
/// an error). @return the requirement, or v1.16.15's error text.
std::expected<Requirement, std::string> parse_requirement(const SelectorRequirement& written);
/// A label selector's requirement: In, NotIn, Exists and DoesNotExist only.
std::expected<Requirement, std::string> parse_label_requirement(const SelectorRequirement& written);

/// @param value the label's value, or null where the object has no such label.
bool matches(const Requirement& requirement, const std::string* value);

/// All of some requirements; everything if there are none; or nothing at all. Canonical: selectors that
/// were written in another order or with repetitions are equal, and hash alike.
class Selector {
 public:
  static Selector everything() { return Selector(); }
  static Selector nothing();
  static Selector all_of(std::vector<Requirement> requirements);

  bool matches(const StringMap& labels) const;
  bool is_nothing() const { return nothing_; }
  bool is_everything() const { return !nothing_ && requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }

  bool operator==(const Selector&) const = default;
  std::size_t hash() const;

 private:
  bool nothing_ = false;
  std::vector<Requirement> requirements_;
};

/// LabelSelectorAsSelector: absent matches nothing, empty everything, an invalid one is an error (v1.16.15's
/// text).
std::expected<Selector, std::string> parse_label_selector(const LabelSelector& written);
std::expected<Selector, std::string> parse_label_selector(const std::optional<LabelSelector>& written);
/// SelectorFromSet of v0.37.0, and SelectorFromValidatedSet of both: every pair must be there; nothing is
/// validated.
Selector selector_from_set(const StringMap& labels);
/// SelectorFromSet of v0.16.15: an invalid key or value anywhere makes it match everything.
Selector selector_from_set_v116(const StringMap& labels);

/// The expressions of a node selector term, as one selector: none at all match nothing.
/// @return the selector, or v1.16.15's text for the first invalid one.
std::expected<Selector, std::string> parse_node_requirements(const std::vector<SelectorRequirement>& written);
/// matchFields: In and NotIn with exactly one value, where the only field is metadata.name (any other field
/// reads as empty). False for anything invalid; true for an empty list.
bool match_fields(const std::vector<SelectorRequirement>& fields, std::string_view node_name);
/// One term on a node: an empty or an invalid term does not match.
bool matches(const NodeSelectorTerm& term, const StringMap& labels, std::string_view node_name);
/// Terms are ORed; no terms match nothing.
bool matches(const NodeSelector& selector, const StringMap& labels, std::string_view node_name);
/// Allowed topologies of a class: no terms match everything, an empty or invalid term matches nothing.
bool match_topologies(const std::vector<std::vector<SelectorRequirement>>& terms, const StringMap& labels);

/// Toleration.ToleratesTaint with comparison operators off: Gt, Lt and unknown operators tolerate nothing.
bool tolerates(const Toleration& toleration, const Taint& taint);
/// Any of them does.
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

/// "name" or "dns.subdomain/name".
bool is_qualified_name(std::string_view text);
/// Empty, or up to 63 of [-A-Za-z0-9_.] with an alphanumeric at both ends.
bool is_valid_label_value(std::string_view text);
/// Go's strconv.ParseInt(text, 10, 64): a sign of either kind, leading zeros, nothing else.
std::optional<std::int64_t> parse_int64(std::string_view text);

}  // namespace winnow

template <>
struct std::hash<winnow::Selector> {
  std::size_t operator()(const winnow::Selector& selector) const { return selector.hash(); }
};
