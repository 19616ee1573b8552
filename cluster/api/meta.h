// What API objects have in common: metadata, selectors, and stores of a kind.
//
// cluster/api has the API objects as plain structs. They use the API's field names in snake_case, have only
// the fields that a rule reads, and have no behaviour. kinds.h is the table of the kinds. A field is a
// std::optional where an absent value differs from an empty one. The structs own their strings and can be
// copied and moved.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// A map of labels, annotations or other strings, in order of key.
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
  std::string namespace_;  ///< Empty for a cluster-scoped object.
  std::string uid;
  std::string resource_version;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::optional<std::int64_t> creation_timestamp;  ///< Seconds since 1970, UTC.
  bool deleting = false;                           ///< deletionTimestamp is set.

  bool operator==(const ObjectMeta&) const = default;
};

/// The owner that controls the object; null: none does.
inline const OwnerReference* controller_of(const ObjectMeta& object) {
  for (const OwnerReference& owner : object.owner_references)
    if (owner.controller) return &owner;
  return nullptr;
}

/// A requirement of a label selector, a node selector or a topology selector. The operator is kept as
/// written: its users treat an unknown one differently (see cluster/api/selector.h).
struct SelectorRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  bool operator==(const SelectorRequirement&) const = default;
};

/// A metav1.LabelSelector. Where the API has a pointer, absent (matches nothing) and empty (matches
/// everything) differ. Such fields are std::optional<LabelSelector>.
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

/// A list of ORed terms. Without terms it matches nothing.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  bool operator==(const NodeSelector&) const = default;
};

struct Namespace {
  ObjectMeta metadata;

  bool operator==(const Namespace&) const = default;
};

// A store: the objects of one kind by namespace and name.

/// The key of an object: "NAMESPACE/NAME", or NAME if it has no namespace.
/// Upstream: client-go's tools/cache/store.go MetaNamespaceKeyFunc v0.37.0.
inline std::string key_of(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : std::string(ns).append(1, '/').append(name);
}
inline std::string key_of(const ObjectMeta& meta) { return key_of(meta.namespace_, meta.name); }

/// The objects of one kind by key_of(), in order of key.
template <class Object>
using Store = std::map<std::string, Object, std::less<>>;

}  // namespace winnow
