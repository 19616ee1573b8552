// CheckNodeCondition: the node is Ready, has its network, and is schedulable. Reasons come in the order of
// the node's conditions; a condition that is listed twice gives its reason twice.
// Upstream: predicates.go CheckNodeConditionPredicate v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_node_condition;

namespace {

/// Two for each place in the list of conditions, and the last for cordoned nodes.
const std::vector<std::string> kConditionReasons = [] {
  std::vector<std::string> reasons;
  for (unsigned place = 0; place < kMaxBadConditions; ++place) {
    reasons.emplace_back("node(s) were not ready");
    reasons.emplace_back("node(s) had unavailable network");
  }
  reasons.emplace_back("node(s) were unschedulable");
  return reasons;
}();

class CheckNodeCondition final : public Predicate {
 public:
  explicit CheckNodeCondition(const View& view) : flags_(view.column(&NodeTable::flags)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::uint16_t flags = flags_[nodes[i]];
      if ((flags & kUnfit) == 0) [[likely]]
        continue;
      out[i] = Verdict::of(Fit::kUnresolvable, reasons_of(flags));
    }
  }
  std::span<const std::string> reasons() const override { return kConditionReasons; }

 private:
  static constexpr unsigned kUnfit = kUnschedulable | ((1u << (2 * kMaxBadConditions)) - 1) << 8;

  /// Each place in the list of conditions has two bits, one a reason. The last bit is for cordoned nodes.
  static std::uint64_t reasons_of(std::uint16_t flags) {
    std::uint64_t failed = flags & kUnschedulable ? std::uint64_t{1} << (2 * kMaxBadConditions) : 0;
    for (unsigned place = 0; place < kMaxBadConditions; ++place)
      if (const unsigned condition = bad_condition(flags, place))
        failed |= std::uint64_t{1} << (2 * place + (condition == kNetworkUnavailable ? 1 : 0));
    return failed;
  }

  const Column<std::uint16_t> flags_;
};

}  // namespace

std::unique_ptr<const Predicate> check_node_condition(const Request& request, const Arguments&) {
  return std::make_unique<CheckNodeCondition>(request.view);
}

}  // namespace winnow::predicates
