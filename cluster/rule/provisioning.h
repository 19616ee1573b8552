// Where a volume can be made for a claim.
#pragma once

#include <vector>

#include "cluster/rule/node_matcher.h"

namespace winnow {

/// How a node serves claims that wait for their first consumer.
enum class Served : std::uint8_t {
  kYes,
  kNoVolume,  ///< There is none, and none can be made.
  kNoSpace,   ///< One could be made, but the driver reports too little room. Today's only.
};

/// What a claim's class says about where it makes volumes, and, today, where its driver reports room enough.
/// Of several capacities that would do upstream takes any, here the first by namespace and name is taken.
/// The view outlives it. Upstream: pkg/controller/volume/scheduling/scheduler_binder.go checkVolumeProvisions
/// v1.16.15; pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions, hasEnoughCapacity
/// v1.37.0.
class Provisioning {
 public:
  /// @param claim  its class is there.
  Provisioning(const View& view, const PersistentVolumeClaim& claim, Generation generation);

  /// @param from  set to the capacity that was found, if one was looked for.
  Served at(NodeId node, const CsiStorageCapacity** from = nullptr) const;

 private:
  using Entry = ClassCapacities::List::value_type;
  struct Local {
    Column<Symbol> label;
    const std::unordered_map<Symbol, ClassCapacities::List>* capacities;
  };
  struct Other {
    const Entry* entry;
    NodeMatcher nodes;
  };

  void look_for_room(const View& view, const std::string& storage_class);
  bool has_room(const CsiStorageCapacity& capacity) const;
  const CsiStorageCapacity* room_at(NodeId node) const;

  bool possible_ = false;
  bool anywhere_ = false;
  std::vector<NodeMatcher> topologies_;
  bool needs_room_ = false;
  std::int64_t size_ = 0;
  std::vector<Local> local_;
  std::vector<Other> others_;  ///< Those with room enough, in order.
};

}  // namespace winnow
