// The nodes for which a new volume can be made for a claim.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/rule/node_matcher.h"

namespace winnow {

/// Whether a node can serve claims that wait for their first consumer.
enum class Served : std::uint8_t {
  kYes,
  kNoVolume,  ///< There is no free volume, and none can be made.
  kNoSpace,   ///< A volume could be made, but the driver reports too little room. Today's generation only.
};

/// The provisioning of one claim: its class must have a provisioner, and must allow the node's topology.
/// Today's generation also wants enough room in a CSIStorageCapacity of the class, if the CSIDriver publishes
/// them. Upstream takes any capacity that has room; here it is the first by namespace and name. The view must
/// outlive the object.
/// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go checkVolumeProvisions v1.16.15;
/// pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions, hasEnoughCapacity v1.37.0.
class Provisioning {
 public:
  /// @param claim  the view must have its class.
  Provisioning(const View& view, const PersistentVolumeClaim& claim, Generation generation);

  /// Whether a volume can be made for the node.
  /// @param from  if given, set to the capacity that has room; null if none was looked for, or none has.
  Served at(NodeId node, const CsiStorageCapacity** from = nullptr) const;

 private:
  using Entry = ClassCapacities::List::value_type;
  /// The capacities for one value of a label, found by the node's value.
  struct Local {
    Column<Symbol> label;
    const std::unordered_map<Symbol, ClassCapacities::List>* capacities;
  };
  /// A capacity with another topology, matched node by node.
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
  std::int64_t size_ = 0;  ///< Bytes that the claim asks for.
  std::vector<Local> local_;
  std::vector<Other> others_;  ///< Those with enough room, by namespace and name.
};

}  // namespace winnow
