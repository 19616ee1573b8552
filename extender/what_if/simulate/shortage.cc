#include "extender/what_if/simulate/shortage.h"

#include <algorithm>
#include <functional>

#include "cluster/state/view.h"
#include "extender/engine/engines.h"
#include "extender/explain/explain.h"
#include "extender/what_if/simulate/placer.h"

namespace winnow {
namespace {

CountedReasons reasons_on(const Engine& engine, const View& view, const Pod& pod,
                          const std::vector<NodeId>& nodes) {
  CountedReasons reasons = choose_among(engine, view, pod, nodes, {}).reasons;
  std::ranges::stable_sort(reasons, std::greater{}, &CountedReasons::value_type::second);
  return reasons;
}

/// The nodes of a domain that matter; all that it has where none of them does.
std::vector<NodeId> nodes_with(const View& view, const std::string& key, std::string_view value,
                               const std::vector<NodeId>& among) {
  std::vector<NodeId> nodes = among;
  std::erase_if(nodes, [&](NodeId node) {
    const Symbol label = view.label(key)[node];
    return label == kNone || view.text(label) != value;
  });
  if (const std::vector<NodeId> all = view.all_nodes(); nodes.empty() && among.size() < all.size())
    return nodes_with(view, key, value, all);
  return nodes;
}

/// The causes of the first rule that refuses the node.
const std::vector<Cause>* first_causes(const NodeExplanation& node) {
  const auto refusal = std::ranges::find_if(
      node.filters, [](const FilterEntry& filter) { return !filter.fits && !filter.skipped; });
  return refusal == node.filters.end() ? nullptr : &refusal->causes;
}

void note(std::vector<FullDomain>& domains, const Cause& cause) {
  const std::string key = cause.text("topologyKey"), value = cause.text("leastDomain");
  auto known = std::ranges::find_if(
      domains, [&](const FullDomain& one) { return one.key == key && one.value == value; });
  if (known == domains.end())
    known = domains.insert(known, {.key = key,
                                   .value = value,
                                   .pods = cause.number("least"),
                                   .max_skew = cause.number("maxSkew"),
                                   .reasons = {}});
  ++known->shuts;
}

}  // namespace

Shortage shortage_of(const Engines& engines, const View& view, const Pod& pod,
                     const std::vector<NodeId>& nodes) {
  Shortage shortage{.nodes = nodes.size(), .reasons = {}, .full_domains = {}};
  const Engine* const engine = engines.find(pod);
  if (!engine || nodes.empty()) return shortage;
  shortage.reasons = reasons_on(*engine, view, pod, nodes);
  Explainer explainer(*engine, {.suggest = false});
  PassTimes unused;
  explainer.ask(view, pod, nodes, unused);
  for (const NodeExplanation& node : explainer.outline().nodes)
    if (const std::vector<Cause>* const causes = first_causes(node))
      for (const Cause& cause : *causes)
        if (cause.kind == "spread" && cause.has("leastDomain")) note(shortage.full_domains, cause);
  for (FullDomain& domain : shortage.full_domains)
    domain.reasons = reasons_on(*engine, view, pod, nodes_with(view, domain.key, domain.value, nodes));
  return shortage;
}

}  // namespace winnow
