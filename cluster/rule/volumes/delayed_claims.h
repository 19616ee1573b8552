// A pod's claims that wait for their first consumer, and the volumes that a node can give them.
//
// Such a claim is of a class with volumeBindingMode WaitForFirstConsumer, and has no volume yet.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/rule/volumes/provisioning.h"
#include "cluster/rule/volumes/volume_candidates.h"

namespace winnow {

/// The volumes that serve a pod's claims on one node: existing ones, and ones still to be made.
struct ServedBy {
  struct Bound {
    const PersistentVolumeClaim* claim;
    const PersistentVolume* volume;
  };
  struct Made {
    const PersistentVolumeClaim* claim;
    const CsiStorageCapacity* from;  ///< Null where the driver's capacity is not checked.
  };
  std::vector<Bound> bound;
  std::vector<Made> made;
};

/// The delayed claims of one pod, matched with the volumes of one node at a time. A claim takes a free volume
/// that the node can use; without one, a new volume must be possible there. Claims are served smallest first,
/// and claims of equal size in the pod's order. A volume that one claim takes is gone for the next.
/// A claim with the annotation selected-node is promised to that node: its volume is made there and nowhere
/// else. The view must outlive the object.
/// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go FindPodVolumes v1.16.15;
/// pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes v1.37.0.
class DelayedClaims {
 public:
  /// @param claims  PodClaims::delayed.
  DelayedClaims(const View& view, const std::vector<const PersistentVolumeClaim*>& claims,
                Generation generation);

  bool empty() const { return promised_.empty() && unbound_.empty() && error_.empty(); }
  /// Whether some claim is promised to another node than this one. Upstream then looks at no other claim.
  bool are_promised_elsewhere(NodeId node) const { return !promised_.empty() && node != selected_; }
  /// The error that upstream meets on every node that the claims are not promised away from; "" if none.
  const std::string& error() const { return error_; }

  /// Serves all claims on one node. Call it only if error() is empty and the claims are not promised
  /// elsewhere.
  /// @param by  if given, the volumes are added to it, also those found before a claim that cannot be served.
  Served serve(NodeId node, ServedBy* by = nullptr) const;

 private:
  using Claim = const PersistentVolumeClaim*;
  struct Promised {
    Claim claim;
    const Provisioning* provisioning;
  };
  /// A claim without a promise: a free volume serves it, or else a new one.
  struct Unbound {
    Claim claim;
    const VolumeCandidates* candidates;
    const Provisioning* provisioning;
  };

  void promise(const View& view, Claim claim, const std::string& node, Generation generation);
  bool add_unbound(const View& view, Claim claim, Generation generation);
  static Served make(Claim claim, const Provisioning& provisioning, NodeId node, ServedBy* by);

  // A pod may mount one claim many times. What serves it is worked out once.
  std::map<Claim, Provisioning> provisioning_;
  std::map<Claim, VolumeCandidates> candidates_;
  std::vector<Promised> promised_;
  NodeId selected_ = kNone;  ///< The node that all promised claims name; kNone if they name several.
  std::vector<Unbound> unbound_;
  std::string error_;
};

}  // namespace winnow
