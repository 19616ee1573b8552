// The attached volumes and attach limits of the nodes: the part of NodeTable for volumes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/state/pool.h"
#include "cluster/state/row_values.h"

namespace winnow {

struct CsiNode;
struct Dictionaries;

/// A set of columns for each attach limit, and for each node its attached volumes with the number of their
/// users. A volume counts once, however many pods use it. Rows are those of a NodeTable. A limit has columns
/// as long as a node has a value for it or a volume under it. Not synchronised; const access may be
/// concurrent.
class AttachTable {
 public:
  explicit AttachTable(Dictionaries& names) : names_(&names) {}
  /// A copy of the table. `names` must be a copy of the other's dictionaries.
  AttachTable(const AttachTable& other, Dictionaries& names)
      : names_(&names),
        rows_(other.rows_),
        limits_(other.limits_),
        uses_(other.uses_),
        offered_(other.offered_),
        drivers_(other.drivers_),
        csi_(other.csi_) {}
  AttachTable(const AttachTable&) = delete;
  AttachTable& operator=(const AttachTable&) = delete;

  /// The value for "no limit"; below any limit that a node can set.
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::min();

  struct Use {
    std::uint32_t volume = kNone;  ///< Of Dictionaries::attachables.
    std::uint32_t pods = 0;        ///< The number of mounts by pods.
    std::uint32_t objects = 0;     ///< The number of VolumeAttachments with it; today's generation only.
    auto operator<=>(const Use&) const = default;
  };
  struct Limit {
    RowValues<std::int64_t, kNoLimit> offered;    ///< The limit in the Node's allocatable.
    RowValues<std::int64_t, kNoLimit> by_driver;  ///< The limit in the CSINode.
    RowValues<std::int32_t> attached;             ///< The number of volumes.
    RowValues<std::uint8_t> installed;            ///< 1: the CSINode has the driver.

    bool empty() const {
      return offered.empty() && by_driver.empty() && attached.empty() && installed.empty();
    }
  };

  /// Adds an empty row.
  void add_row();
  /// Copies a row.
  /// @param from  a table whose dictionaries are the base of this one's.
  void copy_row(NodeId id, const AttachTable& from, NodeId other);

  /// Sets a limit from the Node's allocatable. clear_offers() removes all limits of the Node.
  void offer(NodeId id, std::string_view limit, std::int64_t count);
  void clear_offers(NodeId id);
  /// Replaces the values of the node's CSINode; null: there is none.
  void set_csi_node(NodeId id, const CsiNode* csi_node);

  /// Counts a pod with these volumes (by = 1), or no longer (by = -1).
  void change(NodeId id, std::span<const std::uint32_t> volumes, std::int32_t by);
  /// The same for a VolumeAttachment of the node.
  void change_objects(NodeId id, std::uint32_t volume, std::int32_t by);
  /// Removes all volumes of the row.
  void clear_uses(NodeId id);

  /// The columns of a limit; null: no node has a volume or a value for it.
  const Limit* limit(Symbol limit) const {
    const auto it = limits_.find(limit);
    return it == limits_.end() ? nullptr : &it->second;
  }
  /// Whether the node's Node or its CSINode sets any limit.
  bool has_limit(NodeId id) const;
  const std::vector<Use>& uses(NodeId id) const { return uses_[id]; }  ///< Sorted.
  /// By node: the flags of its CSINode; see csi_flags().
  const std::vector<std::uint8_t>& csi() const { return csi_; }

 private:
  void change_many(NodeId id, std::vector<std::uint32_t> volumes, std::int32_t by);
  void change(NodeId id, std::uint32_t volume, std::uint32_t Use::* users, std::int32_t by);
  /// Adds to the number of volumes that the node has under the volume's limit.
  void count(NodeId id, std::uint32_t volume, std::int32_t by);
  /// Sets a value of the limit. Its columns are made at the first value, and end with the last.
  template <class T, T kMissing>
  void set(Symbol limit, RowValues<T, kMissing> Limit::* column, NodeId id, T value);
  void clear_drivers(NodeId id);

  Dictionaries* names_;
  NodeId rows_ = 0;                           ///< What the columns are prepared for; see RowValues.
  std::unordered_map<Symbol, Limit> limits_;  ///< By Dictionaries::limits.
  std::vector<std::vector<Use>> uses_;
  // By row, the limits that the Node and the CSINode name. Each holds a reference.
  std::vector<std::vector<Symbol>> offered_;
  std::vector<std::vector<Symbol>> drivers_;
  std::vector<std::uint8_t> csi_;
};

}  // namespace winnow
