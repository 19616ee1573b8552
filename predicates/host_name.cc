// HostName: the pod names no node, or this one.
// Upstream: predicates.go PodFitsHost v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class HostName final : public OneReason<HostName> {
 public:
  explicit HostName(NodeId wanted)
      : OneReason(Fit::kUnresolvable, "node(s) didn't match the requested hostname"), wanted_(wanted) {}

  bool fits(NodeId node) const { return node == wanted_; }

 private:
  const NodeId wanted_;  // kNone, which no node is, where the name is nobody's.
};

}  // namespace

std::unique_ptr<const Predicate> host_name(const Request& request, const Arguments&) {
  if (request.pod.spec.node_name.empty()) return nullptr;
  return std::make_unique<HostName>(request.view.find_node(request.pod.spec.node_name));
}

}  // namespace winnow::predicates
