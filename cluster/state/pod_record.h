// The record of a pod (the parts that the state keeps), hashes of these parts, and the pods of a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

struct Footprint;
struct OwnerReference;
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
struct FootprintHash {
  std::size_t operator()(const Footprint& footprint) const;
};
struct OwnerHash {
  std::size_t operator()(const OwnerReference& owner) const;
};

// The pods of each group, in order of name.

/// The pods of every group that have a node, known or not, in order of their names. The first pod of a group
/// is found without a search. One writer at a time; const functions may run concurrently.
class GroupMembers {
 public:
  /// @param pods  the records by id, which give the names; must outlive this.
  explicit GroupMembers(const std::vector<PodRecord>& pods) : pods_(pods) {}

  /// The pod's record must have its name. remove() needs a pod that is in the group.
  void add(GroupId group, PodId pod);
  void remove(GroupId group, PodId pod);

  /// The pods of a group; empty for an unknown group.
  std::span<const PodId> of(GroupId group) const {
    return group < members_.size() ? std::span<const PodId>(members_[group]) : std::span<const PodId>();
  }

 private:
  std::vector<PodId>::iterator place_of(std::vector<PodId>& members, PodId pod);

  const std::vector<PodRecord>& pods_;
  std::vector<std::vector<PodId>> members_;  ///< By GroupId.
};

}  // namespace winnow
