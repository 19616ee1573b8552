// Where the pods that a selector matches run: counts kept, never recounted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/state/indexes/selector_index.h"
#include "cluster/state/nodes/counts_by_node.h"

namespace winnow {

/// Pods that no selector can tell apart: one namespace, one label set, all or none of them being deleted.
struct PodGroupKey {
  Symbol ns = kNone;
  LabelSet labels;
  bool deleting = false;
  bool operator==(const PodGroupKey&) const = default;
};
struct PodGroupKeyHash {
  std::size_t operator()(const PodGroupKey& key) const;
};
using GroupId = std::uint32_t;

/// Which pods are asked for: those of some namespaces that match a selector. What asks for several such
/// things of the same pod at once is one query too: see both_of().
struct PodQuery {
  std::vector<std::string> namespaces;  ///< Sorted, each once; empty: all of them.
  Selector selector;
  bool deleting = false;  ///< Pods that are being deleted count too.

  bool operator==(const PodQuery&) const = default;
  bool matches(std::string_view ns, const StringMap& labels, bool is_deleting) const {
    return (deleting || !is_deleting) && has_namespace(ns) && selector.matches(labels);
  }
  bool has_namespace(std::string_view ns) const {
    return namespaces.empty() || std::ranges::binary_search(namespaces, ns);
  }
};
struct PodQueryHash {
  std::size_t operator()(const PodQuery& query) const;
};
/// The pods that two queries both ask for.
PodQuery both_of(const PodQuery& a, const PodQuery& b);

/// All pods by group, and the counts of the queries that somebody asks ("classes"). A pod that comes
/// or goes costs a few increments: its group's and those of the classes that its group belongs to.
/// One writer at a time; const functions may run concurrently with each other.
class PodGroups {
 public:
  explicit PodGroups(Symbols& symbols);
  ~PodGroups();

  /// The group of a pod; holds a reference until release().
  GroupId acquire(Symbol ns, const StringMap& labels, bool deleting);
  void release(GroupId group);
  /// A pod of the group is now on the node (or no longer: by = -1).
  void change(GroupId group, NodeId node, std::int32_t by);

  const PodGroupKey& operator[](GroupId group) const { return keys_[group]; }

  /// Adds to out[node] the pods that the query asks for. For one that is not kept yet the groups of its
  /// namespaces are gone through, and it is queued for the writer (keep_wanted).
  void count(const PodQuery& wanted, std::span<std::int32_t> out) const;

  /// Starts keeping the classes that count() has queued. @return how many.
  std::size_t keep_wanted();
  bool has_wanted() const;

  /// The groups of a namespace, in no order that means anything.
  std::span<const GroupId> groups_in(Symbol ns) const;

  std::size_t groups() const { return keys_.size(); }
  std::size_t classes() const { return classes_.size(); }

 private:
  struct Class;
  struct Group {
    CountsByNode nodes;
    std::vector<Class*> classes;
  };
  void keep(const PodQuery& query);
  bool matches(const PodQuery& query, const PodGroupKey& group) const;
  /// Calls visit(group) for every group that the query asks for.
  template <class Visit>
  void visit_groups(const PodQuery& query, const Visit& visit) const;

  Symbols& symbols_;
  Pool<PodGroupKey, PodGroupKeyHash> keys_;
  std::vector<Group> groups_;  ///< By GroupId.
  std::unordered_map<Symbol, std::vector<GroupId>> groups_in_;
  SelectorIndex<Class*> index_;  ///< Of classes_.
  std::unordered_map<PodQuery, std::unique_ptr<Class>, PodQueryHash> classes_;

  mutable Mutex wanted_mutex_;
  mutable std::vector<PodQuery> wanted_ WINNOW_GUARDED_BY(wanted_mutex_);
};

}  // namespace winnow
