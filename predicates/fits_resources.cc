// PodFitsResources: what the pod asks for fits beside what the node's pods have asked for.
// Upstream: predicates.go PodFitsResources v1.16.15. A pod that asks for nothing is only counted; one that
// asks for anything is held against cpu, memory and ephemeral storage, also those that it does not ask for.
#include <algorithm>

#include "cluster/go_int.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

/// A resource that the pod is held against: allocatable < wanted + requested fails.
struct Amount {
  Column<std::int64_t> allocatable;
  Column<std::int64_t> requested;
  std::int64_t wanted;

  bool lacks(NodeId node) const { return allocatable[node] < wrap_add(wanted, requested[node]); }
};

class FitsResources final : public Predicate {
 public:
  explicit FitsResources(const View& view, const PodRequests& requests) {
    add("pods", {view.column(&NodeTable::allocatable_pods), view.column(&NodeTable::pods), 1});
    if (requests.asks_for_nothing()) return;
    add("cpu", {view.column(&NodeTable::allocatable_cpu), view.column(&NodeTable::requested_cpu),
                requests.milli_cpu});
    add("memory", {view.column(&NodeTable::allocatable_memory), view.column(&NodeTable::requested_memory),
                   requests.memory});
    add("ephemeral-storage", {view.column(&NodeTable::allocatable_ephemeral),
                              view.column(&NodeTable::requested_ephemeral), requests.ephemeral_storage});
    for (const auto& [name, wanted] : requests.scalars) {
      const ScalarColumns columns = view.scalar(name);
      add(name, {columns.allocatable, columns.requested, wanted});
    }
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    std::vector<std::uint64_t> failed(nodes.size(), 0);
    for (std::size_t a = 0; a < amounts_.size(); ++a) {
      const Amount amount = amounts_[a];  // A copy: its columns stay in registers.
      const std::size_t reason = std::min(a, kLastReason);
      for (std::size_t i = 0; i < nodes.size(); ++i)
        failed[i] |= std::uint64_t{amount.lacks(nodes[i])} << reason;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (failed[i]) out[i] = Verdict::of(Fit::kUnschedulable, failed[i]);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  // GeneralPredicates needs three bits more. A pod with more scalar resources than there are bits is told
  // of the last ones together.
  static constexpr std::size_t kLastReason = Verdict::kMaxReasons - 4;

  void add(const std::string& name, Amount amount) {
    amounts_.push_back(amount);
    if (reasons_.size() <= kLastReason)
      reasons_.push_back("Insufficient " + name);
    else
      reasons_.back() += ", Insufficient " + name;
  }

  std::vector<Amount> amounts_;
  std::vector<std::string> reasons_;
};

}  // namespace

std::unique_ptr<const Predicate> fits_resources(const Request& request, const Arguments&) {
  return std::make_unique<FitsResources>(
      request.view, pod_requests(request.pod, request.accounting, /*with_status=*/false));
}

}  // namespace winnow::predicates
