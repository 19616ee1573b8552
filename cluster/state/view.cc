#include "cluster/state/view.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "cluster/api/node.h"
#include "cluster/state/attachable.h"
#include "cluster/state/dictionaries.h"
#include "cluster/state/overlay.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

ValuesByRow<Symbol> values_of(const LabelColumn* column) {
  return column ? column->values() : ValuesByRow<Symbol>();
}

/// The values of one column of a key that a table perhaps lacks.
template <class T, T kMissing, class Key>
ValuesByRow<T> values_of(const Key* key, RowValues<T, kMissing> Key::* column) {
  return key ? (key->*column).values() : ValuesByRow<T>();
}

}  // namespace

View::View(const State& state, const Overlay* overlay)
    : state_(state),
      overlay_(overlay),
      rows_(state.nodes()),
      extra_rows_(overlay ? &overlay->table_ : nullptr),
      hidden_(overlay ? &overlay->hidden_ : nullptr),
      names_(overlay ? overlay->names_ : state.names()),
      symbols_(names_.symbols),
      split_(rows_.capacity()) {}

NodeId View::find_node(std::string_view name) const {
  if (overlay_)
    if (const auto it = overlay_->rows_.find(name); it != overlay_->rows_.end())
      return it->second.removed ? kNone : split_ + it->second.row;
  return state_.find_node(name);
}

std::size_t View::node_count() const {
  const auto count = static_cast<std::int64_t>(state_.node_count()) + (overlay_ ? overlay_->node_delta_ : 0);
  return static_cast<std::size_t>(count);
}

std::vector<NodeId> View::all_nodes() const {
  std::vector<NodeId> nodes;
  if (!overlay_ && !state_.nodes().has_free_rows()) {
    nodes.resize(split_);
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
    return nodes;
  }
  nodes.reserve(node_count());
  for (NodeId id = 0; id < split_; ++id)
    if (!state_.nodes().name[id].empty() && !(overlay_ && overlay_->hidden_[id])) nodes.push_back(id);
  if (overlay_)
    for (const auto& [name, entry] : overlay_->rows_)
      if (!entry.removed) nodes.push_back(split_ + entry.row);
  return nodes;
}

Column<Symbol> View::label(std::string_view key) const {
  const Symbol symbol = this->symbol(key);
  if (symbol == kNone) return {ValuesByRow<Symbol>(), ValuesByRow<Symbol>(), column_split(), kNone};
  return {values_of(state_.nodes().label_column(symbol)),
          values_of(overlay_ ? overlay_->table_.label_column(symbol) : nullptr), column_split(), kNone};
}

Column<double> View::fact(const NodeFact& wanted) const {
  return {state_.nodes().fact(wanted), overlay_ ? overlay_->table_.fact(wanted) : nullptr, column_split(),
          kNoNumber};
}

std::vector<Symbol> View::offered_resources() const {
  std::vector<Symbol> all = rows_.offered_resources();
  if (extra_rows_)
    for (const Symbol resource : extra_rows_->offered_resources())
      if (!std::ranges::contains(all, resource)) all.push_back(resource);
  return all;
}

DomainIds View::domains(std::string_view key) const {
  const Symbol symbol = this->symbol(key);
  if (symbol == kNone) return {nullptr, nullptr, split_, kNone};
  return {state_.nodes().label_column(symbol), overlay_ ? overlay_->table_.label_column(symbol) : nullptr,
          split_, this->symbol("")};
}

ScalarColumns View::scalar(std::string_view resource) const {
  const Symbol symbol = this->symbol(resource);
  const NodeTable::Scalar* base = symbol == kNone ? nullptr : state_.nodes().scalar(symbol);
  const NodeTable::Scalar* extra = symbol == kNone || !overlay_ ? nullptr : overlay_->table_.scalar(symbol);
  const auto column = [&](RowValues<std::int64_t> NodeTable::Scalar::* member) {
    return Column(values_of(base, member), values_of(extra, member), column_split(), std::int64_t{0});
  };
  return {column(&NodeTable::Scalar::allocatable), column(&NodeTable::Scalar::requested)};
}

AttachColumns View::attach_limit(std::string_view limit) const {
  const Symbol id = names().limits.find(limit);
  const AttachTable::Limit* base = state_.nodes().attached().limit(id);
  const AttachTable::Limit* extra = overlay_ ? overlay_->table_.attached().limit(id) : nullptr;
  const auto column = [&](auto AttachTable::Limit::* member, auto missing) {
    return Column(values_of(base, member), values_of(extra, member), column_split(), missing);
  };
  return {column(&AttachTable::Limit::offered, AttachTable::kNoLimit),
          column(&AttachTable::Limit::by_driver, AttachTable::kNoLimit),
          column(&AttachTable::Limit::attached, 0), column(&AttachTable::Limit::installed, std::uint8_t{0})};
}

Column<std::uint8_t> View::csi() const {
  return {&state_.nodes().attached().csi(), overlay_ ? &overlay_->table_.attached().csi() : nullptr,
          column_split(), 0};
}

