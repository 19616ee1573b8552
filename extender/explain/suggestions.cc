#include "extender/explain/suggestions.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/quantity.h"
#include "cluster/api/selector.h"
#include "cluster/rule/budget.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"

namespace winnow {
namespace {

/// A change to be tried, and how large it is: of two the smaller one is told first.
struct Candidate {
  double size = 0;
  Cause change;
  std::size_t node = 0;  ///< Its place among the nodes.
};

/// The sizes of changes that are no amounts: a slip is smaller than a new node.
constexpr double kUncordon = 0.1, kSlip = 0.2, kToleration = 0.5, kLabel = 0.6, kSkew = 0.7;

Quantity amount(const Cause& cause, std::string_view field) {
  return Quantity::parse(cause.text(field)).value_or(Quantity());
}

/// Finds the nodes that refuse the pod for one thing alone, and what would mend that.
class Candidates {
 public:
  void add(std::size_t node, const std::vector<const Cause*>& causes) {
    std::set<Cause> all;
    for (const Cause* const cause : causes) all.insert(*cause);
    if (all.size() != 1) return;
    const Cause& cause = *all.begin();
    if (cause.kind == "resource") return add_request(node, cause);
    // A node that is not ready, or under pressure, is no place to go to.
    if (cause.kind == "taint" && cause.text("taint").starts_with("node.kubernetes.io/")) return;
    if (cause.kind == "taint")
      return offer({cause.has("toleration") ? kSlip : kToleration,
                    Cause{"toleration"}.with("taint", cause.text("taint")), node});
    if (cause.kind == "unschedulable") return offer({kUncordon, Cause{"uncordon"}, node});
    if (cause.kind == "spread") return add_skew(node, cause);
    if (cause.kind == "label") return add_label(node, cause);
  }

  /// The smallest first; of equal ones the node that comes first.
  std::vector<Candidate> take() {
    std::vector<Candidate> all;
    for (auto& [key, one] : best_) all.push_back(std::move(one));
    std::ranges::stable_sort(all, {}, [](const Candidate& one) { return std::pair(one.size, one.node); });
    return all;
  }

 private:
  /// Keeps the smallest change of each sort.
  void offer(Candidate one, const std::string& sort = "") {
    const std::string key = one.change.kind + '\0' + (sort.empty() ? one.change.text("taint") : sort);
    const auto [place, is_new] = best_.try_emplace(key, one);
    if (!is_new && one.size < place->second.size) place->second = std::move(one);
  }

  void add_request(std::size_t node, const Cause& cause) {
    const std::string resource = cause.text("resource");
    const Quantity wanted = amount(cause, "wanted"), free = amount(cause, "free");
    if (resource == "pods" || free <= Quantity() || wanted <= free) return;
    const double share = static_cast<double>(free.milli_value()) / static_cast<double>(wanted.milli_value());
    Cause change{"request"};
    change.with("resource", resource).with("from", cause.text("wanted")).with("to", cause.text("free"));
    offer({1 - share, std::move(change), node}, resource);
  }

  void add_skew(std::size_t node, const Cause& cause) {
    const std::int64_t needed = cause.number("count") + cause.number("matchesItself") - cause.number("least");
    Cause change{"maxSkew"};
    change.with("topologyKey", cause.text("topologyKey")).with("from", cause.number("maxSkew"));
    change.with("to", needed);
    offer({kSkew + 0.01 * static_cast<double>(needed - cause.number("maxSkew")), std::move(change), node},
          cause.text("topologyKey"));
  }

