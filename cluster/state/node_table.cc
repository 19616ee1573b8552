#include "cluster/state/node_table.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <unordered_set>

#include "cluster/api/resource_name.h"
#include "cluster/go_math.h"
#include "cluster/state/node_column_list.h"

namespace winnow {

void NodeIndex::place(Slot slot) {
  std::size_t i = slot.hash & mask();
  while (slots_[i].id != kNone) i = (i + 1) & mask();
  slots_[i] = slot;
}

void NodeIndex::insert(NodeId id) {
  if (2 * ++size_ > slots_.size()) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old)
      if (slot.id != kNone) place(slot);
  }
  place({hash_of(table_.name[id]), id});
}

void NodeIndex::erase(std::string_view name) {
  const std::uint32_t hash = hash_of(name);
  std::size_t i = hash & mask();
  while (slots_[i].hash != hash || table_.name[slots_[i].id] != name) i = (i + 1) & mask();
  slots_[i] = Slot{};
  --size_;
  // Entries behind the hole, in the same run, are inserted again: a look-up would stop at the hole.
  for (i = (i + 1) & mask(); slots_[i].id != kNone; i = (i + 1) & mask())
    place(std::exchange(slots_[i], Slot{}));
}

namespace {

/// Adds `change` to the count of `key` in a sorted list of uses. A count of zero is removed.
template <class Use, class Key>
void count_use(std::vector<Use>& uses, Key Use::* field, const Key& key, int change) {
  const auto it = std::ranges::lower_bound(uses, key, {}, field);
  if (it == uses.end() || (*it).*field != key) {
    Use use;
    use.*field = key;
    use.pods = static_cast<std::uint32_t>(change);
    uses.insert(it, use);
  } else if ((it->pods += static_cast<std::uint32_t>(change)) == 0) {
    uses.erase(it);
  }
}

/// count_use() for each key. Many keys are merged in at once, since each single one would move all behind it.
template <class Use, class Key>
void count_uses(std::vector<Use>& uses, Key Use::* field, const std::vector<Key>& counted, int change) {
  constexpr std::size_t kFew = 16;
  if (counted.size() <= kFew) {
    for (const Key& key : counted) count_use(uses, field, key, change);
    return;
  }
  std::vector<Key> keys = counted;
  std::ranges::sort(keys);
  std::vector<Use> merged;
  merged.reserve(uses.size() + keys.size());
  auto use = uses.begin();
  for (auto key = keys.begin(); key != keys.end();) {
    const auto next = std::upper_bound(key, keys.end(), *key);
    for (; use != uses.end() && (*use).*field < *key; ++use) merged.push_back(*use);
    Use one;
    one.*field = *key;
    one.pods = static_cast<std::uint32_t>(change * (next - key));
    if (use != uses.end() && (*use).*field == *key) one.pods += (use++)->pods;
    if (one.pods != 0) merged.push_back(one);
    key = next;
  }
  merged.insert(merged.end(), use, uses.end());
  uses = std::move(merged);
}

/// The place of a node in the list of nodes with an image, which is sorted by arrival.
template <class Use>
auto find_image(Use& use, std::uint64_t arrival, NodeId node) {
  return std::ranges::lower_bound(use, std::pair(arrival, node), {}, [](const NodeTable::ImageOnNode& one) {
    return std::pair(one.arrival, one.node);
  });
}

}  // namespace

NodeId NodeTable::new_row() {
  if (!free_.empty()) {
    const NodeId id = free_.back();
    free_.pop_back();
    return id;
  }
  const NodeId id = capacity();
  for_each_column([&](const auto& column) { (this->*column.values).push_back(column.empty_value()); });
  attached_.add_row();
  for (FactColumn& column : facts_) column.values.push_back(kNoNumber);
  if (capacity() <= rows_) return id;
  rows_ = more_rows(rows_);
  for (auto& [key, column] : label_columns_) column.grow(rows_);
  for (auto& [key, column] : scalars_) {
    column.allocatable.grow(rows_);
    column.requested.grow(rows_);
  }
  return id;
}

NodeId NodeTable::add_row(const Node& node, std::uint64_t arrived) {
  const NodeId id = new_row();
  arrival[id] = arrived;
  put_node(id, node);
  return id;
}

void NodeTable::set_node(NodeId id, const Node& node, std::optional<std::uint64_t> arrived) {
  clear_node(id);
  if (arrived) arrival[id] = *arrived;
  put_node(id, node);
}

void NodeTable::remove_row(NodeId id) {
  clear_node(id);
  clear_pods(id);
  arrival[id] = 0;
  attached_.set_csi_node(id, nullptr);
  free_.push_back(id);
}

