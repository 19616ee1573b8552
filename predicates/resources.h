// A pod's requests compared with what nodes have left, for the resource rules and in a preemption's dry run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/rule/device_requests.h"
#include "cluster/rule/reasons.h"
#include "cluster/rule/rule.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/view.h"

namespace winnow::predicates {

/// A resource that a rule checks: cpu in thousandths, everything else in whole units.
struct Amount {
  Column<std::int64_t> allocatable;
  Column<std::int64_t> requested;  ///< By the node's pods.
  std::int64_t wanted = 0;         ///< By the pod that is to be placed.
  /// A node that is too small for the pod alone becomes unresolvable: no eviction helps there.
  bool needs_size = false;
  /// A node that offers none of it is not checked: devices may provide it there.
  bool by_devices = false;
  // What another pod requests: a scalar resource, a member of its requests, or else one place.
  bool is_scalar = false;
  Symbol scalar = kNone;  ///< kNone: no pod requests it.
  std::int64_t PodRequests::* of_pod = nullptr;
};

/// Whether the node has not enough of a resource.
using Lacks = bool(std::int64_t wanted, std::int64_t allocatable, std::int64_t requested);

/// The trial of a rule that fails a node which lacks any of the amounts.
std::unique_ptr<Trial> make_amounts_trial(const Request& request, std::vector<Amount> amounts, Lacks* lacks);

/// The cause for a node that lacks a resource. @param reason  upstream's, which names the resource.
Cause lack_of(std::string_view reason, std::int64_t wanted, std::int64_t allocatable, std::int64_t requested,
              const View& view, NodeId node);

// The comparison of a pod's requests with what nodes have left: the base of the classic PodFitsResources and
// of today's NodeResourcesFit.

/// The base of a rule that compares amounts. A derived class defines
/// `static bool lacks(wanted, allocatable, requested)`, and adds the amounts in the order of their reasons.
template <class Rule>
class FitsAmounts : public Predicate {
 public:
  /// What the request refers to outlives this.
  explicit FitsAmounts(const Request& request) : lists_(request.reason_lists), budget_(request.budget) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const final {
    if (amounts_.size() > Verdict::kMaxReasons) return map_many(nodes, out);
    std::vector<std::uint64_t> failed(nodes.size(), 0);
    for (std::size_t a = 0; a < amounts_.size(); ++a) {
      const Amount& amount = amounts_[a];
      const std::int64_t* const allocatable = amount.allocatable.flat();
      const std::int64_t* const requested = amount.requested.flat();
      if (amount.by_devices)
        judge_offered(amount, a, nodes, failed);
      else if (allocatable && requested)
        judge(amount, allocatable, requested, a, nodes, failed);
      else
        judge(amount, amount.allocatable, amount.requested, a, nodes, failed);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (failed[i])
        out[i] = Verdict::of(is_too_small(failed[i], nodes[i]) ? Fit::kUnresolvable : Fit::kUnschedulable,
                             failed[i]);
  }
  std::span<const std::string> reasons() const final { return reasons_; }

  /// Adds what the node lacks.
  void add_causes(const View& view, NodeId node, std::vector<Cause>& causes) const {
    for (std::size_t a = 0; a < amounts_.size(); ++a) {
      const Amount& amount = amounts_[a];
      const std::int64_t allocatable = amount.allocatable[node], requested = amount.requested[node];
      if (amount.by_devices && allocatable <= 0) continue;
      if (Rule::lacks(amount.wanted, allocatable, requested))
        causes.push_back(lack_of(reasons_[a], amount.wanted, allocatable, requested, view, node));
    }
  }

  std::unique_ptr<Trial> trial(const Request& request) const {
    return make_amounts_trial(request, amounts_, &Rule::lacks);
  }

 protected:
  /// Allocatable and requested of a resource that is not a scalar one, and where a pod's requests have it.
  struct Columns {
    std::vector<std::int64_t> NodeColumns::* allocatable;
    std::vector<std::int64_t> NodeColumns::* requested;
    std::int64_t PodRequests::* of_pod;
  };
  static constexpr Columns kPods = {&NodeTable::allocatable_pods, &NodeTable::pods, nullptr};
  static constexpr Columns kCpu = {&NodeTable::allocatable_cpu, &NodeTable::requested_cpu,
                                   &PodRequests::milli_cpu};
  static constexpr Columns kMemory = {&NodeTable::allocatable_memory, &NodeTable::requested_memory,
                                      &PodRequests::memory};
  static constexpr Columns kEphemeral = {&NodeTable::allocatable_ephemeral, &NodeTable::requested_ephemeral,
                                         &PodRequests::ephemeral_storage};

  static Amount against(const View& view, const Columns& columns, std::int64_t wanted) {
    return {.allocatable = view.column(columns.allocatable),
            .requested = view.column(columns.requested),
            .wanted = wanted,
            .of_pod = columns.of_pod};
  }
  static Amount against(const Request& request, const std::string& scalar, std::int64_t wanted) {
    const View& view = request.view;
    const ScalarColumns columns = view.scalar(scalar);
    const bool knows_devices = request.accounting == Accounting::kToday;
    return {.allocatable = columns.allocatable,
            .requested = columns.requested,
            .wanted = wanted,
            .by_devices = knows_devices && device_class_of(view.objects(), scalar) != nullptr,
            .is_scalar = true,
            .scalar = view.symbol(scalar)};
  }

  /// Adds a resource to check. With more of them than a verdict has bits,
  /// their reasons are listed.
  void add(std::string reason, const Amount& amount) {
    if (amounts_.empty()) reserve(kUsual);
    if (amount.needs_size && amounts_.size() < Verdict::kMaxReasons)
      sized_ |= std::uint64_t{1} << amounts_.size();
    amounts_.push_back(amount);
    reasons_.push_back(std::move(reason));
  }

 private:
  /// Pods, and the three resources that are no scalars.
  static constexpr std::size_t kUsual = 4;
  void reserve(std::size_t amounts) {
    amounts_.reserve(amounts);
    reasons_.reserve(amounts);
  }

  /// Judges one resource for all nodes. As a template it reads plain arrays without the branches of Column.
  /// @param allocatable, requested  indexed by node id: arrays, or columns where there is an overlay.
  template <class Numbers>
  static void judge(const Amount& amount, Numbers allocatable, Numbers requested, std::size_t reason,
                    std::span<const NodeId> nodes, std::span<std::uint64_t> failed) {
    const std::int64_t wanted = amount.wanted;
    const std::uint64_t bit = std::uint64_t{1} << reason;
    std::uint64_t* into = failed.data();
    for (const NodeId node : nodes)  // A mask costs less than a shift by a variable.
      *into++ |= -std::uint64_t{Rule::lacks(wanted, allocatable[node], requested[node])} & bit;
  }

  /// Judges a resource that devices provide on the nodes that offer it. Seldom, so not inlined.
  [[gnu::noinline]] static void judge_offered(const Amount& amount, std::size_t reason,
                                              std::span<const NodeId> nodes,
                                              std::span<std::uint64_t> failed) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::int64_t offered = amount.allocatable[nodes[i]];
      if (offered > 0)
        failed[i] |= std::uint64_t{Rule::lacks(amount.wanted, offered, amount.requested[nodes[i]])} << reason;
    }
  }

