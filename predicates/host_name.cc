// HostName: the pod's spec.nodeName is empty or is this node.
// Upstream: predicates.go PodFitsHost v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class IsNamedNode final : public OneReason<IsNamedNode> {
 public:
  IsNamedNode(const View& view, const std::string& name, std::string reason)
      : OneReason(Fit::kUnresolvable, std::move(reason)), names_{name}, wanted_(view.find_node(name)) {}

  bool fits(NodeId node) const { return node == wanted_; }
  const std::vector<std::string>* only() const override { return &names_; }

 private:
  const std::vector<std::string> names_;
  const NodeId wanted_;  // kNone, which is no node's id, if there is no such node.
};

}  // namespace

std::unique_ptr<const Predicate> is_named_node(const Request& request, std::string reason) {
  const std::string& name = request.pod.spec.node_name;
  if (name.empty()) return nullptr;
  return std::make_unique<IsNamedNode>(request.view, name, std::move(reason));
}

std::unique_ptr<const Predicate> host_name(const Request& request, const Arguments&) {
  return is_named_node(request, "node(s) didn't match the requested hostname");
}

}  // namespace winnow::predicates
