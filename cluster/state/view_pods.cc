// Counts, terms and locations of pods, as a view has them.
//
// The state counts the pods on its own rows. For a view with an overlay these counts are corrected in two
// steps. The count of a hidden row moves to the overlay's row of the same node. Then the overlay's list of
// added and removed pods is applied.
#include <map>
#include <set>

#include "cluster/state/view.h"

namespace winnow {
namespace {

bool has_all(const LabelSet& labels, const LabelSet& wanted) {
  return std::ranges::includes(labels, wanted);  // Both are sorted.
}

/// The labels as symbols; nothing if the state has no such key or value.
std::optional<LabelSet> known_labels(const Symbols& symbols, const StringMap& labels) {
  LabelSet set;
  for (const auto& [key, value] : labels) {
    set.emplace_back(symbols.find(key), symbols.find(value));
    if (set.back().first == kNone || set.back().second == kNone) return std::nullopt;
  }
  std::ranges::sort(set);
  return set;
}

}  // namespace

/// A row that the overlay has removed keeps its count here: find_missing_node() reads it.
std::vector<std::int32_t> View::count_pods_by_row(const PodQuery& query, bool nominated) const {
  std::vector<std::int32_t> counts(capacity(), 0);
  state_.groups.count(query, std::span(counts).first(split_));
  if (!overlay_) return counts;
  for (const auto& [name, entry] : overlay_->rows_)
    if (entry.origin != kNone) std::swap(counts[split_ + entry.row], counts[entry.origin]);
  for (const Overlay::PodChange& change : overlay_->changes_)
    if ((nominated || !change.nominated) && query.matches(change.ns, change.labels, change.deleting))
      counts[split_ + change.row] += change.by;
  return counts;
}

std::vector<std::int32_t> View::count_pods(const PodQuery& query) const {
  return count_pods(query, /*nominated=*/true);
}

std::vector<std::int32_t> View::count_assigned(const PodQuery& query) const {
  return count_pods(query, /*nominated=*/false);
}

std::vector<std::int32_t> View::count_pods(const PodQuery& query, bool nominated) const {
  std::vector<std::int32_t> counts = count_pods_by_row(query, nominated);
  if (overlay_)
    for (const auto& [name, entry] : overlay_->rows_)
      if (entry.removed) counts[split_ + entry.row] = 0;
  return counts;
}

bool View::has_running_pods() const {
  const Column<std::int64_t> pods = column(&NodeTable::pods);
  return std::ranges::any_of(all_nodes(), [&](NodeId node) { return pods[node] > 0; });
}

std::string View::find_missing_node(const PodQuery& query) const {
  std::set<std::string_view> names;
  for (const auto& [name, waiting] : state_.pods_on_unknown()) {
    if (overlay_ && overlay_->rows_.contains(name)) continue;
    for (const PodId id : waiting) {
      if (overlay_ && overlay_->removed_pods_.contains(id)) continue;
      const ObjectMeta pod = state_.metadata_of(id);
      if (query.matches(pod.namespace_, pod.labels, pod.deleting)) names.insert(name);
    }
  }
  if (overlay_) {
    const std::vector<std::int32_t> counts = count_pods_by_row(query);
    for (const auto& [name, entry] : overlay_->rows_)
      if (entry.removed && counts[split_ + entry.row] > 0) names.insert(name);
  }
  return names.empty() ? std::string() : std::string(*names.begin());
}

const StringMap& View::namespace_labels(std::string_view ns) const {
  static const StringMap kNoLabels;
  const Store<Namespace>& all = state_.objects.of<Namespace>();
  const auto it = all.find(ns);
  return it == all.end() ? kNoLabels : it->second.metadata.labels;
}

bool View::is_removed(NodeId extra_row) const {
  return overlay_->rows_.find(overlay_->table_.name[extra_row])->second.removed;
}

View::TermChanges View::term_changes() const {
  TermChanges changes;
  for (const Overlay::PodChange& change : overlay_->changes_) {
    if (change.terms == kNone || is_removed(change.row)) continue;
    // A pod that has a term twice counts twice.
    for (const TermId term : state_.terms.list(change.terms))
      changes[term].push_back({split_ + change.row, change.by});
  }
  return changes;
}

/// The number of pods with a term of the state, by NodeId of this view.
CountsByNode View::overlaid(TermId term, const TermChanges& changes) const {
  CountsByNode counts;
  for (const PodsOnNode& base : state_.terms.pods(term)) {
    const NodeId node = is_current(base.node) ? base.node : find_node(state_.nodes().name[base.node]);
    if (node != kNone) counts.change(node, base.pods);
  }
  const auto changed = changes.find(term);
  if (changed == changes.end()) return counts;
  // One sum for each node: a number must not become negative on the way.
  std::map<NodeId, std::int32_t> sums;
  for (const PodsOnNode& one : changed->second) sums[one.node] += one.pods;
  for (const auto& [node, by] : sums)
    if (by != 0) counts.change(node, by);
  return counts;
}

void View::visit_term(TermId term, std::optional<TermChanges>& changes, const TermVisitor& visit) const {
  const AffinityTerm& what = state_.terms[term];
  if (!overlay_) {
    if (!state_.terms.pods(term).empty()) visit(what, state_.terms.pods(term));
    return;
  }
  if (!changes) changes = term_changes();
  if (const CountsByNode counts = overlaid(term, *changes); !counts.empty()) visit(what, counts.entries());
}

template <class Wanted>
void View::visit_added(TermKind kind, const TermVisitor& visit, const Wanted& is_wanted) const {
  if (!overlay_) return;
  for (const Overlay::PodChange& change : overlay_->changes_) {
    if (change.added.empty() || is_removed(change.row)) continue;
    const PodsOnNode one{split_ + change.row, change.by};
    for (const AffinityTerm& term : change.added)
      if (term.kind == kind && is_wanted(change, term)) visit(term, {&one, 1});
  }
}

void View::visit_terms(TermKind kind, const ObjectMeta& pod, const TermVisitor& visit) const {
  const StringMap& ns_labels = namespace_labels(pod.namespace_);
  std::optional<TermChanges> changes;
  state_.terms.visit_matching(kind, pod, ns_labels, [&](TermId term) { visit_term(term, changes, visit); });
  visit_added(kind, visit,
              [&](const auto&, const AffinityTerm& term) { return term.matches(pod, ns_labels); });
}

void View::visit_invalid_terms(TermKind kind, const TermVisitor& visit) const {
  std::optional<TermChanges> changes;
  for (const TermId term : state_.terms.invalid(kind)) visit_term(term, changes, visit);
  visit_added(kind, visit, [](const Overlay::PodChange& change, const AffinityTerm& term) {
    return !term.selector && !change.nominated;
  });
}

std::optional<View::Location> View::first_location(const std::string& ns, const StringMap& labels,
                                                   bool known) const {
  const auto counts = [&](PodId id) {
    if (overlay_ && overlay_->removed_pods_.contains(id)) return false;
    return !known || find_node(state_.node_name_of(id)) != kNone;
  };
  const auto first_of = [&](std::span<const PodId> members) {
    const auto it = std::ranges::find_if(members, counts);
    return it == members.end() ? kNone : *it;
  };
  PodId first = kNone;
  if (const auto wanted = known_labels(state_.names().symbols, labels))
    for (const GroupId group : state_.groups.groups_in(state_.names().symbols.find(ns))) {
      if (!has_all(state_.groups[group].labels, *wanted)) continue;
      const PodId id = first_of(state_.members(group));
      if (id != kNone && (first == kNone || state_.pod(id).name < state_.pod(first).name)) first = id;
    }
  std::string name = first == kNone ? std::string() : state_.node_name_of(first);
  if (overlay_) overlay_->offer_first(ns, labels, first == kNone ? nullptr : &state_.pod(first).name, name);
  if (name.empty() && known && overlay_ && overlay_->nominates(ns, labels)) return Location{};
  if (name.empty()) return std::nullopt;
  const NodeId node = find_node(name);
  return Location{std::move(name), node};
}

}  // namespace winnow
