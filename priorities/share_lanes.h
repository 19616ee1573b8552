// Shares of resources for a block of nodes at once: loops that a compiler turns into vector instructions.
//
// They give what share() and free_share() give, by doubles: an amount below 2^46, and a hundred times it, are
// exact there, and so is the truncated quotient. Other amounts are left to the caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "priorities/resources.h"

namespace winnow::priorities {

/// Larger amounts, and negative ones, are not for these loops.
inline constexpr std::int64_t kMostPlainAmount = std::int64_t{1} << 46;
constexpr bool is_plain(std::int64_t amount) { return amount >= 0 && amount < kMostPlainAmount; }

/// What nodes have of one resource, and what their pods request of it, by place in the block.
struct AmountBlock {
  alignas(64) std::array<std::int64_t, kNodesPerBlock> allocatable;
  alignas(64) std::array<std::int64_t, kNodesPerBlock> requested;

  /// Reads them. @param nodes  at most kNodesPerBlock.
  /// @return false: an allocatable is 0, or an amount is not plain.
  bool read(const ResourceUse& use, std::span<const NodeId> nodes);
};

/// The sums that a block's scores are made of, by place.
struct alignas(64) SumBlock {
  std::array<double, kNodesPerBlock> sums;
};

/// The loops for one set of instructions. All give the same results. `pod` is the pod's request, which is
/// plain; `nodes` are the places in use.
struct ShareLanes {
  /// Adds weight * free_share(requested + pod, allocatable, 100) to the sums.
  void (*add_free)(const AmountBlock& block, double pod, double weight, std::size_t nodes, SumBlock& to);
  /// Adds weight * share(min(requested + pod, allocatable), allocatable, 100).
  void (*add_used)(const AmountBlock& block, double pod, double weight, std::size_t nodes, SumBlock& to);
  /// Writes the truncated quotients of the sums, which are below 2^31. @param by  not 0.
  void (*divide)(const SumBlock& sums, double by, std::size_t nodes, std::int64_t* out);
  /// Writes BalancedAllocation's scores by two resources.
  void (*balance)(const AmountBlock& first, double first_pod, const AmountBlock& second, double second_pod,
                  std::size_t nodes, std::int64_t* out);
};

/// Those that this machine can run, from the narrowest instructions to the widest.
std::span<const ShareLanes> all_share_lanes();

/// The widest of them.
const ShareLanes& share_lanes();

}  // namespace winnow::priorities
