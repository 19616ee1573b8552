// NodeLabel as a filter: the node has all of presentLabels, with any values, and none of absentLabels.
// Upstream: plugins/nodelabel/node_label.go v1.22.17.
#include "cluster/rule/arguments.h"
#include "predicates/rules.h"

namespace winnow::predicates::removed {

BindPredicate node_label;

std::unique_ptr<const Predicate> node_label(const Request& request, const Arguments& arguments) {
  const auto* const args = std::get_if<NodeLabelArgs>(&arguments);
  if (!args || (args->present_labels.empty() && args->absent_labels.empty())) return nullptr;
  return requires_labels(request.view, args->present_labels, args->absent_labels);
}

}  // namespace winnow::predicates::removed
