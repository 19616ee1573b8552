// What every object has, and the selectors that objects carry.
//
// cluster/api holds the API objects as plain structs: the API's field names in snake_case, only the fields
// that a rule reads, no behaviour. kinds.h is the table of the kinds. A field is a std::optional where
// absent means something else than empty. The structs own their strings; copy and move freely.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace winnow {

/// Labels, annotations and every other string-to-string map, in key order.
using StringMap = std::map<std::string, std::string, std::less<>>;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;

  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string namespace_;  ///< Empty for what is not namespaced.
  std::string uid;
  std::string resource_version;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::optional<std::int64_t> creation_timestamp;  ///< Seconds since 1970, UTC.
  bool deleting = false;                           ///< deletionTimestamp is set.

  bool operator==(const ObjectMeta&) const = default;
};

/// A requirement of a label selector, a node selector or a topology selector. The operator is kept as
/// written, for what an unknown one means differs from user to user (see cluster/api/selector).
struct SelectorRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  bool operator==(const SelectorRequirement&) const = default;
};

/// metav1.LabelSelector. Where the API has a pointer to one, absent (matches nothing) and empty
/// (matches everything) differ: those fields are std::optional<LabelSelector>.
struct LabelSelector {
  StringMap match_labels;
  std::vector<SelectorRequirement> match_expressions;

  bool operator==(const LabelSelector&) const = default;
};

struct NodeSelectorTerm {
  std::vector<SelectorRequirement> match_expressions;
  std::vector<SelectorRequirement> match_fields;

  bool operator==(const NodeSelectorTerm&) const = default;
};

/// Terms are ORed; no terms match nothing.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  bool operator==(const NodeSelector&) const = default;
};

struct Namespace {
  ObjectMeta metadata;
};

}  // namespace winnow
