// NodeDeclaredFeatures: the node's software declares every feature that the pod needs.
// Upstream: pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go v1.37.0.
// Upstream can end a feature's requirement at some version. No feature that v1.37 knows has such an end.
#include "cluster/api/declared_features.h"
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate node_declared_features;

namespace {

class NodeDeclaredFeatures final : public OneReason<NodeDeclaredFeatures> {
 public:
  NodeDeclaredFeatures(const View& view, std::uint8_t needed)
      : OneReason(Fit::kUnresolvable, "node(s) didn't match Pod's required features"),
        declared_(view.column(&NodeTable::features)),
        needed_(needed) {}

  bool fits(NodeId node) const { return (needed_ & ~declared_[node]) == 0; }

 private:
  const Column<std::uint8_t> declared_;
  const std::uint8_t needed_;
};

}  // namespace

std::unique_ptr<const Predicate> node_declared_features(const Request& request, const Arguments&) {
  const std::uint8_t needed = needed_features(request.pod.spec);
  if (needed == 0) return nullptr;
  return std::make_unique<NodeDeclaredFeatures>(request.view, needed);
}

}  // namespace winnow::predicates::today
