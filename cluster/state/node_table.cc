#include "cluster/state/node_table.h"

#include "cluster/declared_features.h"
#include "cluster/decode/decode.h"
#include "cluster/go_int.h"
#include "cluster/resource_name.h"

namespace winnow {
namespace {

constexpr std::string_view kPreferAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

std::string_view label(const StringMap& labels, std::string_view old_key, std::string_view new_key,
                       bool exact) {
  if (const auto it = labels.find(old_key); it != labels.end()) return it->second;
  if (exact) return {};
  const auto it = labels.find(new_key);
  return it == labels.end() ? std::string_view() : std::string_view(it->second);
}

std::uint16_t node_flags(const Node& node) {
  unsigned flags = node.spec.unschedulable ? unsigned{kUnschedulable} : 0u;
  unsigned bad = 0;
  const auto set = [&](NodeFlag flag, bool on) { flags = on ? flags | flag : flags & ~unsigned{flag}; };
  const auto add = [&](BadCondition condition) {
    if (bad < kMaxBadConditions) flags |= unsigned{condition} << (8 + 2 * bad++);
  };
  for (const NodeCondition& condition : node.status.conditions) {
    // Every Ready and NetworkUnavailable condition can fail the node; of the pressures the last one counts.
    if (condition.type == "Ready" && condition.status != "True") add(kNotReady);
    if (condition.type == "NetworkUnavailable" && condition.status != "False") add(kNetworkUnavailable);
    if (condition.type == "MemoryPressure") set(kMemoryPressure, condition.status == "True");
    if (condition.type == "DiskPressure") set(kDiskPressure, condition.status == "True");
    if (condition.type == "PIDPressure") set(kPidPressure, condition.status == "True");
  }
  return static_cast<std::uint16_t>(flags);
}

/// Adds `change` to the count of `key` in a sorted list of uses; a count of zero leaves the list.
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

/// Where a node that has the image stands among those that do.
template <class Use>
auto find_image(Use& use, std::uint64_t since, NodeId node) {
  return std::ranges::lower_bound(use, std::pair(since, node), {}, [](const NodeTable::ImageOnNode& one) {
    return std::pair(one.since, one.node);
  });
}

}  // namespace

std::string zone_key(const StringMap& labels, bool exact) {
  const std::string_view region =
      label(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region", exact);
  const std::string_view zone =
      label(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", exact);
  if (region.empty() && zone.empty()) return {};
  std::string key(region);
  key.append(":\0:", 3).append(zone);
  return key;
}

NodeId NodeTable::new_row() {
  if (!free_.empty()) {
    const NodeId id = free_.back();
    free_.pop_back();
    return id;
  }
  const NodeId id = capacity();
  name.emplace_back();
  since.push_back(0);
  flags.push_back(0);
  features.push_back(0);
  for (auto* column :
       {&allocatable_cpu, &allocatable_memory, &allocatable_ephemeral, &allocatable_pods, &requested_cpu,
        &requested_memory, &requested_ephemeral, &pods, &nonzero_cpu, &nonzero_memory})
    column->push_back(0);
  for (auto* column : {&taints, &avoids, &zone}) column->push_back(kNone);
  labels.emplace_back();
  ports.emplace_back();
  disks.emplace_back();
  image_names_.emplace_back();
  attached_.add_row();
  for (auto& [key, column] : label_columns_) column.grow(capacity());
  for (auto& [key, column] : scalars_) {
    column.allocatable.push_back(0);
    column.requested.push_back(0);
  }
  return id;
}

NodeId NodeTable::add_row(const Node& node, std::uint64_t age) {
  const NodeId id = new_row();
  since[id] = age;
  put_node(id, node);
  return id;
}

void NodeTable::set_node(NodeId id, const Node& node, std::optional<std::uint64_t> age) {
  clear_node(id);
  if (age) since[id] = *age;
  put_node(id, node);
}

void NodeTable::remove_row(NodeId id) {
  clear_node(id);
  clear_pods(id);
  attached_.set_csi_node(id, nullptr);
  free_.push_back(id);
}

void NodeTable::put_node(NodeId id, const Node& node) {
  name[id] = node.metadata.name;
  flags[id] = node_flags(node);
  features[id] = declared_features(node.status.declared_features);
  put_allocatable(id, node.status.allocatable);
  taints[id] = names_->taints.acquire(node.spec.taints);
  if (const auto it = node.metadata.annotations.find(kPreferAvoidPods);
      it != node.metadata.annotations.end()) {
    AvoidList list;
    // An annotation that cannot be read avoids nothing.
    if (const auto controllers = parse_prefer_avoid_pods(it->second))
      for (const auto& [kind, uid] : *controllers) list.push_back({kind, uid});
    if (!list.empty()) avoids[id] = names_->avoids.acquire(list);
  }
  if (const std::string key = zone_key(node.metadata.labels, exact_zones_); !key.empty())
    zone[id] = names_->zones.acquire(key);
  put_labels(id, acquire_labels(names_->symbols, node.metadata.labels));
  put_images(id, node.status.images);
}

void NodeTable::put_allocatable(NodeId id, const ResourceList& list) {
  for (const auto& [resource, amount] : list) {
    if (resource == "cpu") {
      allocatable_cpu[id] = amount.milli_value();
    } else if (resource == "memory") {
      allocatable_memory[id] = amount.value();
    } else if (resource == "ephemeral-storage") {
      allocatable_ephemeral[id] = amount.value();
    } else if (resource == "pods") {
      allocatable_pods[id] = amount.value();
    } else if (is_scalar_resource(resource)) {
      const Symbol symbol = names_->symbols.acquire(resource);
      if (scalars_.contains(symbol)) names_->symbols.release(symbol);  // The column has its reference.
      scalar_column(symbol).allocatable[id] = amount.value();
      if (is_attachable_volume(resource)) attached_.offer(id, resource, amount.value());
    }
  }
}

void NodeTable::put_labels(NodeId id, const LabelSet& set) {
  labels[id] = set;
  for (const auto& [key, value] : set) {
    LabelColumn& column = label_columns_[key];
    if (column.empty()) column.grow(capacity());
    column.put(id, value);
  }
}

void NodeTable::put_images(NodeId id, const std::vector<ContainerImage>& list) {
  for (const ContainerImage& image : list)
    for (const std::string& image_name : image.names) {
      const Symbol symbol = names_->symbols.acquire(image_name);
      if (std::ranges::contains(image_names_[id], symbol)) {
        names_->symbols.release(symbol);  // Named twice on one node: the first size stands.
        continue;
      }
      put_image(id, symbol, image.size_bytes);
    }
}

void NodeTable::put_image(NodeId id, Symbol image_name, std::int64_t size) {
  image_names_[id].push_back(image_name);
  ImageUse& use = images_[image_name];
  const ImageOnNode entry{since[id], id, size};
  use.insert(std::ranges::lower_bound(use, entry), entry);
}

NodeTable::NodeTable(const NodeTable& other, Dictionaries& names)
    : name(other.name),
      since(other.since),
      flags(other.flags),
      features(other.features),
      allocatable_cpu(other.allocatable_cpu),
      allocatable_memory(other.allocatable_memory),
      allocatable_ephemeral(other.allocatable_ephemeral),
      allocatable_pods(other.allocatable_pods),
      requested_cpu(other.requested_cpu),
      requested_memory(other.requested_memory),
      requested_ephemeral(other.requested_ephemeral),
      pods(other.pods),
      nonzero_cpu(other.nonzero_cpu),
      nonzero_memory(other.nonzero_memory),
      taints(other.taints),
      avoids(other.avoids),
      zone(other.zone),
      labels(other.labels),
      ports(other.ports),
      disks(other.disks),
      names_(&names),
      exact_zones_(other.exact_zones_),
      free_(other.free_),
      image_names_(other.image_names_),
      label_columns_(other.label_columns_),
      scalars_(other.scalars_),
      images_(other.images_),
      attached_(other.attached_, names) {}

NodeId NodeTable::copy_row(const NodeTable& from, NodeId other) {
  const NodeId id = new_row();
  name[id] = from.name[other];
  since[id] = from.since[other];
  flags[id] = from.flags[other];
  features[id] = from.features[other];
  for (auto column :
       {&NodeTable::allocatable_cpu, &NodeTable::allocatable_memory, &NodeTable::allocatable_ephemeral,
        &NodeTable::allocatable_pods, &NodeTable::requested_cpu, &NodeTable::requested_memory,
        &NodeTable::requested_ephemeral, &NodeTable::pods, &NodeTable::nonzero_cpu,
        &NodeTable::nonzero_memory})
    (this->*column)[id] = (from.*column)[other];
  for (auto column : {&NodeTable::taints, &NodeTable::avoids, &NodeTable::zone})
    (this->*column)[id] = (from.*column)[other];
  ports[id] = from.ports[other];
  disks[id] = from.disks[other];
  attached_.copy_row(id, from.attached_, other);
  put_labels(id, from.labels[other]);
  for (const auto& [resource, column] : from.scalars_) {
    Scalar& mine = scalar_column(resource);
    mine.allocatable[id] = column.allocatable[other];
    mine.requested[id] = column.requested[other];
  }
  for (const Symbol image_name : from.image_names_[other]) {
    const ImageUse& use = from.images_.at(image_name);
    put_image(id, image_name, find_image(use, from.since[other], other)->size);
  }
  return id;
}

void NodeTable::clear_node(NodeId id) {
  name[id].clear();
  flags[id] = 0;
  features[id] = 0;
  allocatable_cpu[id] = allocatable_memory[id] = allocatable_ephemeral[id] = allocatable_pods[id] = 0;
  for (auto& [resource, column] : scalars_) column.allocatable[id] = 0;
  attached_.clear_offers(id);
  names_->taints.release(taints[id]);
  if (avoids[id] != kNone) names_->avoids.release(avoids[id]);
  if (zone[id] != kNone) names_->zones.release(zone[id]);
  taints[id] = avoids[id] = zone[id] = kNone;
  for (const auto& [key, value] : labels[id]) {
    LabelColumn& column = label_columns_[key];
    column.clear(id);
    if (column.empty()) label_columns_.erase(key);
  }
  release_labels(names_->symbols, labels[id]);
  labels[id].clear();
  for (const Symbol image_name : image_names_[id]) {
    ImageUse& use = images_[image_name];
    use.erase(find_image(use, since[id], id));
    if (use.empty()) images_.erase(image_name);
    names_->symbols.release(image_name);
  }
  image_names_[id].clear();
}

void NodeTable::clear_pods(NodeId id) {
  requested_cpu[id] = requested_memory[id] = requested_ephemeral[id] = pods[id] = 0;
  nonzero_cpu[id] = nonzero_memory[id] = 0;
  for (auto& [resource, column] : scalars_) column.requested[id] = 0;
  ports[id].clear();
  disks[id].clear();
  attached_.clear_uses(id);
}

void NodeTable::apply(NodeId id, const Footprint& footprint, int sign) {
  const auto count = [&](std::vector<std::int64_t>& column, std::int64_t amount) {
    column[id] = wrap_add(column[id], wrap_multiply(sign, amount));
  };
  const PodRequests& requests = footprint.requests;
  count(requested_cpu, requests.milli_cpu);
  count(requested_memory, requests.memory);
  count(requested_ephemeral, requests.ephemeral_storage);
  count(nonzero_cpu, requests.nonzero_milli_cpu);
  count(nonzero_memory, requests.nonzero_memory);
  count(pods, 1);
  for (const auto& [resource, amount] : footprint.scalars) {
    if (!scalars_.contains(resource)) names_->symbols.acquire(names_->symbols[resource]);
    count(scalar_column(resource).requested, amount);
  }
  for (const HostPort& port : footprint.ports) count_use(ports[id], &PortUse::port, port, sign);
  for (const std::uint32_t disk : footprint.disks) count_use(disks[id], &DiskUse::disk, disk, sign);
  attached_.change(id, footprint.attachables, sign);
}

NodeTable::Scalar& NodeTable::scalar_column(Symbol resource) {
  Scalar& column = scalars_[resource];
  if (column.allocatable.size() < capacity()) {
    column.allocatable.resize(capacity());
    column.requested.resize(capacity());
  }
  return column;
}

const LabelColumn* NodeTable::label_column(Symbol key) const {
  const auto it = label_columns_.find(key);
  return it == label_columns_.end() ? nullptr : &it->second;
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
