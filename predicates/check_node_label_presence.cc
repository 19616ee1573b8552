// CheckNodeLabelPresence: the node has all of the configured labels, with any value; with presence false it
// has none of them.
// Upstream: predicates.go CheckNodeLabelPresence v1.16.15.
#include "cluster/rule/arguments.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_node_label_presence;

namespace {

class NodeLabels final : public OneReason<NodeLabels> {
 public:
  NodeLabels(const View& view, const std::vector<std::string>& present,
             const std::vector<std::string>& absent)
      : OneReason(Fit::kUnresolvable, "node(s) didn't have the requested labels") {
    for (const std::string& label : present) present_.push_back(view.label(label));
    for (const std::string& label : absent) absent_.push_back(view.label(label));
  }

  bool fits(NodeId node) const {
    const auto has = [node](const Column<Symbol>& label) { return label[node] != kNone; };
    return std::ranges::all_of(present_, has) && std::ranges::none_of(absent_, has);
  }

 private:
  std::vector<Column<Symbol>> present_;
  std::vector<Column<Symbol>> absent_;
};

}  // namespace

std::unique_ptr<const Predicate> requires_labels(const View& view, const std::vector<std::string>& present,
                                                 const std::vector<std::string>& absent) {
  return std::make_unique<NodeLabels>(view, present, absent);
}

std::unique_ptr<const Predicate> check_node_label_presence(const Request& request,
                                                           const Arguments& arguments) {
  const auto& [labels, presence] = std::get<LabelsPresence>(arguments);
  return presence ? requires_labels(request.view, labels, {}) : requires_labels(request.view, {}, labels);
}

}  // namespace winnow::predicates
