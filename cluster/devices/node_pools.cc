#include "cluster/devices/node_pools.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>

namespace winnow {
namespace {

using Slices = std::span<const PublishedSlice* const>;

const NodeSelector* selector_of(const std::optional<NodeSelector>& selector) {
  return selector ? &*selector : nullptr;
}

/// As Go's generated code prints them.
std::string requirements_text(const std::vector<SelectorRequirement>& requirements) {
  std::string text;
  for (const SelectorRequirement& one : requirements) {
    text += std::format("NodeSelectorRequirement{{Key:{},Operator:{},Values:[", one.key, one.op);
    for (std::size_t i = 0; i < one.values.size(); ++i) text += (i > 0 ? " " : "") + one.values[i];
    text += "],},";
  }
  return text;
}

std::string selector_text(const NodeSelector& selector) {
  std::string text = "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{";
  for (const NodeSelectorTerm& term : selector.terms)
    text += std::format(
        "NodeSelectorTerm{{MatchExpressions:[]NodeSelectorRequirement{{{}}},"
        "MatchFields:[]NodeSelectorRequirement{{{}}},}},",
        requirements_text(term.match_expressions), requirements_text(term.match_fields));
  return text + "},}";
}

}  // namespace

// Upstream: NodeMatches.
std::expected<bool, std::string> node_matches(const DeviceNode& node, std::string_view name, bool all_nodes,
                                              const NodeSelector* selector) {
  if (!name.empty()) return node.name == name;
  if (all_nodes) return true;
  if (selector == nullptr) return false;
  auto matches = node.matches(*selector);
  if (!matches)
    return std::unexpected(
        std::format("failed to parse node selector {}: {}", selector_text(*selector), matches.error()));
  return matches;
}

std::expected<bool, std::string> NodePools::is_relevant(const PublishedSlice& slice) const {
  const ResourceSlice& object = *slice.object;
  if (slice.scope == SliceScope::kUnknown) return false;
  if (slice.scope != SliceScope::kPerDevice) {
    auto matches =
        node_matches(*node_, object.node_name, object.all_nodes, selector_of(object.node_selector));
    if (!matches)
      return std::unexpected(std::format("failed to perform node selection for slice {}: {}",
                                         object.metadata.name, matches.error()));
    return matches;
  }
  for (const Device& device : object.devices) {
    const auto matches =
        node_matches(*node_, device.node_name, device.all_nodes, selector_of(device.node_selector));
    if (!matches)
      return std::unexpected(std::format("failed to perform node selection for device {} in slice {}: {}",
                                         device.name, object.metadata.name, matches.error()));
    if (*matches) return true;
  }
  return false;
}

/// Collects the slices of the pool that the node can use, of the newest generation among them.
std::expected<void, std::string> NodePools::collect(const NodePool& local) {
  relevant_.clear();
  const auto add_slice = [&](const PublishedSlice* slice) {
    const std::int64_t generation = slice->object->pool.generation;
    if (!relevant_.empty()) {
      const std::int64_t present = relevant_.front()->object->pool.generation;
      if (generation < present) return;
      if (generation > present) relevant_.clear();
    }
    relevant_.push_back(slice);
  };
  for (const PublishedSlice* slice : local.slices)
    if (!slice->has_groups) add_slice(slice);
  if (local.pool->scattered() == 0) return {};
  for (const PublishedSlice* slice : local.pool->slices()) {
    if (slice->has_groups || slice->scope == SliceScope::kNode) continue;
    const auto relevant = is_relevant(*slice);
    if (!relevant) return std::unexpected(relevant.error());
    if (*relevant) add_slice(slice);
  }
  return {};
}

void NodePools::add_view(const NodePoolView& view, bool has_binding_conditions) {
  has_invalid_ |= view.state == NodePoolView::State::kInvalid;
  (has_binding_conditions ? binding_ : views_).push_back(view);
}

void NodePools::add_content(const DevicePool& pool, const PoolContent& content) {
  if (content.is_valid)
    add_view({.pool = &pool, .slices = content.slices, .content = &content}, content.has_binding_conditions);
  else
    add_view({.pool = &pool, .state = NodePoolView::State::kInvalid, .content = &content}, false);
}

void NodePools::add_incomplete(const DevicePool& pool, const WholePool& whole, std::int64_t expected) {
  add_view({.pool = &pool,
            .state = NodePoolView::State::kIncomplete,
            .found_slices = whole.slices,
            .expected_slices = expected},
           false);
}

SliceList& NodePools::next_list() {
  if (lists_used_ == lists_.size()) lists_.emplace_back();
  SliceList& list = lists_[lists_used_++];
  list.clear();
  return list;
}

/// Adds a pool whose content no other node shares.
void NodePools::add_made(const DevicePool& pool, Slices slices, Slices others) {
  const PoolContent& content = *contents_.emplace_back(
      std::make_unique<PoolContent>(pool.content_of(slices, others, inventory_->held())));
  add_content(pool, content);
}

/// Judges whether the pool is complete and valid. @param slices  what the node can use, in order of name and
/// of one generation. @param expected  how many slices there should be.
void NodePools::judge(const DevicePool& pool, Slices slices, std::int64_t expected) {
  const WholePool& whole = pool.whole(inventory_->held());
  const std::int64_t generation = slices.front()->object->pool.generation;
  const bool is_newest = generation == whole.generation;
  const bool has_all = is_newest && slices.size() == whole.slices;
  if (static_cast<std::int64_t>(slices.size()) == expected) {
    // What other nodes have does not matter then, even if it is newer.
    if (!has_all) return add_made(pool, slices, {});
  } else {
    if (generation < whole.newest) return;  // The driver replaces it.
    if (static_cast<std::int64_t>(whole.slices) != expected) return add_incomplete(pool, whole, expected);
  }
  // What is wrong with counters is wrong for all nodes. Names are looked at among what the node can use.
  if (has_all || (!whole.content.is_valid && whole.content.names_are_unique))
    return add_content(pool, whole.content);
  if (whole.content.is_valid) {
    SliceList& list = next_list();
    for (const PublishedSlice* slice : slices)
      if (!slice->has_counter_sets) list.push_back(slice);
    return add_view({.pool = &pool, .slices = list, .content = &whole.content},
                    std::ranges::any_of(list, &PublishedSlice::has_binding_conditions));
  }
  SliceList others;
  for (const PublishedSlice* slice : pool.slices())
    if (!slice->has_groups && slice->object->pool.generation == generation &&
        std::ranges::find(slices, slice) == slices.end())
      others.push_back(slice);
  add_made(pool, slices, others);
}

void NodePools::add_whole(const DevicePool& pool, const WholePool& whole) {
  const PoolContent& content = whole.content;
  if (whole.slices == 0) return;
  if (static_cast<std::int64_t>(whole.slices) == whole.expected_slices) return add_content(pool, content);
  if (whole.generation == whole.newest) add_incomplete(pool, whole, whole.expected_slices);
}

std::expected<void, std::string> NodePools::add(const NodePool& local) {
  if (const WholePool* whole = local.pool->whole_of_one_node(inventory_->held())) {  // The common case.
    add_whole(*local.pool, *whole);
    return {};
  }
  if (auto collected = collect(local); !collected) return collected;
  if (relevant_.empty()) return {};
  // Where slices disagree, upstream takes what any slice of the node expects, else any other one.
  const std::int64_t expected = relevant_.front()->object->pool.resource_slice_count;
  std::ranges::sort(relevant_, {}, [](const PublishedSlice* slice) -> const std::string& {
    return slice->object->metadata.name;
  });
  judge(*local.pool, relevant_, expected);
  return {};
}

std::expected<void, std::string> NodePools::gather(const DeviceInventory& inventory, const DeviceNode& node) {
  inventory_ = &inventory;
  node_ = &node;
  views_.clear();
  binding_.clear();
  lists_used_ = 0;
  contents_.clear();
  has_invalid_ = false;
  const std::span<const NodePool> local = inventory.pools_of_node(node.name);
  const std::span<const DevicePool* const> scattered = inventory.scattered_pools();
  // Both are in order of pools.
  auto one = local.begin();
  for (auto other = scattered.begin(); one != local.end() || other != scattered.end();) {
    const bool is_local = one != local.end() && (other == scattered.end() || *one->pool <= **other);
    const bool is_scattered = other != scattered.end() && (!is_local || one->pool == *other);
    const auto added = is_local ? add(*one) : add(NodePool{*other, {}});
    if (!added) return added;
    if (is_local) ++one;
    if (is_scattered) ++other;
  }
  views_.insert(views_.end(), binding_.begin(), binding_.end());
  return {};
}

}  // namespace winnow
