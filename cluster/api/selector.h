// Parsing and matching of label selectors, node selectors and tolerations.
//
// A requirement is parsed once. It is then matched against strings here, or against interned columns
// elsewhere. All types are plain values without locks.
// Upstream: apimachinery v0.16.15 and v0.37.0, pkg/labels/selector.go and pkg/util/validation; kubernetes
// v1.16.15, pkg/apis/core/v1/helper; component-helpers v0.37.0, scheduling/corev1/nodeaffinity; api v0.37.0,
// core/v1/toleration.go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

struct Taint;
struct Toleration;

enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

/// A valid requirement in canonical form: the values are sorted, each once. Use the functions below to make
/// one.
struct Requirement {
  std::string key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;
  std::int64_t bound = 0;  ///< The value as a number; for Gt and Lt only.

  auto operator<=>(const Requirement&) const = default;
};

/// Parses a requirement of a node selector, with all six operators. The key and every value must be valid for
/// a label, so "Gt -1" is an error. @return the requirement, or v1.16.15's error text.
std::expected<Requirement, std::string> parse_requirement(const SelectorRequirement& written);
/// Parses a requirement of a label selector: In, NotIn, Exists and DoesNotExist only.
std::expected<Requirement, std::string> parse_label_requirement(const SelectorRequirement& written);

/// Whether the requirement matches.
/// @param value  the label's value; null if the object lacks the label.
bool matches(const Requirement& requirement, const std::string* value);

/// A label selector: all of its requirements must match. Without requirements it matches everything. The
/// special value nothing() matches nothing. The form is canonical: selectors that differ only in order or
/// repetition are equal and have equal hashes.
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

/// LabelSelectorAsSelector. An absent selector matches nothing, an empty one everything. An invalid one gives
/// v1.16.15's error text.
std::expected<Selector, std::string> parse_label_selector(const LabelSelector& written);
std::expected<Selector, std::string> parse_label_selector(const std::optional<LabelSelector>& written);
/// SelectorFromSet of v0.37.0, and SelectorFromValidatedSet of both versions. The object must have every
/// pair. Keys and values are not validated.
Selector selector_from_set(const StringMap& labels);
/// SelectorFromSet of v0.16.15: with any invalid key or value the selector matches everything.
Selector selector_from_set_v116(const StringMap& labels);

/// Parses the expressions of a node selector term as one selector. An empty list matches nothing.
/// @return the selector, or v1.16.15's error text for the first invalid one.
std::expected<Selector, std::string> parse_node_requirements(const std::vector<SelectorRequirement>& written);
/// Whether a term's matchFields match: In and NotIn with exactly one value. The only field is metadata.name;
/// others read as empty. False if one is invalid; true for an empty list.
bool match_fields(const std::vector<SelectorRequirement>& fields, std::string_view node_name);
/// Whether one term matches a node. An empty or invalid term does not match.
bool matches(const NodeSelectorTerm& term, const StringMap& labels, std::string_view node_name);
/// Whether a node selector matches: one of its terms must. Without terms it matches nothing.
bool matches(const NodeSelector& selector, const StringMap& labels, std::string_view node_name);

/// Toleration.ToleratesTaint with comparison operators disabled: Gt, Lt and unknown operators tolerate
/// nothing.
bool tolerates(const Toleration& toleration, const Taint& taint);
/// Whether one of the tolerations tolerates the taint.
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

/// The tolerations of a pod, to be asked about many taints. An answer costs some comparisons or look-ups,
/// however many tolerations there are.
class Tolerations {
 public:
  /// Keeps the address: the toleration must outlive this.
  void add(const Toleration& toleration);
  void add(Toleration&&) = delete;
  bool tolerate(const Taint& taint) const;

 private:
  using Values = std::unordered_set<std::string_view, TextHash>;
  /// By effect, then by key; "" is every one.
  using ByKey = std::unordered_map<std::string_view, Values, TextHash>;
  using ByEffect = std::unordered_map<std::string_view, ByKey, TextHash>;
  static bool has(const ByEffect& all, std::string_view effect, std::string_view key, std::string_view value);
  void put(const Toleration& toleration);

  /// Up to so many are compared one by one: most pods have two, and tables take longer to make than to use.
  static constexpr std::size_t kFew = 6;
  std::array<const Toleration*, kFew> few_{};
  std::size_t count_ = 0;  ///< With more than kFew all are in the tables.
  ByEffect exists_;        ///< With the value "".
  ByEffect equal_;
};

/// Whether the text is a label key: "name" or "dns.subdomain/name".
bool is_qualified_name(std::string_view text);
/// Whether the text is empty, or up to 63 of [-A-Za-z0-9_.] with an alphanumeric at both ends.
bool is_valid_label_value(std::string_view text);
/// Go's strconv.ParseInt(text, 10, 64): an optional sign, "+" or "-", then only digits.
std::optional<std::int64_t> parse_int64(std::string_view text);

}  // namespace winnow

template <>
struct std::hash<winnow::Selector> {
  std::size_t operator()(const winnow::Selector& selector) const { return selector.hash(); }
};
