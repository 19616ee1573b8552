// MatchNodeSelector: the node's labels match the pod's nodeSelector and its required node affinity.
// Upstream: predicates.go PodMatchNodeSelector v1.16.15.
#include "cluster/rule/node_matcher.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class MatchNodeSelector final : public OneReason<MatchNodeSelector> {
 public:
  explicit MatchNodeSelector(PodNodeMatcher matcher)
      : OneReason(Fit::kUnresolvable, "node(s) didn't match node selector"), matcher_(std::move(matcher)) {}

  bool fits(NodeId node) const { return matcher_.matches(node); }

 private:
  const PodNodeMatcher matcher_;
};

}  // namespace

std::unique_ptr<const Predicate> match_node_selector(const Request& request, const Arguments&) {
  PodNodeMatcher matcher(request.view, request.pod.spec);
  if (matcher.is_everything()) return nullptr;
  return std::make_unique<MatchNodeSelector>(std::move(matcher));
}

}  // namespace winnow::predicates
