#include "cluster/state/node_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <format>
#include <unordered_set>

#include "cluster/api/resource_name.h"
#include "cluster/go_math.h"
#include "cluster/state/node_column_list.h"

namespace winnow {

std::uint64_t NodeIndex::new_version() {
  static std::atomic<std::uint64_t> versions = 0;
  return ++versions;
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

}  // namespace

NodeId NodeTable::new_row() {
  if (!free_.empty()) {
    const NodeId id = free_.back();
    free_.pop_back();
    return id;
  }
  const NodeId id = capacity();
  for_each_column([&](const auto& column) { (this->*column.values).push_back(column.empty_value()); });
  image_sizes_.emplace_back();
  attached_.add_row();
  for (FactColumn& column : facts_) column.values.push_back(kNoNumber);
  if (keeps_fields_) fields_.emplace_back();
  if (keeps_load_) loads_.emplace_back();
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
  if (arrived) {  // The index of images is in order of arrival.
    clear_node(id);
    arrival[id] = *arrived;
    return put_node(id, node);
  }
  changes_.note(id);
  ++node_changes_;
  change_columns(id, node);
  if (!same_labels(id, node.metadata.labels)) change_labels(id, node.metadata.labels);
  if (!same_offers(id, node)) change_offers(id, node);
  if (!same_images(id, node.status.images)) change_images(id, node.status.images);
  put_facts(id, node);
  if (!same_fields(id, node)) put_fields(id, node);
}

void NodeTable::change_columns(NodeId id, const Node& node) {
  for_each_column([&]<class T, class Source>(const NodeColumn<T, Source>& column) {
    T& value = (this->*column.values)[id];
    if constexpr (requires { column.source.pool; }) {
      auto& pool = names_->*column.source.pool;
      const auto shared = column.source.read(node, exact_zones_);
      if (shared ? value != kNone && pool[value] == *shared : value == kNone) return;
      const T before = std::exchange(value, shared ? pool.acquire(*shared) : kNone);
      if (before != kNone) pool.release(before);
    } else if constexpr (requires { column.source.read; }) {
      value = column.source.read(node);
    }
  });
}

/// Both are in order, so what only one of them has is found in one walk.
void NodeTable::change_labels(NodeId id, const StringMap& wanted) {
  const LabelSet before = std::exchange(labels[id], acquire_labels(names_->symbols, wanted));
  const LabelSet& now = labels[id];
  for (const auto& label : before)
    if (!std::ranges::binary_search(now, label)) forget_label(id, label.first);
  for (const auto& label : now)
    if (!std::ranges::binary_search(before, label)) index_label(id, label.first, label.second);
  release_labels(names_->symbols, before);
}

void NodeTable::change_offers(NodeId id, const Node& node) {
  forget_offers(id);
  offers[id].clear();
  attached_.clear_offers(id);
  put_offers(id, node);
}

void NodeTable::change_images(NodeId id, const std::vector<ContainerImage>& list) {
  ImageSizes now = acquire_images(list);
  ImageSizes before;
  before.reserve(image_names[id].size());
  for (std::size_t i = 0; i < image_names[id].size(); ++i)
    before.emplace_back(image_names[id][i], image_sizes_[id][i]);
  set_images(id, now);
  std::ranges::sort(before);
  std::ranges::sort(now);
  for (const auto& image : before)
    if (!std::ranges::binary_search(now, image)) forget_image(id, image.first);
  for (const auto& image : now)
    if (!std::ranges::binary_search(before, image)) index_image(id, image.first);
  for (const auto& [image_name, size] : before) names_->symbols.release(image_name);
}

bool NodeTable::holds(NodeId id, const Node& node) const {
  bool same = true;
  for_each_column([&]<class T, class Source>(const NodeColumn<T, Source>& column) {
    if (!same) return;
    const T& value = (this->*column.values)[id];
    if constexpr (requires { column.source.pool; }) {
      const auto shared = column.source.read(node, exact_zones_);
      same = shared ? value != kNone && (names_->*column.source.pool)[value] == *shared : value == kNone;
    } else if constexpr (requires { column.source.read; }) {
      same = value == column.source.read(node);
    }
  });
  return same && same_labels(id, node.metadata.labels) && same_offers(id, node) &&
         same_images(id, node.status.images) && same_facts(id, node) && same_fields(id, node);
}

bool NodeTable::same_labels(NodeId id, const StringMap& wanted) const {
  if (labels[id].size() != wanted.size()) return false;
  const Symbols& symbols = names_->symbols;
  // The symbols of keys mostly are in the order of the keys: a key is behind the last one, or is looked up.
  auto next = wanted.begin();
  return std::ranges::all_of(labels[id], [&](const auto& label) {
    const std::string& key = symbols[label.first];
    if (next == wanted.end() || next->first != key) next = wanted.find(key);
    if (next == wanted.end() || next->second != symbols[label.second]) return false;
    ++next;
    return true;
  });
}

bool NodeTable::same_offers(NodeId id, const Node& node) const {
  std::size_t count = 0;
  for (const auto& [resource, amount] : node.status.allocatable) {
    if (!is_scalar_resource(resource)) continue;
    if (count == offers[id].size() || names_->symbols[offers[id][count]] != resource ||
        scalar(offers[id][count])->allocatable[id] != amount.value())
      return false;
    ++count;
  }
  return count == offers[id].size();
}

// A kubelet reports all its images with each change of any. Their texts are of all nodes, and in no cache: so
// they are fetched ahead.
bool NodeTable::same_images(NodeId id, const std::vector<ContainerImage>& list) const {
  constexpr std::size_t kAhead = 8;
  const Symbols& symbols = names_->symbols;
  const std::vector<Symbol>& known = image_names[id];
  const std::vector<std::int64_t>& sizes = image_sizes_[id];
  for (std::size_t i = 0; i < std::min(2 * kAhead, known.size()); ++i) __builtin_prefetch(&symbols[known[i]]);
  std::size_t count = 0;
  for (const ContainerImage& one : list)
    for (const std::string& image_name : one.names) {
      if (count + 2 * kAhead < known.size()) __builtin_prefetch(&symbols[known[count + 2 * kAhead]]);
      if (count + kAhead < known.size()) __builtin_prefetch(symbols[known[count + kAhead]].data());
      if (count == known.size() || sizes[count] != one.size_bytes || symbols[known[count]] != image_name)
        return false;
      ++count;
    }
  return count == known.size();
}

bool NodeTable::same_facts(NodeId id, const Node& node) const {
  return std::ranges::all_of(facts_, [&](const FactColumn& column) {
    const double number = number_of(node, column.fact);
    return number == column.values[id] || (std::isnan(number) && std::isnan(column.values[id]));
  });
}

void NodeTable::remove_row(NodeId id) {
  clear_node(id);
  clear_pods(id);
  arrival[id] = 0;
  attached_.set_csi_node(id, nullptr);
  if (keeps_load_) loads_[id] = {};
  free_.push_back(id);
}

void NodeTable::put_node(NodeId id, const Node& node) {
  changes_.note(id);
  ++node_changes_;
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
  put_fields(id, node);
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
  const ImageSizes images = acquire_images(list);
  set_images(id, images);
  for (const auto& [image_name, size] : images) index_image(id, image_name);
}

/// A node has many images, so its lists have no more room than they need.
void NodeTable::set_images(NodeId id, const ImageSizes& images) {
  std::vector<Symbol> names;
  std::vector<std::int64_t> sizes;
  names.reserve(images.size());
  sizes.reserve(images.size());
  for (const auto& [image_name, size] : images) {
    names.push_back(image_name);
    sizes.push_back(size);
  }
  image_names[id] = std::move(names);
  image_sizes_[id] = std::move(sizes);
}

/// The names of a node's images, each once: the first size of a name counts.
NodeTable::ImageSizes NodeTable::acquire_images(const std::vector<ContainerImage>& list) {
  ImageSizes images;
  for (const ContainerImage& image : list)
    for (const std::string& image_name : image.names)
      images.emplace_back(names_->symbols.acquire(image_name), image.size_bytes);
  std::vector<Symbol> sorted;
  for (const auto& [image_name, size] : images) sorted.push_back(image_name);
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return images;
  std::unordered_set<Symbol> known;
  std::erase_if(images, [&](const auto& image) {
    const bool is_repeated = !known.insert(image.first).second;
    if (is_repeated) names_->symbols.release(image.first);
    return is_repeated;
  });
  return images;
}

void NodeTable::index_labels(NodeId id) {
  for (const auto& [key, value] : labels[id]) index_label(id, key, value);
}

void NodeTable::index_label(NodeId id, Symbol key, Symbol value) {
  label_columns_[key].put(id, value, rows_);
}

NodeTable::ImageUse::const_iterator NodeTable::find_image(const ImageUse& use, NodeId id) const {
  const auto place = [this](NodeId one) { return std::pair(arrival[one], one); };
  return std::ranges::lower_bound(use, place(id), {}, place);
}

void NodeTable::index_image(NodeId id, Symbol image_name) {
  ImageUse& use = images_[image_name];
  use.insert(find_image(use, id), id);
}

void NodeTable::put_facts(NodeId id, const Node& node) {
  for (auto& [fact, values] : facts_) values[id] = number_of(node, fact);
}

bool NodeTable::same_fields(NodeId id, const Node& node) const {
  return !keeps_fields_ || fields(id).json() == node.fields;
}

void NodeTable::put_fields(NodeId id, const Node& node) {
  if (keeps_fields_) fields_[id] = FieldTree::read(FieldsOf::kNodes, node.fields);
}

void NodeTable::set_metrics(NodeId id, const NodeMetrics* measured) {
  if (!keeps_load_) return;
  NodeLoad& load = loads_[id];
  std::optional<NodeUsage> usage = measured ? measured->usage : std::nullopt;
  MetricsByName metrics = measured ? measured->metrics : MetricsByName();
  if (load.usage == usage && load.metrics == metrics) return;
  load.usage = usage;
  load.metrics = std::move(metrics);
  changes_.note(id);
}

void NodeTable::change_coming(NodeId id, const Footprint& footprint, std::int32_t by) {
  if (!keeps_load_) return;
  NodeLoad& load = loads_[id];
  load.coming_cpu += by * footprint.requests.nonzero_milli_cpu;
  load.coming_memory += by * footprint.requests.nonzero_memory;
  load.coming_pods += by;
  changes_.note(id);
}

const NodeLoad& NodeTable::load(NodeId id) const {
  static const NodeLoad kUnknown;
  return keeps_load_ ? loads_[id] : kUnknown;
}

const FieldTree& NodeTable::fields(NodeId id) const {
  static const std::shared_ptr<const FieldTree> kEmpty = FieldTree::read(FieldsOf::kNodes, "");
  return keeps_fields_ && fields_[id] ? *fields_[id] : *kEmpty;
}

const std::vector<double>* NodeTable::fact(const NodeFact& wanted) const {
  const auto it = std::ranges::find(facts_, wanted, &FactColumn::fact);
  return it == facts_.end() ? nullptr : &it->values;
}

NodeTable::NodeTable(Dictionaries& names, bool exact_zones, const std::vector<NodeFact>& facts,
                     bool keeps_fields, bool keeps_load)
    : names_(&names),
      exact_zones_(exact_zones),
      attached_(names),
      keeps_fields_(keeps_fields),
      keeps_load_(keeps_load) {
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
      image_sizes_(other.image_sizes_),
      attached_(other.attached_, names),
      facts_(other.facts_),
      keeps_fields_(other.keeps_fields_),
      fields_(other.fields_),
      keeps_load_(other.keeps_load_),
      loads_(other.loads_) {}

NodeId NodeTable::copy_row(const NodeTable& from, NodeId other) {
  const NodeId id = new_row();
  for_each_column([&](const auto& column) { (this->*column.values)[id] = (from.*column.values)[other]; });
  index_labels(id);
  attached_.copy_row(id, from.attached_, other);
  for (auto& [fact, values] : facts_) values[id] = (*from.fact(fact))[other];
  if (keeps_fields_) fields_[id] = from.fields_[other];
  if (keeps_load_) loads_[id] = from.loads_[other];
  for (const Symbol resource : offers[id]) offer(id, resource, from.scalar(resource)->allocatable[other]);
  if (const auto asked = from.asks_.find(other); asked != from.asks_.end())
    for (const Symbol resource : asked->second) ask(id, resource, from.scalar(resource)->requested[other]);
  image_sizes_[id] = from.image_sizes_[other];
  for (const Symbol image_name : image_names[id]) index_image(id, image_name);
  return id;
}

void NodeTable::clear_node(NodeId id) {
  changes_.note(id);
  ++node_changes_;
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
  if (keeps_fields_) fields_[id].reset();
}

void NodeTable::forget_labels(NodeId id) {
  for (const auto& [key, value] : labels[id]) forget_label(id, key);
  release_labels(names_->symbols, labels[id]);
}

void NodeTable::forget_label(NodeId id, Symbol key) {
  const auto column = label_columns_.find(key);
  column->second.clear(id, rows_);
  if (column->second.empty()) label_columns_.erase(column);
}

void NodeTable::forget_images(NodeId id) {
  for (const Symbol image_name : image_names[id]) {
    forget_image(id, image_name);
    names_->symbols.release(image_name);
  }
  image_sizes_[id] = {};
}

void NodeTable::forget_image(NodeId id, Symbol image_name) {
  const auto found = images_.find(image_name);
  ImageUse& use = found->second;
  use.erase(find_image(use, id));
  if (use.empty()) images_.erase(found);
}

void NodeTable::clear_pods(NodeId id) {
  forget_asks(id);
  for_each_column([&]<class T, class Source>(const NodeColumn<T, Source>& column) {
    if constexpr (kIsOfPods<Source>) (this->*column.values)[id] = column.empty_value();
  });
  attached_.clear_uses(id);
}

void NodeTable::apply(NodeId id, const Footprint& footprint, int sign) {
  changes_.note(id);
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
  node.fields = fields(id).json();
  const Symbols& symbols = names_->symbols;
  for (const auto& [key, value] : labels[id]) node.metadata.labels.emplace(symbols[key], symbols[value]);
  for (const auto& [fact, values] : facts_)
    if (fact.from == NodeFact::From::kAnnotation && !std::isnan(values[id]))
      node.metadata.annotations.emplace(fact.key, std::format("{}", values[id]));
  for (const Symbol resource : offers[id])
    node.status.allocatable.emplace(symbols[resource], Quantity::of_units(scalar(resource)->allocatable[id]));
  for (std::size_t i = 0; i < image_names[id].size(); ++i)
    node.status.images.push_back({{symbols[image_names[id][i]]}, image_sizes_[id][i]});
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

std::int64_t NodeTable::image_size(NodeId id, Symbol image_name) const {
  const auto found = std::ranges::find(image_names[id], image_name);
  return image_sizes_[id][static_cast<std::size_t>(found - image_names[id].begin())];
}

}  // namespace winnow
