// Parts that the rules which limit attached volumes share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/rule/cause.h"
#include "cluster/state/attachable.h"
#include "cluster/state/view.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

class Predicate;
struct Request;

}  // namespace winnow

namespace winnow::predicates {

inline constexpr const char* kTooManyVolumes = "node(s) exceed max volume count";

/// A list of attachable volumes, each once, in the order in which they came.
class AttachableNames {
 public:
  void add(AttachableName volume);
  std::vector<AttachableName> take() { return std::move(names_); }

 private:
  struct Hash {
    std::size_t operator()(const AttachableName& name) const {
      return hash_mix(TextHash{}(name.limit), TextHash{}(name.id));
    }
  };
  std::vector<AttachableName> names_;
  std::unordered_set<AttachableName, Hash> seen_;
};

/// The attachable volumes behind the pod's volumes, each once, as the classic rules count them. A claim that
/// does not exist gives none. @return the volumes, or upstream's error for a claim without a name.
std::expected<std::vector<AttachableName>, std::string> attachables(const Request& request);

/// The volumes of a pod that count against one limit, and the node columns of that limit.
class NewVolumes {
 public:
  NewVolumes(const View& view, std::string_view limit) : view_(view), columns_(view.attach_limit(limit)) {}

  void add(const AttachableName& volume);
  bool empty() const { return count_ == 0; }

  /// How many of the volumes no pod of the node uses yet.
  std::int64_t missing(NodeId node) const;
  /// How many of the volumes are this one, which some node has.
  std::int64_t wanted(std::uint32_t volume) const {
    const auto known = known_.find(volume);
    return known == known_.end() ? 0 : known->second;
  }
  /// How many volumes the node has attached under the limit.
  std::int64_t attached(NodeId node) const { return columns_.attached[node]; }
  /// Whether the node's CSINode has the driver.
  bool is_installed(NodeId node) const { return columns_.installed[node] != 0; }
  /// The limit that the CSINode sets, or kNoLimit.
  std::int64_t by_driver(NodeId node) const { return columns_.by_driver[node]; }
  /// The limit that the Node sets, or kNoLimit.
  std::int64_t offered(NodeId node) const { return columns_.offered[node]; }
  /// The limit that the CSINode sets, or else the one that the Node sets, or kNoLimit.
  std::int64_t limit(NodeId node) const {
    const std::int64_t by_driver = columns_.by_driver[node];
    return by_driver != AttachTable::kNoLimit ? by_driver : columns_.offered[node];
  }

 private:
  const View& view_;
  const AttachColumns columns_;
  std::int64_t count_ = 0;
  /// How many of the volumes have the id, by the ids of the volumes that some node has.
  std::map<std::uint32_t, std::int64_t> known_;
};

/// Whether limits that nodes set count; see AttachLimits.
bool limits_by_node(const Arguments& arguments);

/// The instance type of each node.
struct InstanceTypes {
  Column<Symbol> beta, stable;
  Symbol operator()(NodeId node) const { return stable[node] != kNone ? stable[node] : beta[node]; }
};

/// The limit where nothing sets it: one for all nodes, or another for the nodes of some instance types.
class DefaultLimit {
 public:
  DefaultLimit(std::int64_t usual) : usual_(usual) {}
  /// @param types  sorted.
  DefaultLimit(std::int64_t usual, const InstanceTypes& type_of, std::vector<Symbol> types,
               std::int64_t theirs)
      : usual_(usual), type_of_(type_of), types_(std::move(types)), theirs_(theirs) {}

  std::int64_t of(NodeId node) const {
    return type_of_ && std::ranges::binary_search(types_, (*type_of_)(node)) ? theirs_ : usual_;
  }

 private:
  std::int64_t usual_;
  std::optional<InstanceTypes> type_of_;
  std::vector<Symbol> types_;
  std::int64_t theirs_ = 0;
};

/// The limit of an in-tree kind of volume.
struct InTreeLimit {
  std::string_view limit;      ///< The resource that sets it on a node.
  DefaultLimit default_limit;  ///< Where nothing sets it.
  bool by_node = true;         ///< Whether the Node's allocatable sets it; see limits_by_node().
  std::uint8_t migrated = 0;   ///< The CsiFlag of the nodes where a CSI driver counts the kind; 0: none.
};

/// A rule that fails a node which would have more volumes of an in-tree kind than its limit. The limit is the
/// Node's allocatable, if `by_node`. Without that, it is the environment's KUBE_MAX_PD_VOLS if that is a
/// positive number (read once a request), and else the default. A node over its limit fails even if it has
/// the pod's volumes attached already. Null for a pod without such a volume.
/// Upstream: predicates.go MaxPDVolumeCountChecker v1.16.15, CSI migration off; the same in
/// plugins/nodevolumelimits/non_csi.go v1.22.17, with CSI migration.
std::unique_ptr<const Predicate> max_volume_count(const Request& request, InTreeLimit limit);

/// What such a rule finds on a node that exceeds the limit.
std::unique_ptr<const CauseFinder> find_excess(const Request& request, InTreeLimit limit);
/// The cause for a limit that a node would exceed. @param driver  or the name of the limit.
Cause limit_cause(std::string_view driver, std::int64_t limit, std::int64_t attached, std::int64_t wanted);

/// The default limit of EBS volumes: 39, or 25 where the instance type is a nitro type.
/// @param stable_label  true: node.kubernetes.io/instance-type counts before the beta label.
DefaultLimit default_ebs_limit(const Request& request, bool stable_label);

}  // namespace winnow::predicates