  /// Whether a node that has failed is too small for the pod alone.
  bool is_too_small(std::uint64_t failed, NodeId node) const {
    for (failed &= sized_; failed != 0; failed &= failed - 1) {
      const Amount& amount = amounts_[static_cast<std::size_t>(std::countr_zero(failed))];
      if (amount.wanted > amount.allocatable[node]) return true;
    }
    return false;
  }

  /// map() for a pod with more amounts than a verdict has bits.
  void map_many(std::span<const NodeId> nodes, std::span<Verdict> out) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (budget_) budget_->check();
      ReasonList lacking;
      bool too_small = false;
      for (std::size_t a = 0; a < amounts_.size(); ++a) {
        const Amount& amount = amounts_[a];
        const std::int64_t offered = amount.allocatable[nodes[i]];
        if (amount.by_devices && offered <= 0) continue;
        if (!Rule::lacks(amount.wanted, offered, amount.requested[nodes[i]])) continue;
        lacking.add(reasons_[a]);
        too_small = too_small || (amount.needs_size && amount.wanted > offered);
      }
      if (!lacking.empty())
        out[i] = lists_->verdict(too_small ? Fit::kUnresolvable : Fit::kUnschedulable, std::move(lacking));
    }
  }

  ReasonLists* const lists_;
  const Budget* const budget_;
  std::vector<Amount> amounts_;
  std::vector<std::string> reasons_;
  std::uint64_t sized_ = 0;  ///< A bit for each amount that needs_size.
};

}  // namespace winnow::predicates
