#include "extender/explain/new_node.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/expand/daemon_sets.h"
#include "cluster/rule/rule.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/explanation.h"
#include "extender/explain/near_refusals.h"
#include "extender/explain/place.h"

namespace winnow {
namespace {

constexpr const char* kNewName = "(a new node)";
constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr std::size_t kMostKinds = 64;

/// What new nodes are alike in: cpu, memory, taints, other resources, and labels but for the host's name.
using Kind = std::tuple<std::int64_t, std::int64_t, std::uint32_t,
                        std::vector<std::pair<Symbol, std::int64_t>>, LabelSet>;

bool is_cordoned(const NodeTable& table, NodeId id) { return (table.flags[id] & kUnschedulable) != 0; }

/// The kinds of the nodes as they are without changes, each with one of its nodes.
std::map<Kind, NodeId> kinds_of(const View& view, std::span<const NodeId> nodes) {
  const NodeTable& table = view.state().nodes();
  const Symbol host = view.symbol(kHostname);
  std::map<Kind, NodeId> kinds;
  for (const NodeId id : nodes) {
    if (id >= table.capacity()) continue;
    std::vector<std::pair<Symbol, std::int64_t>> offers;
    for (const Symbol resource : table.offers[id])
      offers.emplace_back(resource, table.scalar(resource)->allocatable[id]);
    std::ranges::sort(offers);
    LabelSet labels = table.labels[id];
    std::erase_if(labels, [host](const auto& label) { return label.first == host; });
    const auto [kind, is_new] = kinds.try_emplace({table.allocatable_cpu[id], table.allocatable_memory[id],
                                                   table.taints[id], std::move(offers), std::move(labels)},
                                                  id);
    if (!is_new && is_cordoned(table, kind->second) && !is_cordoned(table, id)) kind->second = id;
  }
  return kinds;
}

Node node_like(const View& view, NodeId id) {
  Node made = view.state().nodes().to_node(id);
  made.metadata.name = kNewName;
  if (auto host = made.metadata.labels.find(kHostname); host != made.metadata.labels.end())
    host->second = "new-node";
  made.spec.unschedulable = false;
  std::erase_if(made.spec.taints,
                [](const Taint& one) { return one.key.starts_with("node.kubernetes.io/"); });
  made.status.conditions.clear();
  return made;
}

/// The change that brings it, with what people call such a node by.
Cause change_for(const std::string& like, const Node& made) {
  constexpr const char* kPools[] = {"eks.amazonaws.com/nodegroup",
                                    "cloud.google.com/gke-nodepool",
                                    "kubernetes.azure.com/agentpool",
                                    "agentpool",
                                    "karpenter.sh/nodepool",
                                    "node.openshift.io/machineset",
                                    "pool",
                                    "nodepool",
                                    "node-pool"};
  Cause change{"node"};
  change.with("like", like);
  const StringMap& labels = made.metadata.labels;
  const auto add = [&](const char* field, const char* label) {
    const auto found = labels.find(label);
    if (found == labels.end() || found->second.empty()) return false;
    change.with(field, found->second);
    return true;
  };
  for (const char* const label : kPools)
    if (add("pool", label)) break;
  add("instanceType", "node.kubernetes.io/instance-type") ||
      add("instanceType", "beta.kubernetes.io/instance-type");
  add("zone", "topology.kubernetes.io/zone");
  return change;
}

/// The search, for one pod.
class Search {
 public:
  Search(const Engine& engine, const View& view, const Pod& pod, const Placing& placing, const Budget* budget)
      : engine_(engine), view_(view), pod_(pod), placing_(placing), budget_(budget) {}

  NewNode run(std::span<const NodeId> nodes) {
    NewNode result;
    const std::map<Kind, NodeId> kinds = kinds_of(view_, nodes);
    std::vector<NodeId> examples;
    for (const auto& [kind, id] : kinds | std::views::take(kMostKinds)) examples.push_back(id);
    // A new node is not cordoned: one that is makes a bad example.
    std::ranges::stable_partition(examples,
                                  [this](NodeId id) { return !is_cordoned(view_.state().nodes(), id); });
    for (const NodeId id : examples) {
      result.suggestion = attempt(id);
      if (result.suggestion) return result;
    }
    if (kinds.empty() || kinds.size() > kMostKinds) return result;
    if (needs_devices_) return result;  // Nobody knows what devices a new node brings.
    result.fits_no_empty_node = !in_the_way_;
    if (!is_unsure_) result.why_none = in_the_way_ ? in_the_way_ : why_none();
    return result;
  }

 private:
  std::optional<Suggestion> attempt(NodeId id) {
    const Node made = node_like(view_, id);
    const std::string like(view_.node_name(id));
    Overlay overlay = view_.overlay();
    overlay.set_node(made);
    if (!placing_.find(View(view_.state(), &overlay), pod_, kNewName)) {
      keep_refusals(like, View(view_.state(), &overlay));
      return std::nullopt;
    }
    const std::vector<KnownDaemonSet> daemons = daemon_sets().on_new_node(made);
    std::vector<const KnownDaemonSet*> placed;
    for (const KnownDaemonSet& one : daemons)
      if (put(one, overlay)) placed.push_back(&one);
    if (const auto place = placing_.find(View(view_.state(), &overlay), pod_, kNewName))
      return Suggestion{change_for(like, made), place->node, place->nodes};
    if (!in_the_way_) keep_in_the_way(made, placed);
    return std::nullopt;
  }

