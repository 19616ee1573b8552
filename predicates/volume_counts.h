// What the rules that limit attached volumes share.
#pragma once

#include <expected>
#include <functional>

#include "predicates/rules.h"

namespace winnow::predicates {

inline constexpr const char* kTooManyVolumes = "node(s) exceed max volume count";

/// What the pod's volumes come to, each once. A claim that is not there comes to nothing.
/// @return upstream's error where a claim has no name.
std::expected<std::vector<AttachableName>, std::string> attachables(const Request& request);

/// The volumes that a pod brings under one limit.
class NewVolumes {
 public:
  NewVolumes(const View& view, std::string_view limit) : view_(view), columns_(view.attach_limit(limit)) {}

  void add(const AttachableName& volume);
  bool empty() const { return count_ == 0; }

  /// How many of them no pod of the node has yet.
  std::int64_t missing(NodeId node) const;
  std::int64_t attached(NodeId node) const { return columns_.attached[node]; }
  /// The CSINode has the driver.
  bool is_installed(NodeId node) const { return columns_.installed[node] != 0; }
  /// The limit that the CSINode sets, or kNoLimit.
  std::int64_t by_driver(NodeId node) const { return columns_.by_driver[node]; }
  /// The limit that the Node sets, or kNoLimit.
  std::int64_t offered(NodeId node) const { return columns_.offered[node]; }
  /// The limit that the CSINode sets, or else the Node, or kNoLimit.
  std::int64_t limit(NodeId node) const {
    const std::int64_t by_driver = columns_.by_driver[node];
    return by_driver != AttachTable::kNoLimit ? by_driver : columns_.offered[node];
  }

 private:
  const View& view_;
  const AttachColumns columns_;
  std::int64_t count_ = 0;
  std::vector<std::uint32_t> known_;  ///< Those that some node has.
};

/// Whether the rule looks at what nodes say; see AttachLimits.
bool limits_by_node(const Arguments& arguments);

/// Fails a node that would have more volumes of an in-tree kind than it may. The limit is the Node's
/// allocatable (unless AttachLimits says otherwise), or the environment's KUBE_MAX_PD_VOLS if that is a
/// positive number (as upstream reads it; here once a request), or the default. A node that is over its limit
/// refuses a pod with a volume of the kind even if it has that volume; null for a pod without one. Upstream:
/// predicates.go MaxPDVolumeCountChecker v1.16.15, CSI migration off.
std::unique_ptr<const Predicate> max_volume_count(const Request& request, const Arguments& arguments,
                                                  std::string_view limit,
                                                  std::function<std::int64_t(NodeId)> default_limit);

}  // namespace winnow::predicates
