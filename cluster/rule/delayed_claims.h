// Claims that wait for their first consumer, and what nodes have for them.
#pragma once

#include <string>
#include <vector>

#include "cluster/rule/provisioning.h"
#include "cluster/rule/volume_candidates.h"

namespace winnow {

/// What serves a pod's claims on one node.
struct ServedBy {
  struct Bound {
    const PersistentVolumeClaim* claim;
    const PersistentVolume* volume;
  };
  struct Made {
    const PersistentVolumeClaim* claim;
    const CsiStorageCapacity* from;  ///< Null where nobody asks.
  };
  std::vector<Bound> bound;
  std::vector<Made> made;
};

/// Each claim finds a volume on the node, or can be given a new one. Claims are served smallest first, and a
/// volume that one takes is gone for the next; a claim that was promised to a node (selected-node) fits that
/// node alone, and is made there. Claims of equal size keep the pod's order. The view outlives it. Upstream:
/// pkg/controller/volume/scheduling/scheduler_binder.go FindPodVolumes v1.16.15;
/// pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes v1.37.0.
class DelayedClaims {
 public:
  /// @param claims  PodClaims::delayed.
  DelayedClaims(const View& view, const std::vector<const PersistentVolumeClaim*>& claims,
                Generation generation);

  bool empty() const { return promised_.empty() && unbound_.empty() && error_.empty(); }
  /// Some claim is promised to a node, and not to this one alone: upstream looks no further.
  bool are_promised_elsewhere(NodeId node) const { return !promised_.empty() && node != selected_; }
  /// Upstream's error on any other node, or "".
  const std::string& error() const { return error_; }

  /// On a node that they are not promised away from, when there is no error. @param by  filled if given.
  Served serve(NodeId node, ServedBy* by = nullptr) const;

 private:
  using Claim = const PersistentVolumeClaim*;
  struct Promised {
    Claim claim;
    Provisioning provisioning;
  };
  /// A claim to find a volume for, or else to make one.
  struct Unbound {
    Claim claim;
    VolumeCandidates candidates;
    Provisioning provisioning;
  };

  void promise(const View& view, Claim claim, const std::string& node, Generation generation);
  bool add_unbound(const View& view, Claim claim, Generation generation);
  static Served make(Claim claim, const Provisioning& provisioning, NodeId node, ServedBy* by);

  std::vector<Promised> promised_;
  NodeId selected_ = kNone;  ///< The only node that promised claims can be on.
  std::vector<Unbound> unbound_;
  std::string error_;
};

}  // namespace winnow