  const DaemonSets& daemon_sets() {
    if (!daemon_sets_) daemon_sets_.emplace(view_.state());
    return *daemon_sets_;
  }

  /// @return whether the pod of the DaemonSet fits the new node, and is there now.
  bool put(const KnownDaemonSet& one, Overlay& overlay) const {
    Pod pod = one.pods.pod(0);
    if (!placing_.fits(View(view_.state(), &overlay), pod, kNewName)) return false;
    pod.spec.node_name = kNewName;
    overlay.add_pod(pod);
    return true;
  }

  /// The DaemonSet without one of which the pod would fit there; or else all of them.
  void keep_in_the_way(const Node& made, const std::vector<const KnownDaemonSet*>& placed) {
    in_the_way_.emplace();
    for (const KnownDaemonSet* const one : placed) {
      is_unsure_ = is_unsure_ || one->is_unsure;
      Overlay others = view_.overlay();
      others.set_node(made);
      for (const KnownDaemonSet* const other : placed)
        if (other != one) put(*other, others);
      if (placing_.find(View(view_.state(), &others), pod_, kNewName))
        in_the_way_->daemon_sets.emplace_back(one->name());
    }
    if (in_the_way_->daemon_sets.empty())
      for (const KnownDaemonSet* const one : placed) in_the_way_->daemon_sets.emplace_back(one->name());
  }

  /// Keeps what refuses the pod on an empty node of the kind.
  void keep_refusals(const std::string& like, const View& view) {
    const NodeId nodes[] = {view.find_node(kNewName)};
    const Request request{.pod = pod_,
                          .view = view,
                          .nodes = nodes,
                          .accounting = engine_.rules().accounting,
                          .budget = budget_};
    PassTimes unused;
    const Filtered filtered = engine_.filter(request, /*all_rules=*/true, unused);
    NodeExplanation& node = refusals_.nodes.emplace_back();
    node.name = like;
    node.fits = false;
    for (std::size_t rule = 0; rule < engine_.rules().predicates.size(); ++rule) {
      FilterEntry& entry = node.filters.emplace_back();
      entry.rule = engine_.rules().predicates[rule].name;
      entry.place = rule;
      entry.fits = filtered.matrix[rule].fits();
      needs_devices_ |= !entry.fits && entry.rule == "DynamicResources";
    }
    find_all_causes(filtered, request, [&](std::size_t rule, std::size_t, std::vector<Cause> causes) {
      node.filters[rule].causes = std::move(causes);
    });
  }

  /// What refuses the pod on the kind that is nearest to taking it.
  std::optional<NoNewNode> why_none() {
    std::ranges::sort(refusals_.nodes, {}, &NodeExplanation::name);
    const std::vector<FailureGroup> groups = group_failures(refusals_);
    if (groups.empty() || groups.front().rule.empty()) return std::nullopt;
    FailureGroup group = groups.front();
    group.nodes = group.nearest;
    const std::vector<Cause>& causes = refusals_of(*group.nearest.front()).front()->causes;
    if (causes.empty()) return std::nullopt;
    const Cause cause = causes.front();
    NoNewNode why{.rule = group.rule,
                  .text = to_text(cause),
                  .is_size = cause.kind == "resource",
                  .cause = cause,
                  .daemon_sets = {}};
    // Kinds are no nodes: how many of them have a label is not of use.
    if (cause.kind == "label") why.text = cause.text("from") + ' ' + requirement_text(cause);
    if (!why.is_size) return why;
    // The largest of the kinds is told, of amounts alone.
    for (NodeExplanation& refused : refusals_.nodes)
      for (FilterEntry& entry : refused.filters)
        std::erase_if(entry.causes, [](const Cause& one) { return one.kind != "resource"; });
    why.text = sum_causes(group).front().text;
    return why;
  }

  const Engine& engine_;
  const View& view_;
  const Pod& pod_;
  const Placing& placing_;
  const Budget* const budget_;
  std::optional<DaemonSets> daemon_sets_;
  std::optional<NoNewNode> in_the_way_;
  bool is_unsure_ = false;      ///< A DaemonSet in the way may leave out new nodes.
  bool needs_devices_ = false;  ///< Devices are what an empty node lacks, maybe among other things.
  Explanation refusals_ = {};   ///< By new empty nodes of the kinds, under the names of nodes that are alike.
};

}  // namespace

NewNode find_new_node(const Engine& engine, const View& view, const Pod& pod, std::span<const NodeId> nodes,
                      const Placing& placing, const Budget* budget) {
  return Search(engine, view, pod, placing, budget).run(nodes);
}

}  // namespace winnow
