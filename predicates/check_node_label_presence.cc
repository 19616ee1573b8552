// CheckNodeLabelPresence: the node has all of the configured labels, with any value; with presence false it
// has none of them.
// Upstream: predicates.go CheckNodeLabelPresence v1.16.15.
#include "cluster/rule/arguments.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_node_label_presence;

namespace {

class CheckNodeLabelPresence final : public OneReason<CheckNodeLabelPresence> {
 public:
  CheckNodeLabelPresence(const View& view, const LabelsPresence& arguments)
      : OneReason(Fit::kUnresolvable, "node(s) didn't have the requested labels"),
        presence_(arguments.presence) {
    for (const std::string& label : arguments.labels) labels_.push_back(view.label(label));
  }

  bool fits(NodeId node) const {
    return std::ranges::all_of(
        labels_, [&](const Column<Symbol>& label) { return (label[node] != kNone) == presence_; });
  }

 private:
  const bool presence_;
  std::vector<Column<Symbol>> labels_;
};

}  // namespace

std::unique_ptr<const Predicate> check_node_label_presence(const Request& request,
                                                           const Arguments& arguments) {
  return std::make_unique<CheckNodeLabelPresence>(request.view, std::get<LabelsPresence>(arguments));
}

}  // namespace winnow::predicates
