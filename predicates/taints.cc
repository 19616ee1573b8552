#include "cluster/rule/tolerated_taints.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class ToleratesTaints final : public OneReason<ToleratesTaints> {
 public:
  ToleratesTaints(ToleratedTaints taints, std::string reason)
      : OneReason(Fit::kUnresolvable, std::move(reason)), taints_(std::move(taints)) {}

  bool fits(NodeId node) const { return taints_.tolerates(node); }

 private:
  const ToleratedTaints taints_;
};

}  // namespace

std::unique_ptr<const Predicate> tolerates_taints(const Request& request,
                                                  std::initializer_list<std::string_view> effects,
                                                  std::string reason) {
  ToleratedTaints taints(request.view, request.pod.spec.tolerations, effects);
  if (taints.tolerates_all_nodes()) return nullptr;
  return std::make_unique<ToleratesTaints>(std::move(taints), std::move(reason));
}

}  // namespace winnow::predicates