bool View::is_claim_used(std::string_view ns, std::string_view name) const {
  const Symbol claim = names().claims.find(std::string(ns).append(1, '/').append(name));
  if (claim == kNone) return false;
  std::int32_t uses = 0;
  for (const auto& [node, pods] : state_.volumes.users(claim))
    if (is_current(node) || find_node(state_.nodes().name[node]) != kNone) uses += pods;
  if (overlay_)
    for (const Overlay::ClaimChange& change : overlay_->claim_changes_)
      if (change.claim == claim && !is_removed(change.row)) uses += change.by;
  return uses > 0;
}

bool View::is_claim_awaited(std::string_view name) const {
  if (!overlay_) return false;
  const std::string suffix = std::string("/").append(name);
  const auto mounts = [&](const Overlay::PodChange& change) {
    return change.nominated && std::ranges::any_of(change.footprint.claims, [&](Symbol claim) {
             return names().claims[claim].ends_with(suffix);
           });
  };
  return std::ranges::any_of(overlay_->changes_, mounts);
}

std::uint32_t View::attachable(const AttachableName& volume) const {
  const Symbol limit = names().limits.find(volume.limit);
  return limit == kNone ? kNone : names().attachables.find(Attachable{limit, volume.id});
}

ImageSpread View::image(std::string_view name) const {
  ImageSpread spread;
  const Symbol symbol = this->symbol(name);
  if (symbol == kNone) return spread;
  const NodeTable::ImageUse* const base = state_.nodes().image(symbol);
  const NodeTable::ImageUse* const extra = overlay_ ? overlay_->table_.image(symbol) : nullptr;
  // Written in place: thousands of nodes may have the image.
  spread.nodes.resize((base ? base->size() : 0) + (extra ? extra->size() : 0));
  NodeId* end = spread.nodes.data();
  if (base)
    for (const NodeId row : *base)
      if (!overlay_ || !overlay_->hidden_[row]) *end++ = row;
  const NodeId* const of_overlay = end;
  if (extra)
    for (const NodeId row : *extra)
      if (find_node(overlay_->table_.name[row]) == split_ + row) *end++ = split_ + row;
  // As upstream does, the oldest node's size is taken. Each table has its oldest node first.
  std::uint64_t oldest = ~std::uint64_t{0};
  const auto take_size = [&](const NodeTable& table, NodeId row) {
    if (table.arrival[row] >= oldest) return;
    oldest = table.arrival[row];
    spread.size = table.image_size(row, symbol);
  };
  if (of_overlay != spread.nodes.data()) take_size(state_.nodes(), spread.nodes.front());
  if (of_overlay != end) take_size(overlay_->table_, *of_overlay - split_);
  spread.nodes.resize(static_cast<std::size_t>(end - spread.nodes.data()));
  return spread;
}

// Counts, terms and locations of pods, as a view has them.
//
// The state counts the pods on its own rows. For a view with an overlay these counts are corrected in two
// steps. The count of a hidden row moves to the overlay's row of the same node. Then the overlay's list of
// added and removed pods is applied.

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

std::vector<std::int32_t> View::count_pods(const std::string& ns, const Selector& selector) const {
  return count_pods(PodQuery{{ns}, selector, false});
}

bool View::has_nominated() const { return overlay_ && overlay_->has_nominated(); }

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
  const auto is_before = [&](PodId id, PodId other) {
    return other == kNone || state_.pod(id).name < state_.pod(other).name;
  };
  const auto first_of = [&](GroupId group) {
    PodId first = state_.first_member(group);
    if (first == kNone || counts(first)) return first;
    first = kNone;
    for (const PodId id : state_.members(group))
      if (is_before(id, first) && counts(id)) first = id;
    return first;
  };
  PodId first = kNone;
  if (const auto wanted = known_labels(state_.names().symbols, labels))
    for (const GroupId group : state_.groups.groups_in(state_.names().symbols.find(ns))) {
      if (!has_all(state_.groups[group].labels, *wanted)) continue;
      const PodId id = first_of(group);
      if (id != kNone && is_before(id, first)) first = id;
    }
  std::string name = first == kNone ? std::string() : state_.node_name_of(first);
  if (overlay_) overlay_->offer_first(ns, labels, first == kNone ? nullptr : &state_.pod(first).name, name);
  if (name.empty() && known && overlay_ && overlay_->nominates(ns, labels)) return Location{};
  if (name.empty()) return std::nullopt;
  const NodeId node = find_node(name);
  return Location{std::move(name), node};
}

const Workloads& View::workloads() const { return state_.workloads; }
const Volumes& View::volumes() const { return state_.volumes; }
const DeviceInventory& View::devices() const {
  return overlay_ && overlay_->devices_ ? *overlay_->devices_ : state_.devices;
}
const Objects& View::objects() const { return state_.objects; }

Overlay View::overlay() const { return overlay_ ? Overlay(*overlay_) : Overlay(state_); }

bool View::has_added(std::string_view ns, std::string_view name) const {
  return overlay_ && overlay_->has_added(ns, name);
}

}  // namespace winnow
