// What an unbound claim can get on a node: a free volume, or a new one that can be made there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/rule/node_matcher.h"
#include "cluster/state/volumes.h"

namespace winnow {

/// The nodes that a volume can be used on, bound to a view. A volume without node affinity can be used on
/// all. Upstream does not know the node's name here: classic matchFields match as if it were "", and today's
/// are ignored if they are valid.
/// Upstream: pkg/volume/util/util.go CheckNodeAffinity v1.16.15; component-helpers v0.37.0 storage/volume
/// CheckNodeAffinity.
class VolumeAffinity {
 public:
  VolumeAffinity(const View& view, const std::optional<NodeSelector>& required, Generation generation);
  bool matches(NodeId node) const;
  bool is_everywhere() const { return everywhere_; }

 private:
  bool everywhere_ = false;
  std::vector<NodeMatcher> terms_;
};

/// The volumes that the claims of a pod have taken on a node.
class TakenVolumes {
 public:
  void add(const PersistentVolume* volume) {
    if (few_.size() < kFew)
      few_.push_back(volume);
    else
      others_.insert(volume);
  }
  bool contains(const PersistentVolume* volume) const {
    return std::ranges::contains(few_, volume) || (!others_.empty() && others_.contains(volume));
  }

 private:
  static constexpr std::size_t kFew = 8;  ///< Nearly every pod has no more.
  std::vector<const PersistentVolume*> few_;
  std::unordered_set<const PersistentVolume*> others_;
};

/// The volumes that suit one claim. The state keeps local volumes, whose affinity asks for one value of a
/// label, by that value; a node's labels lead to its own. Other volumes are grouped here by equal affinities,
/// once, so that a node is matched once a group. Of volumes of equal size the first by name is taken;
/// upstream takes any. The view must outlive the object.
/// Upstream: pkg/controller/volume/persistentvolume/util FindMatchingVolume v1.16.15; component-helpers
/// v0.37.0 storage/volume FindMatchingVolume.
class VolumeCandidates {
 public:
  /// @param selector  the claim's selector, parsed; without one the labels of volumes do not matter.
  VolumeCandidates(const View& view, const PersistentVolumeClaim& claim,
                   const std::optional<Selector>& selector, Generation generation);

  /// The volume that the claim takes on the node. A volume whose claimRef names the claim comes first; if the
  /// node cannot use it, there is none. Otherwise it is the smallest that suits.
  /// @param taken  volumes that other claims have taken. @return null if there is none.
  const PersistentVolume* match(NodeId node, const TakenVolumes& taken) const;

 private:
  /// A volume whose claimRef names the claim.
  struct Prebound {
    const PersistentVolume* volume;
    VolumeAffinity affinity;
  };
  struct Group {
    VolumeAffinity affinity;
    std::vector<const FreeVolume*> volumes;  ///< The smallest first.
  };
  /// The state's volumes by the values of a label.
  struct Local {
    Column<Symbol> label;
    const std::unordered_map<Symbol, VolumesBySize>* volumes;
  };
  void add_prebound(const View& view, const PersistentVolumeClaim& claim);
  void add_free(const View& view, const FreeVolumes& free);
  /// Whether a volume suits the claim, its size and its place apart.
  bool suits(const FreeVolume& volume) const {
    return suitable_kinds_[volume.kind] && (!selector_ || selector_->matches(volume.volume->metadata.labels));
  }
  const FreeVolume* local(NodeId node, const Local& volumes, const TakenVolumes& taken) const;

  const Generation generation_;
  Quantity size_;
  std::optional<Selector> selector_;
  std::vector<std::uint8_t> suitable_kinds_;  ///< By id in Volumes::kinds().
  std::vector<Prebound> prebound_;            ///< By name.
  std::vector<Local> local_;
  std::vector<Group> groups_;
};

// The nodes for which a new volume can be made for a claim.

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
