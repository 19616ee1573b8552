#include "cluster/state/view.h"

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
  if (symbol == kNone) return {ValuesByRow<Symbol>(), ValuesByRow<Symbol>(), column_split(), kNone};
  return {values_of(state_.nodes().label_column(symbol)),
          values_of(overlay_ ? overlay_->table_.label_column(symbol) : nullptr), column_split(), kNone};
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
  std::uint64_t oldest = ~std::uint64_t{0};
  const auto take = [&](const NodeTable::ImageOnNode& use, NodeId id) {
    if (use.arrival < oldest) {
      oldest = use.arrival;
      spread.size = use.size;
    }
    *end++ = id;
  };
  if (base)
    for (const NodeTable::ImageOnNode& use : *base)
      if (!overlay_ || !overlay_->hidden_[use.node]) take(use, use.node);
  if (extra)
    for (const NodeTable::ImageOnNode& use : *extra)
      if (find_node(overlay_->table_.name[use.node]) == split_ + use.node) take(use, split_ + use.node);
  spread.nodes.resize(static_cast<std::size_t>(end - spread.nodes.data()));
  return spread;
}

}  // namespace winnow
