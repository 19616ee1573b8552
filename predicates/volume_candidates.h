// Which volumes an unbound claim could take on which node.
#pragma once

#include <expected>
#include <map>
#include <unordered_map>

#include "cluster/rule/node_matcher.h"
#include "predicates/rules.h"

namespace winnow::predicates {

/// The nodes that a volume can be used on, bound to a view. Without an affinity: all of them. The node's name
/// is unknown to upstream here: fields match as if it were "".
/// Upstream: pkg/volume/util/util.go CheckNodeAffinity v1.16.15.
class VolumeAffinity {
 public:
  VolumeAffinity(const View& view, const std::optional<NodeSelector>& required);
  bool matches(NodeId node) const;
  bool is_everywhere() const { return everywhere_; }

 private:
  bool everywhere_ = false;
  std::vector<NodeMatcher> terms_;
};

/// The volumes that would do for a claim, worked out once: a node is then asked about those groups of them
/// (volumes with equal affinities) that its own labels lead to. Volumes of equal size are taken by name,
/// where upstream takes any. Upstream: pkg/controller/volume/persistentvolume/util FindMatchingVolume
/// v1.16.15.
class VolumeCandidates {
 public:
  /// @param selector  the claim's, parsed; absent: any volume.
  VolumeCandidates(const View& view, const PersistentVolumeClaim& claim,
                   const std::optional<Selector>& selector);

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
    std::vector<std::size_t> volumes;  ///< Indices in volumes_, the smallest first.
  };
  /// Groups that ask for certain values of a label.
  struct Narrow {
    Column<Symbol> label;
    std::unordered_map<Symbol, std::vector<std::size_t>> groups;  ///< Indices in groups_, by value.
  };

  void add_prebound(const View& view, const PersistentVolumeClaim& claim);
  void add_free(const View& view, const PersistentVolumeClaim& claim,
                const std::optional<Selector>& selector);
  void file_group(const View& view, std::size_t group, const std::optional<NodeSelector>& affinity);

  std::vector<Prebound> prebound_;  ///< By name.
  std::vector<const PersistentVolume*> volumes_;
  std::vector<Group> groups_;
  std::vector<std::size_t> broad_;  ///< Groups that every node is asked about.
  std::map<std::string, Narrow, std::less<>> narrow_;
};

}  // namespace winnow::predicates
