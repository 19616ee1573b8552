#include "cluster/state/view.h"

#include <set>

namespace winnow {

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
  if (symbol == kNone) return {nullptr, nullptr, split_, kNone};
  return {state_.nodes().label_column(symbol), overlay_ ? overlay_->table_.label_column(symbol) : nullptr,
          split_, kNone};
}

ScalarColumns View::scalar(std::string_view resource) const {
  const Symbol symbol = this->symbol(resource);
  const NodeTable::Scalar* base = symbol == kNone ? nullptr : state_.nodes().scalar(symbol);
  const NodeTable::Scalar* extra = symbol == kNone || !overlay_ ? nullptr : overlay_->table_.scalar(symbol);
  return {{base ? &base->allocatable : nullptr, extra ? &extra->allocatable : nullptr, split_, 0},
          {base ? &base->requested : nullptr, extra ? &extra->requested : nullptr, split_, 0}};
}

AttachColumns View::attach_limit(std::string_view limit) const {
  const Symbol id = names().limits.find(limit);
  const AttachTable::Limit* base = state_.nodes().attached().limit(id);
  const AttachTable::Limit* extra = overlay_ ? overlay_->table_.attached().limit(id) : nullptr;
  const auto column = [&](auto AttachTable::Limit::* member, auto missing) {
    return Column(base ? &(base->*member) : nullptr, extra ? &(extra->*member) : nullptr, split_, missing);
  };
  return {column(&AttachTable::Limit::offered, AttachTable::kNoLimit),
          column(&AttachTable::Limit::by_driver, AttachTable::kNoLimit),
          column(&AttachTable::Limit::attached, 0)};
}

std::uint32_t View::attachable(const AttachableName& volume) const {
  const Symbol limit = names().limits.find(volume.limit);
  return limit == kNone ? kNone : names().attachables.find(Attachable{limit, volume.id});
}

ImageSpread View::image(std::string_view name) const {
  ImageSpread spread;
  const Symbol symbol = this->symbol(name);
  if (symbol == kNone) return spread;
  std::uint64_t oldest = ~std::uint64_t{0};
  const auto take = [&](const NodeTable::ImageOnNode& use, NodeId id) {
    if (use.since < oldest) {
      oldest = use.since;
      spread.size = use.size;
    }
    spread.nodes.push_back(id);
  };
  if (const NodeTable::ImageUse* base = state_.nodes().image(symbol))
    for (const NodeTable::ImageOnNode& use : *base)
      if (!overlay_ || !overlay_->hidden_[use.node]) take(use, use.node);
  if (overlay_)
    if (const NodeTable::ImageUse* extra = overlay_->table_.image(symbol))
      for (const NodeTable::ImageOnNode& use : *extra)
        if (find_node(overlay_->table_.name[use.node]) == split_ + use.node) take(use, split_ + use.node);
  return spread;
}

/// Rows that the overlay has removed still count.
std::vector<std::int32_t> View::count_pods_by_row(const PodQuery& query) const {
  std::vector<std::int32_t> counts(capacity(), 0);
  state_.groups.count(query, std::span(counts).first(split_));
  if (!overlay_) return counts;
  for (const auto& [name, entry] : overlay_->rows_)
    if (entry.origin != kNone) std::swap(counts[split_ + entry.row], counts[entry.origin]);
  for (const Overlay::PodChange& change : overlay_->changes_)
    if (query.matches(change.ns, change.labels, change.deleting)) counts[split_ + change.row] += change.by;
  return counts;
}

std::vector<std::int32_t> View::count_pods(const PodQuery& query) const {
  std::vector<std::int32_t> counts = count_pods_by_row(query);
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
      const ObjectMeta pod = state_.to_pod(id).metadata;
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

bool View::is_removed(NodeId extra_row) const {
  return overlay_->rows_.find(overlay_->table_.name[extra_row])->second.removed;
}

/// The pods with a term of the state, where the overlay has them.
CountsByNode View::overlaid(TermId term) const {
  CountsByNode counts;
  for (const PodsOnNode& base : state_.terms.pods(term)) {
    const NodeId node = is_current(base.node) ? base.node : find_node(state_.nodes().name[base.node]);
    if (node != kNone) counts.change(node, base.pods);
  }
  for (const Overlay::PodChange& change : overlay_->changes_) {
    if (change.terms == kNone || is_removed(change.row)) continue;
    const auto times = std::ranges::count(state_.terms.list(change.terms), term);
    if (times > 0) counts.change(split_ + change.row, change.by * static_cast<std::int32_t>(times));
  }
  return counts;
}

void View::visit_term(TermId term, const TermVisitor& visit) const {
  const AffinityTerm& what = state_.terms[term];
  if (!overlay_) {
    if (!state_.terms.pods(term).empty()) visit(what, state_.terms.pods(term));
  } else if (const CountsByNode counts = overlaid(term); !counts.empty()) {
    visit(what, counts.entries());
  }
}

template <class Wanted>
void View::visit_added(TermKind kind, const TermVisitor& visit, const Wanted& is_wanted) const {
  if (!overlay_) return;
  for (const Overlay::PodChange& change : overlay_->changes_) {
    if (change.added.empty() || is_removed(change.row)) continue;
    const PodsOnNode one{split_ + change.row, change.by};
    for (const AffinityTerm& term : change.added)
      if (term.kind == kind && is_wanted(term)) visit(term, {&one, 1});
  }
}

void View::visit_terms(TermKind kind, const ObjectMeta& pod, const TermVisitor& visit) const {
  state_.terms.visit_matching(kind, pod, [&](TermId term) { visit_term(term, visit); });
  visit_added(kind, visit, [&](const AffinityTerm& term) { return term.matches(pod); });
}

void View::visit_invalid_terms(TermKind kind, const TermVisitor& visit) const {
  for (const TermId term : state_.terms.invalid(kind)) visit_term(term, visit);
  visit_added(kind, visit, [](const AffinityTerm& term) { return !term.selector; });
}

namespace {

bool has_all(const LabelSet& labels, const LabelSet& wanted) {
  return std::ranges::includes(labels, wanted);  // Both are sorted.
}

/// The labels as symbols; nothing where a key or a value is unheard of.
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

std::optional<View::Site> View::first_site(const std::string& ns, const StringMap& labels) const {
  const auto first_of = [&](std::span<const PodId> members) {
    const auto it = std::ranges::find_if(
        members, [&](PodId id) { return !overlay_ || !overlay_->removed_pods_.contains(id); });
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
  if (name.empty()) return std::nullopt;
  const NodeId node = find_node(name);
  return Site{std::move(name), node};
}

}  // namespace winnow
