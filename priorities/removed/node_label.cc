// NodeLabel as a score: 100 for each preferred label that the node has, and for each that it should lack and
// does. The node's score is their mean, truncated.
// Upstream: plugins/nodelabel/node_label.go v1.22.17.
#include "cluster/rule/arguments.h"
#include "priorities/rules.h"

namespace winnow::priorities::removed {

BindPriority node_label;

namespace {

class NodeLabel final : public PerNode<NodeLabel> {
 public:
  NodeLabel(const View& view, const NodeLabelArgs& args) {
    for (const std::string& label : args.present_labels_preference)
      wanted_.emplace_back(view.label(label), true);
    for (const std::string& label : args.absent_labels_preference)
      wanted_.emplace_back(view.label(label), false);
  }

  std::int64_t score(NodeId node) const {
    std::int64_t met = 0;
    for (const auto& [label, present] : wanted_) met += (label[node] != kNone) == present ? 1 : 0;
    return met * kMaxNodeScore / static_cast<std::int64_t>(wanted_.size());
  }

 private:
  std::vector<std::pair<Column<Symbol>, bool>> wanted_;  // Whether the label is to be present.
};

}  // namespace

BoundPriority node_label(const Request& request, const Arguments& arguments) {
  const auto* const args = std::get_if<NodeLabelArgs>(&arguments);
  if (!args || (args->present_labels_preference.empty() && args->absent_labels_preference.empty()))
    return nullptr;
  return std::make_unique<NodeLabel>(request.view, *args);
}

}  // namespace winnow::priorities::removed
