// What a pod asks for held against what nodes have left: the shape of PodFitsResources and of today's
// NodeResourcesFit.
#pragma once

#include <algorithm>

#include "cluster/go_int.h"
#include "predicates/rules.h"

namespace winnow::predicates {

/// A resource that the pod is held against.
struct Amount {
  Column<std::int64_t> allocatable;
  Column<std::int64_t> requested;  ///< By the pods that are there.
  std::int64_t wanted;
  /// A node that is too small for the pod alone is so for good.
  bool needs_size = false;
};

/// Derive, give `static bool lacks(wanted, allocatable, requested)`, and add the amounts in the order of
/// their reasons.
template <class Rule>
class FitsAmounts : public Predicate {
 public:
  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const final {
    std::vector<std::uint64_t> failed(nodes.size(), 0);
    for (std::size_t a = 0; a < amounts_.size(); ++a) {
      const Amount& amount = amounts_[a];
      const std::size_t reason = std::min(a, kLastReason);
      const std::int64_t* const allocatable = amount.allocatable.flat();
      const std::int64_t* const requested = amount.requested.flat();
      if (allocatable && requested)
        judge(amount, allocatable, requested, reason, nodes, failed);
      else
        judge(amount, amount.allocatable, amount.requested, reason, nodes, failed);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (failed[i])
        out[i] = Verdict::of(failed[i] >> kTooSmall ? Fit::kUnresolvable : Fit::kUnschedulable,
                             failed[i] & ~(std::uint64_t{1} << kTooSmall));
  }
  std::span<const std::string> reasons() const final { return reasons_; }

 protected:
  /// The columns of a resource that is no scalar.
  using Columns = std::pair<std::vector<std::int64_t> NodeTable::*, std::vector<std::int64_t> NodeTable::*>;
  static constexpr Columns kPods = {&NodeTable::allocatable_pods, &NodeTable::pods};
  static constexpr Columns kCpu = {&NodeTable::allocatable_cpu, &NodeTable::requested_cpu};
  static constexpr Columns kMemory = {&NodeTable::allocatable_memory, &NodeTable::requested_memory};
  static constexpr Columns kEphemeral = {&NodeTable::allocatable_ephemeral, &NodeTable::requested_ephemeral};

  static Amount against(const View& view, const Columns& columns, std::int64_t wanted) {
    return {view.column(columns.first), view.column(columns.second), wanted};
  }
  static Amount against(const View& view, const std::string& scalar, std::int64_t wanted) {
    const ScalarColumns columns = view.scalar(scalar);
    return {columns.allocatable, columns.requested, wanted};
  }

  void add(const std::string& reason, const Amount& amount) {
    amounts_.push_back(amount);
    if (reasons_.size() <= kLastReason)
      reasons_.push_back(reason);
    else
      reasons_.back() += ", " + reason;
  }

 private:
  /// @param allocatable, requested  whatever gives a node's number: as a rule arrays.
  template <class Numbers>
  static void judge(const Amount& amount, Numbers allocatable, Numbers requested, std::size_t reason,
                    std::span<const NodeId> nodes, std::span<std::uint64_t> failed) {
    const std::int64_t wanted = amount.wanted;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::int64_t offered = allocatable[nodes[i]];
      const bool lacks = Rule::lacks(wanted, offered, requested[nodes[i]]);
      const bool too_small = lacks & amount.needs_size & (wanted > offered);
      failed[i] |= std::uint64_t{lacks} << reason | std::uint64_t{too_small} << kTooSmall;
    }
  }

  // GeneralPredicates needs three bits more. A pod with more scalar resources than there are bits is told
  // of the last ones together.
  static constexpr std::size_t kLastReason = Verdict::kMaxReasons - 4;
  static constexpr unsigned kTooSmall = Verdict::kMaxReasons;  // The first bit that is no reason's.

  std::vector<Amount> amounts_;
  std::vector<std::string> reasons_;
};

}  // namespace winnow::predicates
