// What predicates share: the shapes that most of them have.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "cluster/rule/predicate.h"

namespace winnow::predicates {

/// A predicate with one reason: derive, and say which nodes fit.
template <class Rule>
class OneReason : public Predicate {
 public:
  OneReason(Fit otherwise, std::string reason) : otherwise_(otherwise), reasons_{std::move(reason)} {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const final {
    const Rule& rule = static_cast<const Rule&>(*this);
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = Verdict::one(rule.fits(nodes[i]), otherwise_);
  }
  std::span<const std::string> reasons() const final { return reasons_; }

 private:
  const Fit otherwise_;
  const std::array<std::string, 1> reasons_;
};

/// Every node meets the same error.
class ErrorEverywhere final : public OneReason<ErrorEverywhere> {
 public:
  explicit ErrorEverywhere(std::string error) : OneReason(Fit::kError, std::move(error)) {}
  static bool fits(NodeId) { return false; }
};

/// The pod is refused, or fails, before any node is looked at, for one reason.
class RefusesPod final : public OneReason<RefusesPod> {
 public:
  RefusesPod(Fit fit, std::string reason) : OneReason(fit, std::move(reason)) {}
  static bool fits(NodeId) { return false; }
  bool refuses_pod() const override { return true; }
};

/// Fails a node for each of some flags that it carries, and says so for each. Never resolvable by eviction.
std::unique_ptr<const Predicate> fails_on_flags(const View& view,
                                                std::vector<std::pair<NodeFlag, std::string>> flags);

/// Fails a node for a taint with one of the effects that the pod does not tolerate; null if there is none.
std::unique_ptr<const Predicate> tolerates_taints(const Request& request,
                                                  std::initializer_list<std::string_view> effects,
                                                  std::string reason);

/// Leaves the node alone that the pod names; null if it names none.
std::unique_ptr<const Predicate> is_named_node(const Request& request, std::string reason);

/// Fails a node that is cordoned; null if the pod tolerates the taint that stands for it.
BindPredicate check_node_unschedulable;

// The parts of GeneralPredicates, which are rules of their own too.
BindPredicate fits_resources, host_name, fits_host_ports, match_node_selector;

}  // namespace winnow::predicates
