#include "cluster/rule/volumes/provisioning.h"

#include <algorithm>

namespace winnow {

Provisioning::Provisioning(const View& view, const PersistentVolumeClaim& claim, Generation generation) {
  const StorageClass& made_by = *view.volumes().storage_class(class_of(claim));
  possible_ = !made_by.provisioner.empty() && made_by.provisioner != "kubernetes.io/no-provisioner";
  anywhere_ = made_by.allowed_topologies.empty();
  for (const std::vector<SelectorRequirement>& term : made_by.allowed_topologies)
    topologies_.emplace_back(view, NodeSelectorTerm{term, {}});
  const auto size = claim.requests.find("storage");
  if (generation == Generation::kClassic || size == claim.requests.end()) return;
  const Store<CsiDriver>& drivers = view.objects().of<CsiDriver>();
  const auto driver = drivers.find(made_by.provisioner);
  if (driver == drivers.end() || !driver->second.storage_capacity) return;
  size_ = size->second.value();
  look_for_room(view, made_by.metadata.name);
}

void Provisioning::look_for_room(const View& view, const std::string& storage_class) {
  needs_room_ = true;
  const ClassCapacities* capacities = view.volumes().capacities(storage_class);
  if (!capacities) return;
  for (const auto& [key, by_value] : capacities->by_label)
    local_.push_back({view.label(view.text(key)), &by_value});
  for (const Entry& entry : capacities->others) {
    if (!has_room(*entry.second)) continue;
    if (const auto nodes = parse_label_selector(entry.second->node_topology))
      others_.push_back({&entry, NodeMatcher(view, *nodes)});
  }
}

bool Provisioning::has_room(const CsiStorageCapacity& capacity) const {
  const std::optional<Quantity>& limit =
      capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
  return limit && limit->value() >= size_;
}

// Every list is in order of namespace and name. The first match of each is its best, and the least of these
// the result.
const CsiStorageCapacity* Provisioning::room_at(NodeId node) const {
  const Entry* best = nullptr;
  const auto offer = [&](const Entry& entry) {
    if (!best || entry.first < best->first) best = &entry;
  };
  for (const Local& one : local_) {
    const auto list = one.capacities->find(one.label[node]);
    if (list == one.capacities->end()) continue;
    const auto first =
        std::ranges::find_if(list->second, [this](const Entry& entry) { return has_room(*entry.second); });
    if (first != list->second.end()) offer(*first);
  }
  const auto other =
      std::ranges::find_if(others_, [node](const Other& one) { return one.nodes.matches(node); });
  if (other != others_.end()) offer(*other->entry);
  return best ? best->second : nullptr;
}

Served Provisioning::at(NodeId node, const CsiStorageCapacity** from) const {
  if (from) *from = nullptr;
  const bool is_allowed =
      anywhere_ || std::ranges::any_of(topologies_, [node](const auto& term) { return term.matches(node); });
  if (!possible_ || !is_allowed) return Served::kNoVolume;
  if (!needs_room_) return Served::kYes;
  const CsiStorageCapacity* room = room_at(node);
  if (from) *from = room;
  return room ? Served::kYes : Served::kNoSpace;
}

}  // namespace winnow
