// Which volumes an unbound claim could take on which node.
#pragma once

#include "cluster/rule/node_matcher.h"

namespace winnow {

/// The nodes that a volume can be used on, bound to a view. Without an affinity: all of them. The node's name
/// is unknown to upstream here: classic fields match as if it were "", today's are passed over if they are
/// valid. Upstream: pkg/volume/util/util.go CheckNodeAffinity v1.16.15; component-helpers v0.37.0
/// storage/volume CheckNodeAffinity.
class VolumeAffinity {
 public:
  VolumeAffinity(const View& view, const std::optional<NodeSelector>& required, Generation generation);
  bool matches(NodeId node) const;
  bool is_everywhere() const { return everywhere_; }

 private:
  bool everywhere_ = false;
  std::vector<NodeMatcher> terms_;
};

/// The volumes that would do for a claim. Those for one value of a label (local ones) stand in the state by
/// that; the others are sorted out here, once, into groups with equal affinities. A node is then asked about
/// the few that its own labels lead to. Volumes of equal size are taken by name, where upstream takes any.
/// Upstream: pkg/controller/volume/persistentvolume/util FindMatchingVolume v1.16.15; component-helpers
/// v0.37.0 storage/volume FindMatchingVolume.
class VolumeCandidates {
 public:
  /// @param selector  the claim's, parsed; absent: any volume.
  VolumeCandidates(const View& view, const PersistentVolumeClaim& claim,
                   const std::optional<Selector>& selector, Generation generation);

  /// A volume that is bound to the claim already if there is one (and then none if the node does not suit
  /// it), else the smallest that suits. @param taken  not these. @return null if there is none.
  const PersistentVolume* match(NodeId node, std::span<const PersistentVolume* const> taken) const;

 private:
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
  using Taken = std::span<const PersistentVolume* const>;

  void add_prebound(const View& view, const PersistentVolumeClaim& claim);
  void add_free(const View& view, const FreeVolumes& free);
  /// Whether a volume of sufficient size suits the claim, wherever it is.
  bool suits(const FreeVolume& volume) const {
    return suitable_kinds_[volume.kind] && (!selector_ || selector_->matches(volume.volume->metadata.labels));
  }
  const FreeVolume* local(NodeId node, const Local& volumes, Taken taken) const;

  const Generation generation_;
  Quantity size_;
  std::optional<Selector> selector_;
  std::vector<std::uint8_t> suitable_kinds_;  ///< By Volumes::kinds().
  std::vector<Prebound> prebound_;            ///< By name.
  std::vector<Local> local_;
  std::vector<Group> groups_;
};

}  // namespace winnow