void NodeTable::put_node(NodeId id, const Node& node) {
  for_each_column([&]<class T, class Source>(const NodeColumn<T, Source>& column) {
    T& value = (this->*column.values)[id];
    if constexpr (requires { column.source.pool; }) {
      if (const auto shared = column.source.read(node, exact_zones_))
        value = (names_->*column.source.pool).acquire(*shared);
    } else if constexpr (requires { column.source.read; }) {
      value = column.source.read(node);
    }
  });
  labels[id] = acquire_labels(names_->symbols, node.metadata.labels);
  index_labels(id);
  put_facts(id, node);
  put_offers(id, node);
  put_images(id, node.status.images);
}

void NodeTable::put_offers(NodeId id, const Node& node) {
  for (const auto& [resource, amount] : node.status.allocatable) {
    if (!is_scalar_resource(resource)) continue;
    offers[id].push_back(names_->symbols.acquire(resource));
    offer(id, offers[id].back(), amount.value());
    if (is_attachable_volume(resource)) attached_.offer(id, resource, amount.value());
  }
}

void NodeTable::offer(NodeId id, Symbol resource, std::int64_t amount) {
  Scalar& column = scalars_[resource];
  ++column.offers;
  column.allocatable.set(id, amount, rows_);
}

void NodeTable::put_images(NodeId id, const std::vector<ContainerImage>& list) {
  std::unordered_set<Symbol> known;
  for (const ContainerImage& image : list)
    for (const std::string& image_name : image.names) {
      const Symbol symbol = names_->symbols.acquire(image_name);
      if (!known.insert(symbol).second) {
        names_->symbols.release(symbol);  // The node has the name already: its first size counts.
        continue;
      }
      image_names[id].push_back(symbol);
      index_image(id, symbol, image.size_bytes);
    }
}

void NodeTable::index_labels(NodeId id) {
  for (const auto& [key, value] : labels[id]) {
    label_columns_[key].put(id, value, rows_);
  }
}

void NodeTable::index_image(NodeId id, Symbol image_name, std::int64_t size) {
  ImageUse& use = images_[image_name];
  const ImageOnNode entry{arrival[id], id, size};
  use.insert(std::ranges::lower_bound(use, entry), entry);
}

void NodeTable::put_facts(NodeId id, const Node& node) {
  for (auto& [fact, values] : facts_) values[id] = number_of(node, fact);
}

const std::vector<double>* NodeTable::fact(const NodeFact& wanted) const {
  const auto it = std::ranges::find(facts_, wanted, &FactColumn::fact);
  return it == facts_.end() ? nullptr : &it->values;
}

NodeTable::NodeTable(Dictionaries& names, bool exact_zones, const std::vector<NodeFact>& facts)
    : names_(&names), exact_zones_(exact_zones), attached_(names) {
  for (const NodeFact& fact : facts) facts_.push_back({fact, {}});
}

NodeTable::NodeTable(const NodeTable& other, Dictionaries& names)
    : NodeColumns(other),
      names_(&names),
      exact_zones_(other.exact_zones_),
      rows_(other.rows_),
      free_(other.free_),
      label_columns_(other.label_columns_),
      scalars_(other.scalars_),
      asks_(other.asks_),
      images_(other.images_),
      attached_(other.attached_, names),
      facts_(other.facts_) {}

NodeId NodeTable::copy_row(const NodeTable& from, NodeId other) {
  const NodeId id = new_row();
  for_each_column([&](const auto& column) { (this->*column.values)[id] = (from.*column.values)[other]; });
  index_labels(id);
  attached_.copy_row(id, from.attached_, other);
  for (auto& [fact, values] : facts_) values[id] = (*from.fact(fact))[other];
  for (const Symbol resource : offers[id]) offer(id, resource, from.scalar(resource)->allocatable[other]);
  if (const auto asked = from.asks_.find(other); asked != from.asks_.end())
    for (const Symbol resource : asked->second) ask(id, resource, from.scalar(resource)->requested[other]);
  for (const Symbol image_name : image_names[id]) {
    const ImageUse& use = from.images_.at(image_name);
    index_image(id, image_name, find_image(use, arrival[id], other)->size);
  }
  return id;
}

void NodeTable::clear_node(NodeId id) {
  forget_labels(id);
  forget_images(id);
  forget_offers(id);
  for_each_column([&]<class T, class Source>(const NodeColumn<T, Source>& column) {
    T& value = (this->*column.values)[id];
    if constexpr (requires { column.source.pool; })
      if (value != kNone) (names_->*column.source.pool).release(value);
    if constexpr (kIsOfNode<Source>) value = column.empty_value();
  });
  attached_.clear_offers(id);
  for (FactColumn& column : facts_) column.values[id] = kNoNumber;
}

void NodeTable::forget_labels(NodeId id) {
  for (const auto& [key, value] : labels[id]) {
    LabelColumn& column = label_columns_[key];
    column.clear(id, rows_);
    if (column.empty()) label_columns_.erase(key);
  }
  release_labels(names_->symbols, labels[id]);
}

