#include "cluster/rule/volume_candidates.h"

#include <algorithm>

#include "cluster/state/state.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

Quantity storage_of(const ResourceList& list) {
  const auto it = list.find("storage");
  return it == list.end() ? Quantity() : it->second;
}

std::string_view mode_of(std::string_view volume_mode) {
  return volume_mode.empty() ? std::string_view("Filesystem") : volume_mode;
}

bool suits_kind(const VolumeKind& kind, const PersistentVolumeClaim& claim, Generation generation) {
  if (generation == Generation::kToday && kind.attributes_class != claim.attributes_class_name) return false;
  return kind.storage_class == class_of(claim) && mode_of(kind.volume_mode) == mode_of(claim.volume_mode) &&
         std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
           return std::ranges::contains(kind.access_modes, mode);
         });
}

/// Whether matchFields suit a node without a name.
bool suit_nameless(const std::vector<SelectorRequirement>& fields, Generation generation) {
  if (generation == Generation::kClassic) return match_fields(fields, "");
  return std::ranges::all_of(fields, [](const SelectorRequirement& field) {
    return (field.op == "In" || field.op == "NotIn") && field.values.size() == 1;
  });
}

/// A text that is equal for equal affinities only.
std::string key_of(const std::optional<NodeSelector>& affinity) {
  std::string key;
  const auto add = [&](std::string_view text) { key.append(text).append(1, '\0'); };
  if (!affinity) return key;
  add("affinity");  // An affinity without terms suits no node; a volume without affinity suits every node.
  for (const NodeSelectorTerm& term : affinity->terms) {
    add("term");
    for (const auto* requirements : {&term.match_expressions, &term.match_fields}) {
      add("requirements");
      for (const SelectorRequirement& one : *requirements) {
        add(one.key);
        add(one.op);
        add(std::to_string(one.values.size()));
        for (const std::string& value : one.values) add(value);
      }
    }
  }
  return key;
}

}  // namespace

VolumeAffinity::VolumeAffinity(const View& view, const std::optional<NodeSelector>& required,
                               Generation generation)
    : everywhere_(!required) {
  if (!required) return;
  for (const NodeSelectorTerm& term : required->terms) {
    if (!suit_nameless(term.match_fields, generation)) continue;
    if (!term.match_expressions.empty())
      terms_.emplace_back(view, NodeSelectorTerm{term.match_expressions, {}});
    else if (!term.match_fields.empty())
      everywhere_ = true;
  }
}

bool VolumeAffinity::matches(NodeId node) const {
  return everywhere_ ||
         std::ranges::any_of(terms_, [node](const NodeMatcher& term) { return term.matches(node); });
}

VolumeCandidates::VolumeCandidates(const View& view, const PersistentVolumeClaim& claim,
                                   const std::optional<Selector>& selector, Generation generation)
    : generation_(generation), size_(storage_of(claim.requests)), selector_(selector) {
  add_prebound(view, claim);
  const VolumeKinds& kinds = view.volumes().kinds();
  for (std::uint32_t id = 0; id < kinds.capacity(); ++id)
    suitable_kinds_.push_back(suits_kind(kinds[id], claim, generation));
  if (const FreeVolumes* free = view.volumes().free_volumes(class_of(claim))) add_free(view, *free);
}

void VolumeCandidates::add_prebound(const View& view, const PersistentVolumeClaim& claim) {
  const ObjectMeta& meta = claim.metadata;
  for (const PersistentVolume* volume : view.volumes().volumes_for(meta.namespace_, meta.name)) {
    // Upstream looks up candidates by class. The classic one reads the spec's class, and no annotation.
    const bool is_today = generation_ == Generation::kToday;
    const std::string_view looked_up = is_today ? class_of(*volume) : volume->storage_class_name;
    if (looked_up != class_of(claim) || volume->metadata.deleting) continue;
    if (is_today && volume->attributes_class_name != claim.attributes_class_name) continue;
    if (mode_of(volume->volume_mode) != mode_of(claim.volume_mode)) continue;
    if (!volume->claim_uid.empty() && volume->claim_uid != meta.uid) continue;
    if (storage_of(volume->capacity) < storage_of(claim.requests)) continue;
    prebound_.push_back({volume, VolumeAffinity(view, volume->node_affinity, generation_)});
  }
}

void VolumeCandidates::add_free(const View& view, const FreeVolumes& free) {
  for (const auto& [key, by_value] : free.by_label) local_.push_back({view.label(view.text(key)), &by_value});
  TextMap<std::size_t> group_of;
  for (auto one = free.others.lower_bound(size_); one != free.others.end(); ++one) {
    if (!suits(*one)) continue;
    const std::optional<NodeSelector>& affinity = one->volume->node_affinity;
    const auto [it, is_new] = group_of.try_emplace(key_of(affinity), groups_.size());
    if (is_new) groups_.push_back({VolumeAffinity(view, affinity, generation_), {}});
    groups_[it->second].volumes.push_back(&*one);
  }
}

const FreeVolume* VolumeCandidates::local(NodeId node, const Local& volumes,
                                          const TakenVolumes& taken) const {
  const auto shelf = volumes.volumes->find(volumes.label[node]);
  if (shelf == volumes.volumes->end()) return nullptr;
  for (auto one = shelf->second.lower_bound(size_); one != shelf->second.end(); ++one)
    if (suits(*one) && !taken.contains(one->volume)) return &*one;
  return nullptr;
}

const PersistentVolume* VolumeCandidates::match(NodeId node, const TakenVolumes& taken) const {
  for (const Prebound& one : prebound_)
    if (!taken.contains(one.volume)) return one.affinity.matches(node) ? one.volume : nullptr;
  const FreeVolume* best = nullptr;
  const auto is_better = [&](const FreeVolume* one) { return one && (!best || BySize{}(*one, *best)); };
  for (const Local& volumes : local_)
    if (const FreeVolume* one = local(node, volumes, taken); is_better(one)) best = one;
  for (const Group& group : groups_) {
    const auto first = std::ranges::find_if(
        group.volumes, [&](const FreeVolume* one) { return !taken.contains(one->volume); });
    if (first != group.volumes.end() && is_better(*first) && group.affinity.matches(node)) best = *first;
  }
  return best ? best->volume : nullptr;
}

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
