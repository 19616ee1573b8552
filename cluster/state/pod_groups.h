// Where the pods that a selector matches run: counts kept, never recounted.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "cluster/selector.h"
#include "cluster/state/node_table.h"

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

/// A number of pods by node, nodes with none left out, in node order. An app's pods are on few nodes.
class CountsByNode {
 public:
  void change(NodeId node, std::int32_t by);
  /// Adds the counts to out[node]; every node here must be below out.size().
  void add_to(std::span<std::int32_t> out) const;
  void add(const CountsByNode& other) {
    for (const Entry& entry : other.entries_) change(entry.node, entry.pods);
  }
  bool operator==(const CountsByNode&) const = default;

 private:
  struct Entry {
    NodeId node = kNone;
    std::int32_t pods = 0;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries_;
};

/// Pods of one namespace, not being deleted, that match one selector.
struct SelectorClass {
  Symbol ns = kNone;
  Selector selector;
  bool operator==(const SelectorClass&) const = default;
};

/// All pods by group, and the counts of the selectors that somebody asks about ("classes"). A pod that comes
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

  /// Adds to out[node] the pods that the class counts there. For a class that is not kept yet the groups of
  /// its namespace are gone through, and the class is queued for the writer (keep_wanted).
  void count(const SelectorClass& wanted, std::span<std::int32_t> out) const;

  /// Starts keeping the classes that count() has queued. @return how many.
  std::size_t keep_wanted();
  bool has_wanted() const;

  /// The groups of a namespace, in no order that means anything.
  std::span<const GroupId> groups_in(Symbol ns) const;

  std::size_t groups() const { return keys_.size(); }
  std::size_t classes() const { return classes_.size(); }

  /// Whether a pod of this group counts for the class.
  bool matches(const SelectorClass& cls, const PodGroupKey& group) const;

 private:
  struct Class;
  struct Group {
    CountsByNode nodes;
    std::vector<Class*> classes;
  };
  struct ClassHash {
    std::size_t operator()(const SelectorClass& cls) const { return hash_mix(cls.selector.hash(), cls.ns); }
  };
  void keep(const SelectorClass& cls);

  Symbols& symbols_;
  Pool<PodGroupKey, PodGroupKeyHash> keys_;
  std::vector<Group> groups_;  ///< By GroupId.
  std::unordered_map<Symbol, std::vector<GroupId>> groups_in_;
  std::unordered_map<Symbol, std::vector<Class*>> classes_in_;
  std::unordered_map<SelectorClass, std::unique_ptr<Class>, ClassHash> classes_;

  mutable std::mutex wanted_mutex_;
  mutable std::vector<SelectorClass> wanted_;  ///< Guarded by wanted_mutex_.
};

}  // namespace winnow