  void add_label(std::size_t node, const Cause& cause) {
    if (cause.has("term") || (cause.text("from") != "nodeSelector" && cause.text("from") != "nodeAffinity"))
      return;
    Cause change{"requirement"};
    change.with("key", cause.text("key")).with("operator", cause.text("operator"));
    if (cause.has("wanted")) change.with("wanted", *cause.find("wanted"));
    change.with("from", cause.text("from"));
    offer({kLabel, std::move(change), node}, cause.text("key") + cause.text("wanted"));
    const auto* const wanted =
        cause.has("wanted") ? std::get_if<std::vector<std::string>>(cause.find("wanted")) : nullptr;
    if (cause.text("operator") != "In" || wanted == nullptr || wanted->empty()) return;
    offer({kLabel + 0.05, Cause{"label"}.with("key", cause.text("key")).with("value", wanted->front()), node},
          cause.text("key"));
  }

  std::map<std::string, Candidate> best_;
};

// The changes, made.

/// Takes an amount from the requests that have most of the resource. @return the container's name, "" for
/// the pod's own requests; nothing if none has so much.
std::optional<std::string> ask_less(PodSpec& spec, const std::string& resource, const Quantity& from,
                                    const Quantity& to) {
  const bool is_cpu = resource == "cpu";
  const auto number = [&](const Quantity& one) { return is_cpu ? one.milli_value() : one.value(); };
  const std::int64_t less = number(from) - number(to);
  ResourceList* requests = nullptr;
  std::string name;
  if (spec.resources && spec.resources->requests.contains(resource)) requests = &spec.resources->requests;
  if (requests == nullptr)
    for (Container& container : spec.containers) {
      const auto found = container.resources.requests.find(resource);
      if (found == container.resources.requests.end()) continue;
      if (requests != nullptr && found->second <= requests->at(resource)) continue;
      requests = &container.resources.requests;
      name = container.name;
    }
  if (requests == nullptr || number(requests->at(resource)) < less) return std::nullopt;
  const std::int64_t rest = number(requests->at(resource)) - less;
  requests->at(resource) = is_cpu ? Quantity::of_millis(rest) : Quantity::of_units(rest);
  return name;
}

/// A toleration of a taint that is written as KEY=VALUE:EFFECT.
Toleration toleration_of(std::string_view taint) {
  Toleration made{.key = {}, .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}};
  if (const std::size_t colon = taint.rfind(':'); colon != std::string_view::npos) {
    made.effect = taint.substr(colon + 1);
    taint = taint.substr(0, colon);
  }
  const std::size_t equals = taint.find('=');
  made.key = taint.substr(0, equals);
  if (equals == std::string_view::npos) return made;
  made.op = "Equal";
  made.value = taint.substr(equals + 1);
  return made;
}

/// Takes the requirement out of the pod's node selector or its required node affinity.
void drop_requirement(PodSpec& spec, const Cause& change) {
  const std::string key = change.text("key");
  if (change.text("from") == "nodeSelector") {
    spec.node_selector.erase(key);
    return;
  }
  const auto* const told =
      change.has("wanted") ? std::get_if<std::vector<std::string>>(change.find("wanted")) : nullptr;
  const std::vector<std::string> wanted = told ? *told : std::vector<std::string>();
  std::optional<NodeSelector>& required = spec.affinity->node_affinity->required;
  for (NodeSelectorTerm& term : required->terms)
    std::erase_if(term.match_expressions, [&](const SelectorRequirement& one) {
      if (one.key != key || one.op != change.text("operator")) return false;
      const auto requirement = parse_requirement(one);
      return requirement && requirement->values == wanted;
    });
  // A term without requirements matches no node.
  std::erase_if(required->terms, [](const NodeSelectorTerm& term) {
    return term.match_expressions.empty() && term.match_fields.empty();
  });
  if (required->terms.empty()) required.reset();
}

void allow_skew(PodSpec& spec, const Cause& change) {
  for (TopologySpreadConstraint& one : spec.topology_spread_constraints)
    if (one.topology_key == change.text("topologyKey") && one.when_unsatisfiable != "ScheduleAnyway")
      one.max_skew = static_cast<std::int32_t>(change.number("to"));
}

/// Tries changes on the engine.
class Trials {
 public:
  Trials(const Engine& engine, const View& view, const Pod& pod, std::span<const NodeId> nodes,
         const Budget* budget)
      : engine_(engine), view_(view), pod_(pod), nodes_(nodes), budget_(budget) {}

