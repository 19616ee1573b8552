// A pod's claims, sorted as volume binding treats them, and what a node can give those that wait.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/rule/volume_candidates.h"

namespace winnow {

struct Cause;

/// The claims of one pod by their state, in the pod's order. A claim that two volumes name is listed twice.
/// The view owns the claims.
struct PodClaims {
  std::vector<const PersistentVolumeClaim*>
      bound;  ///< With spec.volumeName and the bind-completed annotation.
  std::vector<const PersistentVolumeClaim*> delayed;  ///< Without a volume; the class waits for a consumer.
  bool unbound_immediate = false;                     ///< Some claim is neither bound nor delayed.
};

/// Sorts the pod's claims. Today's generation includes the claims of ephemeral volumes, and does not check
/// that the pod owns them.
/// @return the claims, or upstream's error for the first that is missing, or whose class has no binding mode.
/// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go getPodVolumes v1.16.15;
/// pkg/scheduler/framework/plugins/volumebinding/binder.go GetPodVolumeClaims v1.37.0.
std::expected<PodClaims, std::string> claims_of(const View& view, const Pod& pod, Generation generation);

/// The name of the claim that a volume of the pod uses; nothing for a volume without a claim. The classic
/// generation knows no ephemeral volumes.
std::optional<std::string> claim_name(const Pod& pod, const Volume& volume, Generation generation);

/// The cause of a refusal for a claim that is not there.
Cause missing_claim(const std::string& ns, const std::string& name);

// A pod's claims that wait for their first consumer, and the volumes that a node can give them.
//
// Such a claim is of a class with volumeBindingMode WaitForFirstConsumer, and has no volume yet.

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
