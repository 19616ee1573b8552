// The pods of each group, in order of name.
#pragma once

#include <span>
#include <vector>

#include "cluster/state/pod_record.h"

namespace winnow {

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