  /// @return the change with the node that the pod goes to; nothing if it does not help.
  std::optional<Suggestion> attempt(Candidate candidate) const {
    Cause& change = candidate.change;
    const NodeId node = nodes_[candidate.node];
    if (change.kind == "uncordon" || change.kind == "label") return change_node(change, node);
    Pod changed = pod_;
    if (change.kind == "request") {
      const auto container =
          ask_less(changed.spec, change.text("resource"), amount(change, "from"), amount(change, "to"));
      if (!container) return std::nullopt;
      if (!container->empty()) change.with("container", *container);
    } else if (change.kind == "toleration") {
      changed.spec.tolerations.push_back(toleration_of(change.text("taint")));
    } else if (change.kind == "requirement") {
      drop_requirement(changed.spec, change);
    } else if (change.kind == "maxSkew") {
      allow_skew(changed.spec, change);
    }
    return place(std::move(change), view_, changed);
  }

  /// One more node of a kind that the cluster has: of those that would hold the pod, the one with the least
  /// cpu.
  /// @param tried_all  receives whether each kind was tried.
  std::optional<Suggestion> add_node(bool& tried_all) const {
    constexpr std::size_t kMostKinds = 64;
    const std::map<Kind, NodeId> kinds = kinds_of_nodes();
    tried_all = kinds.size() <= kMostKinds;
    for (const auto& [kind, id] : kinds | std::views::take(kMostKinds))
      if (auto found = add_node_like(id)) return found;
    return std::nullopt;
  }

 private:
  static constexpr const char* kNewName = "(a new node)";
  static constexpr const char* kHostname = "kubernetes.io/hostname";

  /// What new nodes are alike in: cpu, memory, taints, other resources, and labels but for the host's name.
  using Kind = std::tuple<std::int64_t, std::int64_t, std::uint32_t,
                          std::vector<std::pair<Symbol, std::int64_t>>, LabelSet>;

  /// The kinds of the nodes as they are without changes, each with one of its nodes.
  std::map<Kind, NodeId> kinds_of_nodes() const {
    const NodeTable& table = view_.state().nodes();
    const Symbol host = view_.symbol(kHostname);
    std::map<Kind, NodeId> kinds;
    for (const NodeId id : view_.all_nodes()) {
      if (id >= table.capacity()) continue;
      std::vector<std::pair<Symbol, std::int64_t>> offers;
      for (const Symbol resource : table.offers[id])
        offers.emplace_back(resource, table.scalar(resource)->allocatable[id]);
      std::ranges::sort(offers);
      LabelSet labels = table.labels[id];
      std::erase_if(labels, [host](const auto& label) { return label.first == host; });
      kinds.try_emplace({table.allocatable_cpu[id], table.allocatable_memory[id], table.taints[id],
                         std::move(offers), std::move(labels)},
                        id);
    }
    return kinds;
  }

  std::optional<Suggestion> add_node_like(NodeId id) const {
    Node made = view_.state().nodes().to_node(id);
    const std::string like = made.metadata.name;
    made.metadata.name = kNewName;
    if (auto host = made.metadata.labels.find(kHostname); host != made.metadata.labels.end())
      host->second = "new-node";
    made.spec.unschedulable = false;
    std::erase_if(made.spec.taints,
                  [](const Taint& one) { return one.key.starts_with("node.kubernetes.io/"); });
    made.status.conditions.clear();
    Overlay overlay = view_.overlay();
    overlay.set_node(made);
    return place(Cause{"node"}.with("like", like), View(view_.state(), &overlay), pod_);
  }

