// The pools whose devices a node can use.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2 structured/internal/incubating/pools_incubating.go
// GatherPools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/devices/inventory.h"
#include "cluster/devices/pool.h"
#include "cluster/function_ref.h"

namespace winnow {

/// A node, as far as devices ask for it.
struct DeviceNode {
  std::string_view name;
  /// Whether a node selector matches it, or what is wrong with the selector. Called by the caller's thread.
  FunctionRef<std::expected<bool, std::string>(const NodeSelector&)> matches;
};

/// A pool as a node sees it.
struct NodePoolView {
  enum class State : std::uint8_t {
    kUsable,
    kIncomplete,  ///< Slices are missing: the driver is about to change it.
    kInvalid,     ///< See PoolContent::invalid_reason.
  };
  const DevicePool* pool = nullptr;
  State state = State::kUsable;
  /// What the node can use; empty unless it is usable.
  std::span<const PublishedSlice* const> slices;
  /// Its counters, and why it is invalid. Null of an incomplete pool.
  const PoolContent* content = nullptr;
  /// Of an incomplete pool.
  std::size_t found_slices = 0;
  std::int64_t expected_slices = 0;
};

/// Whether a node is the one of that name, one of all, or one that the selector matches. The error is
/// upstream's.
std::expected<bool, std::string> node_matches(const DeviceNode& node, std::string_view name, bool all_nodes,
                                              const NodeSelector* selector);

/// The pools of a node, in the order in which devices are tried. It is used again for other nodes, and then
/// needs no memory for pools that are one node's alone.
class NodePools {
 public:
  /// Works out the pools of the node. @return nothing, or upstream's error.
  std::expected<void, std::string> gather(const DeviceInventory& inventory, const DeviceNode& node);
  std::span<const NodePoolView> pools() const { return views_; }
  bool has_invalid() const { return has_invalid_; }

 private:
  std::expected<void, std::string> add(const NodePool& local);
  void add_whole(const DevicePool& pool, const WholePool& whole);
  std::expected<bool, std::string> is_relevant(const PublishedSlice& slice) const;
  std::expected<void, std::string> collect(const NodePool& local);
  void judge(const DevicePool& pool, std::span<const PublishedSlice* const> slices, std::int64_t expected);
  SliceList& next_list();
  void add_content(const DevicePool& pool, const PoolContent& content);
  void add_incomplete(const DevicePool& pool, const WholePool& whole, std::int64_t expected);
  void add_view(const NodePoolView& view, bool has_binding_conditions);
  void add_made(const DevicePool& pool, std::span<const PublishedSlice* const> slices,
                std::span<const PublishedSlice* const> others);

  const DeviceInventory* inventory_ = nullptr;
  const DeviceNode* node_ = nullptr;
  std::vector<NodePoolView> views_;
  std::vector<NodePoolView> binding_;  ///< Pools with binding conditions come last.
  bool has_invalid_ = false;
  SliceList relevant_;
  /// Of pools that this node sees in its own way.
  std::deque<SliceList> lists_;
  std::size_t lists_used_ = 0;
  std::vector<std::unique_ptr<PoolContent>> contents_;
};

}  // namespace winnow
