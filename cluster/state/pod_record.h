// The record of a pod (the parts that the state keeps), hashes of these parts, and the pods of a group.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

struct Footprint;
struct OwnerReference;
struct Pod;
struct PodSpec;

/// The start time of a pod that has not started: later than any other. Upstream takes the present for it.
inline constexpr std::int64_t kNotStarted = std::numeric_limits<std::int64_t>::max();

/// A pod of the state. Values that many pods share are interned, and the record has their ids.
struct PodRecord {
  std::string name;  ///< "" in a free record.
  std::string uid;
  std::uint64_t resource_version = 0;     ///< As a number; 0: none, or not a number.
  GroupId group = kNone;                  ///< The namespace, the labels, and whether it is being deleted.
  std::uint32_t spec = kNone;             ///< Read by State::spec(); without nodeName.
  std::uint32_t footprint = kNone;        ///< Read by State::footprint().
  TermListId terms = kNone;               ///< In State::terms.
  std::uint32_t owner = kNone;            ///< The controller; kNone without one.
  NodeId node = kNone;                    ///< kNone: pending, or on a node that the state does not know.
  std::uint32_t slot = 0;                 ///< Its index in State::pods_on(node).
  std::uint32_t place = 0;                ///< Its index in GroupMembers::of(group).
  bool assigned = false;                  ///< spec.nodeName is set.
  bool preempted = false;                 ///< It is being deleted, and a preemption is the reason.
  std::int64_t start_time = kNotStarted;  ///< status.startTime, in seconds since 1970.
};

// Hashes of the parts of pods that the state interns.

// Each hash takes in every field. A field that is left out would make all pods that differ only there
// collide, and each of their events would compare the pod with all of them.
struct PodSpecHash {
  std::size_t operator()(const PodSpec& spec) const;
};
/// The part of a spec that the pods of one controller share. It lacks nodeName, and the volumes that no rule
/// reads: they have names of their own in each pod (kube-api-access-xxxxx). A spec that lacks these is its
/// own shared part.
struct SharedSpec {
  const PodSpec& spec;
  explicit operator PodSpec() const;
};
struct SharedSpecHash {
  std::size_t operator()(SharedSpec shared) const;
  std::size_t operator()(const PodSpec& spec) const { return (*this)(SharedSpec{spec}); }
};
struct SharedSpecEqual {
  bool operator()(const PodSpec& one, SharedSpec other) const;
};
struct FootprintHash {
  std::size_t operator()(const Footprint& footprint) const;
};
struct OwnerHash {
  std::size_t operator()(const OwnerReference& owner) const;
};

// The pods of each group, and the first of them by name.

/// The pods of every group that have a node, known or not. A pod is added and removed in constant time. The
/// first by name is sought when it is asked for, among the pods that have come since. One writer at a time;
/// const functions may run concurrently.
class GroupMembers {
 public:
  /// @param pods  the records by id, which give the names and have the places; must outlive this.
  explicit GroupMembers(std::vector<PodRecord>& pods) : pods_(pods) {}

  /// Adds a pod that is in no group. remove() needs a pod that is in the group.
  void add(GroupId group, PodId pod);
  void remove(GroupId group, PodId pod);

  /// The pods of a group, in no particular order; empty for an unknown group.
  std::span<const PodId> of(GroupId group) const {
    return group < groups_.size() ? std::span<const PodId>(groups_[group].pods) : std::span<const PodId>();
  }
  /// The pod of a group with the lowest name; kNone for a group without pods.
  PodId first(GroupId group) const;

 private:
  /// What is known of a group's first pod.
  struct First {
    PodId pod;
    std::uint32_t among;  ///< It is the first of so many, at the head of the list.
  };
  static constexpr First kNotSought{kNone, 0};
  struct Group {
    std::vector<PodId> pods;
    mutable std::atomic<First> first = kNotSought;  ///< Any reader may go on with it.
  };
  void put(Group& group, std::size_t place, PodId pod);

  std::vector<PodRecord>& pods_;
  std::deque<Group> groups_;  ///< By GroupId.
};

}  // namespace winnow
