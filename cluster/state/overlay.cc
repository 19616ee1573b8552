// A row of the overlay is a full copy, so rules read it like a row of the state. Pods on such a row change it
// in place, and are listed in changes_. A row does not have the counts by query and by term, so a View
// computes them from the list. return_to() undoes the changes from the end of the list.
#include "cluster/state/overlay.h"

#include "cluster/state/state.h"

namespace winnow {
namespace {

/// The terms that a pod brings. v1.16 adds a nominated pod to what it knows of affinity only if all terms of
/// its required anti-affinity are valid. Upstream: predicates/metadata.go AddPod v1.16.15.
std::vector<AffinityTerm> added_terms(const Pod& pod, Generation generation, bool nominated) {
  std::vector<AffinityTerm> terms = affinity_terms(pod.spec, pod.metadata.namespace_, generation);
  const bool is_left_out =
      nominated && generation == Generation::kClassic && std::ranges::any_of(terms, [](const auto& term) {
        return term.kind == TermKind::kRequiredAntiAffinity && !term.selector;
      });
  if (is_left_out) terms.clear();
  return terms;
}

}  // namespace

Overlay::Overlay(const State& state)
    : state_(state),
      names_(&state.names()),
      table_(names_, state.options().exact_zones, state.options().facts, !state.options().node_fields.empty(),
             state.options().node_load),
      hidden_(state.nodes().capacity(), 0) {}

Overlay::Overlay(const Overlay& other)
    : state_(other.state_),
      devices_(other.devices_),
      names_(other.names_),
      table_(other.table_, names_),
      rows_(other.rows_),
      hidden_(other.hidden_),
      changes_(other.changes_),
      claim_changes_(other.claim_changes_),
      node_delta_(other.node_delta_),
      removed_pods_(other.removed_pods_),
      next_arrival_(other.next_arrival_) {}

void Overlay::set_node(const Node& node) {
  const std::string& name = node.metadata.name;
  if (Row* row = row_of(name)) {
    const bool comes_back = std::exchange(row->removed, false);
    if (comes_back) ++node_delta_;
    table_.set_node(row->row, node, comes_back ? std::optional(next_arrival_++) : std::nullopt);
    return;
  }
  const NodeId id = table_.add_row(node, next_arrival_++);
  state_.volumes.describe(table_, id, name);
  table_.set_metrics(id, state_.metrics_of(name));
  rows_[name] = Row{id, kNone, false};
  ++node_delta_;
  for (const PodId pod : state_.pods_on_unknown(name))
    if (!removed_pods_.contains(pod)) change(id, pod, +1);
}

void Overlay::remove_node(std::string_view name) {
  Row* row = row_of(name);
  if (!row || row->removed) return;
  row->removed = true;
  --node_delta_;
}

void Overlay::add_pod(const Pod& pod, bool nominated) {
  const Row* row = row_of(pod.spec.node_name);
  if (!row || row->removed) return;
  Footprint footprint =
      acquire_footprint(names_, pod, state_.options().accounting, state_.options().generation);
  apply(row->row, footprint, +1, /*is_coming=*/true);
  const ObjectMeta& meta = pod.metadata;
  changes_.push_back({row->row, meta.namespace_, meta.name, meta.labels, meta.deleting, +1, kNone, kNone,
                      added_terms(pod, state_.options().generation, nominated), std::move(footprint),
                      nominated});
}

bool Overlay::remove_pod(std::string_view ns, std::string_view name) {
  const PodId id = state_.find_pod(ns, name);
  if (id == kNone || !removed_pods_.emplace(id, true).second) return false;
  if (const Row* row = row_of(state_.node_name_of(id))) change(row->row, id, -1);
  return true;
}

bool Overlay::restore_pod(std::string_view ns, std::string_view name) {
  const PodId id = state_.find_pod(ns, name);
  if (id == kNone || removed_pods_.erase(id) == 0) return false;
  if (const Row* row = row_of(state_.node_name_of(id))) change(row->row, id, +1);
  return true;
}

bool Overlay::has_added(std::string_view ns, std::string_view name) const {
  return std::ranges::any_of(changes_,
                             [&](const PodChange& change) { return change.name == name && change.ns == ns; });
}

void Overlay::return_to(std::size_t mark) {
  while (changes_.size() > mark) {
    const PodChange& last = changes_.back();
    const bool is_known = last.pod != kNone;
    const Footprint& footprint = is_known ? state_.footprint(state_.pod(last.pod)) : last.footprint;
    apply(last.row, footprint, -last.by, !is_known || state_.is_coming(last.pod, table_.load(last.row)));
    if (!is_known)
      release_footprint(names_, footprint);
    else if (last.by < 0)
      removed_pods_.erase(last.pod);
    else
      removed_pods_.emplace(last.pod, true);
    changes_.pop_back();
  }
}

Overlay::Row* Overlay::row_of(std::string_view node_name) {
  if (const auto it = rows_.find(node_name); it != rows_.end()) return &it->second;
  const NodeId origin = state_.find_node(node_name);
  if (origin == kNone) return nullptr;
  hidden_[origin] = 1;
  Row& row = rows_[std::string(node_name)];
  row = Row{table_.copy_row(state_.nodes(), origin), origin, false};
  return &row;
}

void Overlay::offer_first(const std::string& ns, const StringMap& labels, const std::string* first,
                          std::string& node_name) const {
  for (const PodChange& change : changes_) {
    if (change.name.empty() || change.nominated || change.ns != ns || (first && *first <= change.name))
      continue;
    if (!std::ranges::includes(change.labels, labels)) continue;
    first = &change.name;
    node_name = table_.name[change.row];
  }
}

bool Overlay::nominates(const std::string& ns, const StringMap& labels) const {
  return std::ranges::any_of(changes_, [&](const PodChange& change) {
    return change.nominated && change.ns == ns && std::ranges::includes(change.labels, labels);
  });
}

/// Counts a pod of the state. The footprint is the state's own, which includes what the pod's status adds.
void Overlay::change(NodeId row, PodId pod, std::int32_t by) {
  const PodRecord& record = state_.pod(pod);
  apply(row, state_.footprint(record), by, state_.is_coming(pod, table_.load(row)));
  const PodGroupKey& group = state_.groups[record.group];
  StringMap labels;
  for (const auto& [key, value] : group.labels)
    labels.emplace(state_.names().symbols[key], state_.names().symbols[value]);
  changes_.push_back({row,
                      std::string(state_.pod_namespace(record)),
                      "",
                      std::move(labels),
                      group.deleting,
                      by,
                      pod,
                      record.terms,
                      {},
                      {},
                      false});
}

void Overlay::apply(NodeId row, const Footprint& footprint, std::int32_t by, bool is_coming) {
  by > 0 ? table_.add(row, footprint) : table_.subtract(row, footprint);
  if (is_coming) table_.change_coming(row, footprint, by);
  attach_claims(row, footprint, by);
}

void Overlay::attach_claims(NodeId row, const Footprint& footprint, std::int32_t by) {
  for (const Symbol claim : footprint.claims) {
    claim_changes_.push_back({row, claim, by});
    for (const AttachableName& volume : state_.volumes.attachables(names_.claims[claim])) {
      const std::uint32_t id = acquire_attachable(names_, volume);
      table_.attach(row, std::span(&id, 1), by);
    }
  }
}

}  // namespace winnow