void NodeTable::forget_images(NodeId id) {
  for (const Symbol image_name : image_names[id]) {
    ImageUse& use = images_[image_name];
    use.erase(find_image(use, arrival[id], id));
    if (use.empty()) images_.erase(image_name);
    names_->symbols.release(image_name);
  }
}

void NodeTable::clear_pods(NodeId id) {
  forget_asks(id);
  for_each_column([&]<class T, class Source>(const NodeColumn<T, Source>& column) {
    if constexpr (kIsOfPods<Source>) (this->*column.values)[id] = column.empty_value();
  });
  attached_.clear_uses(id);
}

void NodeTable::apply(NodeId id, const Footprint& footprint, int sign) {
  for_each_column([&](const auto& column) {
    auto& value = (this->*column.values)[id];
    if constexpr (requires { column.source.amount; })
      value = wrap_add(value, wrap_multiply(sign, column.source.amount(footprint)));
    else if constexpr (requires { column.source.used; })
      count_uses(value, column.source.key, footprint.*column.source.used, sign);
  });
  for (const auto& [resource, amount] : footprint.scalars) ask(id, resource, wrap_multiply(sign, amount));
  attached_.change(id, footprint.attachables, sign);
}

/// A sum of 0 is as good as none, and is not kept.
void NodeTable::ask(NodeId id, Symbol resource, std::int64_t by) {
  if (by == 0) return;
  const Scalar* const known = scalar(resource);
  const std::int64_t before = known ? known->requested[id] : 0;
  const std::int64_t amount = wrap_add(before, by);
  set_requested(id, resource, amount);
  if (before != 0 && amount != 0) return;
  std::set<Symbol>& row = asks_[id];
  if (before == 0) {
    row.insert(resource);
    names_->symbols.hold(resource);
    return;
  }
  row.erase(resource);
  if (row.empty()) asks_.erase(id);
  names_->symbols.release(resource);
}

void NodeTable::set_requested(NodeId id, Symbol resource, std::int64_t amount) {
  scalars_[resource].requested.set(id, amount, rows_);
  if (amount == 0) drop_unused(resource);
}

void NodeTable::drop_unused(Symbol resource) {
  const auto column = scalars_.find(resource);
  if (column->second.offers == 0 && column->second.requested.empty()) scalars_.erase(column);
}

void NodeTable::forget_offers(NodeId id) {
  for (const Symbol resource : offers[id]) {
    Scalar& column = scalars_[resource];
    --column.offers;
    column.allocatable.set(id, 0, rows_);
    drop_unused(resource);
    names_->symbols.release(resource);
  }
}

void NodeTable::forget_asks(NodeId id) {
  const auto asked = asks_.find(id);
  if (asked == asks_.end()) return;
  for (const Symbol resource : asked->second) {
    set_requested(id, resource, 0);
    names_->symbols.release(resource);
  }
  asks_.erase(asked);
}

Node NodeTable::to_node(NodeId id) const {
  Node node;
  for_each_column([&](const auto& column) {
    const auto& value = (this->*column.values)[id];
    if constexpr (requires { column.source.pool; }) {
      if (value != kNone) column.source.give_back(node, (names_->*column.source.pool)[value]);
    } else if constexpr (requires { column.source.give_back; }) {
      column.source.give_back(node, value);
    }
  });
  const Symbols& symbols = names_->symbols;
  for (const auto& [key, value] : labels[id]) node.metadata.labels.emplace(symbols[key], symbols[value]);
  for (const auto& [fact, values] : facts_)
    if (fact.from == NodeFact::From::kAnnotation && !std::isnan(values[id]))
      node.metadata.annotations.emplace(fact.key, std::format("{}", values[id]));
  for (const Symbol resource : offers[id])
    node.status.allocatable.emplace(symbols[resource], Quantity::of_units(scalar(resource)->allocatable[id]));
  for (const Symbol image_name : image_names[id])
    node.status.images.push_back(
        {{symbols[image_name]}, find_image(*image(image_name), arrival[id], id)->size});
  return node;
}

const LabelColumn* NodeTable::label_column(Symbol key) const {
  const auto it = label_columns_.find(key);
  return it == label_columns_.end() ? nullptr : &it->second;
}

std::vector<Symbol> NodeTable::offered_resources() const {
  std::vector<Symbol> resources;
  for (const auto& [resource, column] : scalars_)
    if (column.offers > 0) resources.push_back(resource);
  return resources;
}

const NodeTable::Scalar* NodeTable::scalar(Symbol resource) const {
  const auto it = scalars_.find(resource);
  return it == scalars_.end() ? nullptr : &it->second;
}

const NodeTable::ImageUse* NodeTable::image(Symbol image_name) const {
  const auto it = images_.find(image_name);
  return it == images_.end() ? nullptr : &it->second;
}

}  // namespace winnow
