#include "cluster/state/group_members.h"

#include <algorithm>

namespace winnow {

std::vector<PodId>::iterator GroupMembers::place_of(std::vector<PodId>& members, PodId pod) {
  return std::ranges::lower_bound(members, pods_[pod].name, {},
                                  [&](PodId member) -> const std::string& { return pods_[member].name; });
}

void GroupMembers::add(GroupId group, PodId pod) {
  if (members_.size() <= group) members_.resize(group + 1);
  std::vector<PodId>& members = members_[group];
  members.insert(place_of(members, pod), pod);
}

void GroupMembers::remove(GroupId group, PodId pod) {
  std::vector<PodId>& members = members_[group];
  members.erase(place_of(members, pod));
}

}  // namespace winnow
