// The priority of the argument labelPreference: 10 for nodes that have the label (with presence false: that
// lack it), and 0 for others.
// Upstream: priorities/node_label.go v1.16.15.
#include "cluster/rule/arguments.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority label_preference;

namespace {

class LabelPreferencePriority final : public PerNode<LabelPreferencePriority> {
 public:
  LabelPreferencePriority(const View& view, const LabelPreference& arguments)
      : label_(view.label(arguments.label)), presence_(arguments.presence) {}
  std::int64_t score(NodeId node) const {
    return (label_[node] != kNone) == presence_ ? kMaxClassicScore : 0;
  }

 private:
  const Column<Symbol> label_;
  const bool presence_;
};

}  // namespace

BoundPriority label_preference(const Request& request, const Arguments& arguments) {
  return std::make_unique<LabelPreferencePriority>(request.view, std::get<LabelPreference>(arguments));
}

}  // namespace winnow::priorities
