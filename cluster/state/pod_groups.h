// Pods counted by selector and node. The counts are kept up to date by each event.
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
#include "cluster/state/pool.h"
#include "cluster/state/row_values.h"
#include "cluster/state/selector_index.h"

namespace winnow {

/// The key of a group: pods that no selector can tell apart. They have one namespace and one label set, and
/// are all being deleted or all not.
struct PodGroupKey {
  Symbol ns = kNone;
  LabelSet labels;
  bool deleting = false;
  bool operator==(const PodGroupKey&) const = default;
};
struct PodGroupKeyHash {
  std::size_t operator()(const PodGroupKey& key) const;
};

/// A query for the pods of some namespaces that match a selector. Several such conditions on the same pod are
/// one query too: see AllQueries.
struct PodQuery {
  std::vector<std::string> namespaces;  ///< Sorted, each once; empty: all namespaces.
  Selector selector;
  bool deleting = false;  ///< Whether pods that are being deleted count too.

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
/// Makes one query for the pods that several queries select.
class AllQueries {
 public:
  void add(const PodQuery& query);
  /// The query; at least one must have been added. To be called once.
  PodQuery take();

 private:
  PodQuery all_;
  std::vector<Requirement> requirements_;
  bool is_first_ = true;
};

/// All pods by group, and the counts of the queries that requests ask ("classes"). A pod that comes or goes
/// costs a few increments: in its group, and in the classes that select the group. One writer at a time;
/// const functions may run concurrently with each other.
class PodGroups {
 public:
  /// @param symbols  interns namespaces and labels; must outlive this.
  explicit PodGroups(Symbols& symbols);
  ~PodGroups();

  /// The group of a pod, with a reference until release().
  GroupId acquire(Symbol ns, const StringMap& labels, bool deleting);
  /// The same for a group that has a reference.
  void hold(GroupId group) { keys_.hold(group); }
  void release(GroupId group);
  std::uint32_t references(GroupId group) const { return keys_.references(group); }
  /// Counts a pod of the group on the node (by = 1), or no longer (by = -1).
  void change(GroupId group, NodeId node, std::int32_t by);

  const PodGroupKey& operator[](GroupId group) const { return keys_[group]; }

  /// Adds the number of matching pods to out[node]. `out` has an entry for every row of the state. If the
  /// query is not a class yet, the groups of its namespaces are walked, and the query is queued for
  /// keep_wanted().
  void count(const PodQuery& wanted, std::span<std::int32_t> out) const;

  /// The numbers of matching pods, where the query is a class; null: it is none. Valid until the next change.
  const CountsByNode* find(const PodQuery& query) const;

  /// Marks the groups that the query selects, by GroupId. Groups of pending pods are among them.
  std::vector<std::uint8_t> select(const PodQuery& query) const;

  /// Makes classes of the queries that count() has queued. If it throws, there are no classes.
  /// @return the number of queries.
  std::size_t keep_wanted();
  /// Whether keep_wanted() has anything to do. Thread-safe.
  bool has_wanted() const;

  /// The groups of a namespace, in no particular order.
  std::span<const GroupId> groups_in(Symbol ns) const;

  std::size_t groups() const { return keys_.size(); }
  std::size_t classes() const { return classes_.size(); }

 private:
  struct Class;
  struct Group {
    CountsByNode nodes;
    std::vector<Class*> classes;
  };
  /// @return the number of groups that the query selects.
  std::size_t keep(const PodQuery& query);
  void drop_classes();
  bool matches(const PodQuery& query, const PodGroupKey& group) const;
  /// Calls visit(group) for every group that the query selects.
  template <class Visit>
  void visit_groups(const PodQuery& query, const Visit& visit) const;

  Symbols& symbols_;
  Pool<PodGroupKey, PodGroupKeyHash> keys_;
  PodGroupKey sought_;         ///< The key that acquire() looks for; a member for its memory.
  std::vector<Group> groups_;  ///< By GroupId.
  std::unordered_map<Symbol, Bag<GroupId>> groups_in_;
  SelectorIndex<Class*> index_;  ///< Of classes_.
  std::unordered_map<PodQuery, std::unique_ptr<Class>, PodQueryHash> classes_;
  std::size_t links_ = 0;  ///< Of all groups. To count them anew would be a walk over the groups.

  mutable Mutex wanted_mutex_;
  mutable std::vector<PodQuery> wanted_ WINNOW_GUARDED_BY(wanted_mutex_);
};

}  // namespace winnow
