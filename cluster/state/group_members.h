// Which pods a group has.
#pragma once

#include <span>
#include <vector>

#include "cluster/state/pod_record.h"

namespace winnow {

/// The pods of every group that have a node, known or not, in order of their names: which is the first is
/// known without going through them. One writer at a time; const functions may be concurrent.
class GroupMembers {
 public:
  /// @param pods  names the pods by their ids; outlives this.
  explicit GroupMembers(const std::vector<PodRecord>& pods) : pods_(pods) {}

  void add(GroupId group, PodId pod);
  void remove(GroupId group, PodId pod);

  std::span<const PodId> of(GroupId group) const {
    return group < members_.size() ? std::span<const PodId>(members_[group]) : std::span<const PodId>();
  }

 private:
  std::vector<PodId>::iterator place_of(std::vector<PodId>& members, PodId pod);

  const std::vector<PodRecord>& pods_;
  std::vector<std::vector<PodId>> members_;  ///< By GroupId.
};

}  // namespace winnow