  std::optional<Suggestion> change_node(Cause& change, NodeId id) const {
    if (id >= view_.state().nodes().capacity()) return std::nullopt;
    Node changed = view_.state().nodes().to_node(id);
    if (change.kind == "label")
      changed.metadata.labels[change.text("key")] = change.text("value");
    else
      uncordon(changed);
    Overlay overlay = view_.overlay();
    overlay.set_node(changed);
    return place(std::move(change), View(view_.state(), &overlay), pod_);
  }

  static void uncordon(Node& node) {
    node.spec.unschedulable = false;
    std::erase_if(node.spec.taints,
                  [](const Taint& one) { return one.key == "node.kubernetes.io/unschedulable"; });
  }

  /// Where the pod goes in the view; nothing if it fits nowhere.
  std::optional<Suggestion> place(Cause change, const View& view, const Pod& pod) const {
    std::vector<NodeId> all = view.all_nodes();
    std::ranges::sort(all, {}, [&](NodeId id) { return view.node_name(id); });
    PassTimes unused;
    Request request{
        .pod = pod, .view = view, .nodes = all, .accounting = engine_.rules().accounting, .budget = budget_};
    const Filtered filtered = engine_.filter(request, /*all_rules=*/false, unused);
    if (filtered.error()) return std::nullopt;
    std::vector<NodeId> feasible;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (filtered.fits(i)) feasible.push_back(all[i]);
    if (feasible.empty()) return std::nullopt;
    request.nodes = feasible;
    const auto scored = engine_.prioritize(request, /*keep_raw=*/false, unused);
    // Upstream scores only if there is more than one node; the pod goes nowhere if that fails.
    if (!scored && feasible.size() > 1) return std::nullopt;
    std::size_t best = 0;
    if (scored)
      best = static_cast<std::size_t>(std::ranges::max_element(scored->totals) - scored->totals.begin());
    return Suggestion{std::move(change), std::string(view.node_name(feasible[best])), feasible.size()};
  }

  const Engine& engine_;
  const View& view_;
  const Pod& pod_;
  std::span<const NodeId> nodes_;
  const Budget* const budget_;
};

}  // namespace

Help find_help(const Engine& engine, const View& view, const Pod& pod, std::span<const NodeId> nodes,
               const CausesOf& causes_of, const Budget* budget) {
  Help help;
  try {
    Candidates candidates;
    for (std::size_t i = 0; i < nodes.size(); ++i) candidates.add(i, causes_of(i));
    const Trials trials(engine, view, pod, nodes, budget);
    for (Candidate& candidate : candidates.take()) {
      if (help.suggestions.size() == kMostSuggestions - 1) break;  // The last is for a new node.
      if (auto found = trials.attempt(std::move(candidate))) help.suggestions.push_back(std::move(*found));
    }
    bool tried_all = false;
    if (auto found = trials.add_node(tried_all))
      help.suggestions.push_back(std::move(*found));
    else
      help.fits_no_empty_node = tried_all;
  } catch (const OutOfTime&) {  // What was found stands.
  }
  return help;
}

std::string to_text(const Suggestion& suggestion) {
  const Cause& change = suggestion.change;
  const auto goes = [&] { return ": it goes to " + suggestion.node; };
  if (change.kind == "request")
    return std::format("ask for {} {}, not {}{}", change.text("to"), change.text("resource"),
                       change.text("from"), goes());
  if (change.kind == "toleration") return "tolerate the taint " + change.text("taint") + goes();
  if (change.kind == "requirement")
    return std::format("drop {} {} {}{}", change.text("from"), change.text("key"), change.text("wanted"),
                       goes());
  if (change.kind == "label")
    return std::format("give {} the label {}={}", suggestion.node, change.text("key"), change.text("value"));
  if (change.kind == "maxSkew")
    return std::format("allow a maxSkew of {} for {}, not {} (or ScheduleAnyway){}", change.text("to"),
                       change.text("topologyKey"), change.text("from"), goes());
  if (change.kind == "uncordon") return "uncordon " + suggestion.node;
  return std::format("add a node like {}", change.text("like"));
}

}  // namespace winnow
