// What each node has attached, and how much it may: the part of NodeTable that volumes count in.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/api/storage.h"
#include "cluster/state/intern/dictionaries.h"

namespace winnow {

/// A node's row. Ids of removed nodes are used again.
using NodeId = std::uint32_t;

/// Columns by limit, and by node the attached volumes, each with how many pods use it: a volume counts once.
/// Rows are those of a NodeTable. Not synchronised; const access may be concurrent.
class AttachTable {
 public:
  explicit AttachTable(Dictionaries& names) : names_(&names) {}
  /// A copy that stands on a copy of the other's dictionaries.
  AttachTable(const AttachTable& other, Dictionaries& names)
      : names_(&names), limits_(other.limits_), uses_(other.uses_), csi_(other.csi_) {}
  AttachTable(const AttachTable&) = delete;
  AttachTable& operator=(const AttachTable&) = delete;

  /// Less than any limit that a node can set: it sets none.
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::min();

  struct Use {
    std::uint32_t volume = kNone;  ///< Of Dictionaries::attachables.
    std::uint32_t pods = 0;        ///< Each as often as it mounts it.
    std::uint32_t objects = 0;     ///< VolumeAttachments that say so; today's.
    auto operator<=>(const Use&) const = default;
  };
  struct Limit {
    std::vector<std::int64_t> offered;    ///< By the Node's allocatable; kNoLimit.
    std::vector<std::int64_t> by_driver;  ///< By the CSINode; kNoLimit.
    std::vector<std::int32_t> attached;   ///< How many volumes.
    std::vector<std::uint8_t> installed;  ///< 1: the CSINode has the driver.
  };

  /// One more row, empty.
  void add_row();
  /// @param from  a table on whose dictionaries this one's stand.
  void copy_row(NodeId id, const AttachTable& from, NodeId other);

  void offer(NodeId id, std::string_view limit, std::int64_t count);
  void clear_offers(NodeId id);
  /// Replaces what the node's CSINode says; null: there is none.
  void set_csi_node(NodeId id, const CsiNode* csi_node);

  /// A pod with these volumes comes (by = 1) or goes (-1).
  void change(NodeId id, std::span<const std::uint32_t> volumes, std::int32_t by);
  /// A VolumeAttachment of the node comes or goes.
  void change_objects(NodeId id, std::uint32_t volume, std::int32_t by);
  void clear_uses(NodeId id);

  /// The columns of a limit, or null: no node has or sets it.
  const Limit* limit(Symbol limit) const {
    return limit < limits_.size() && !limits_[limit].attached.empty() ? &limits_[limit] : nullptr;
  }
  const std::vector<Use>& uses(NodeId id) const { return uses_[id]; }  ///< Sorted.
  /// By node: what its CSINode says; see csi_flags().
  const std::vector<std::uint8_t>& csi() const { return csi_; }

 private:
  Limit& columns(Symbol limit);
  void change(NodeId id, std::uint32_t volume, std::uint32_t Use::* users, std::int32_t by);

  Dictionaries* names_;
  std::vector<Limit> limits_;  ///< By Dictionaries::limits.
  std::vector<std::vector<Use>> uses_;
  std::vector<std::uint8_t> csi_;
};

}  // namespace winnow
