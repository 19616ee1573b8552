// A pod's footprint has its claims by name only. The volumes behind them are kept here, in Used, with the
// nodes of the claim's pods. An event of a claim, a volume or a class finds the used claims that depend on it
// (users_). For each it subtracts the old volumes from the claim's nodes and adds the new ones.
#include "cluster/state/volumes.h"

#include "cluster/api/selector.h"
#include "cluster/state/dictionaries.h"
#include "cluster/state/node_table.h"

namespace winnow {
namespace {

std::string volume_object(std::string_view name) { return std::string("volume/").append(name); }
std::string class_object(std::string_view name) { return std::string("class/").append(name); }
std::string claim_object_of(std::string_view key) { return std::string("claim/").append(key); }

template <class T>
const T* find(const Store<T>& store, std::string_view key) {
  const auto it = store.find(key);
  return it == store.end() ? nullptr : &it->second;
}

template <class T>
bool erase(Store<T>& store, std::string_view key) {
  const auto it = store.find(key);
  if (it == store.end()) return false;
  store.erase(it);
  return true;
}

bool is_one_value(const Requirement& test) { return test.op == Operator::kIn && test.values.size() == 1; }

/// The selector's only requirement, if it is one value of one label.
std::optional<Requirement> only_test(const LabelSelector& selector) {
  const auto parsed = parse_label_selector(selector);
  if (!parsed || parsed->requirements().size() != 1 || !is_one_value(parsed->requirements().front()))
    return std::nullopt;
  return parsed->requirements().front();
}

/// The same for a volume's node affinity.
std::optional<Requirement> only_test(const std::optional<NodeSelector>& affinity) {
  if (!affinity || affinity->terms.size() != 1) return std::nullopt;
  const NodeSelectorTerm& term = affinity->terms.front();
  if (!term.match_fields.empty() || term.match_expressions.size() != 1) return std::nullopt;
  const auto parsed = parse_requirement(term.match_expressions.front());
  if (!parsed || !is_one_value(*parsed)) return std::nullopt;
  return *parsed;
}

}  // namespace

std::size_t VolumeKindHash::operator()(const VolumeKind& kind) const {
  std::size_t seed = hash_mix(TextHash{}(kind.storage_class), TextHash{}(kind.volume_mode));
  for (const std::string& mode : kind.access_modes) seed = hash_mix(seed, TextHash{}(mode));
  return hash_mix(seed, TextHash{}(kind.attributes_class));
}

// ---- events ----

void Volumes::set(PersistentVolumeClaim claim) {
  const std::string key = key_of(claim.metadata.namespace_, claim.metadata.name);
  claims_.insert_or_assign(key, std::move(claim));
  resolve_again(names_.claims.find(key));
  resolve_users(claim_object_of(key));
}

bool Volumes::remove_claim(std::string_view ns, std::string_view name) {
  const std::string key = key_of(ns, name);
  if (!erase(claims_, key)) return false;
  resolve_again(names_.claims.find(key));
  resolve_users(claim_object_of(key));
  return true;
}

void Volumes::set(PersistentVolume volume) {
  const std::string name = volume.metadata.name;
  if (const auto old = volumes_.find(name); old != volumes_.end()) file(old->second, false);
  file(volumes_.insert_or_assign(name, std::move(volume)).first->second, true);
  resolve_users(volume_object(name));
  resolve_attachments(name);
}

bool Volumes::remove_volume(std::string_view name) {
  const auto it = volumes_.find(name);
  if (it == volumes_.end()) return false;
  const std::string object = volume_object(name);  // `name` may be a view into the object that is erased.
  const std::string key = it->first;
  file(it->second, false);
  volumes_.erase(it);
  resolve_users(object);
  resolve_attachments(key);
  return true;
}

void Volumes::set(StorageClass storage_class) {
  const std::string name = storage_class.metadata.name;
  classes_.insert_or_assign(name, std::move(storage_class));
  resolve_users(class_object(name));
}

bool Volumes::remove_class(std::string_view name) {
  const std::string object = class_object(name);
  if (!erase(classes_, name)) return false;
  resolve_users(object);
  return true;
}

void Volumes::set(CsiNode csi_node) {
  const std::string name = csi_node.metadata.name;
  const CsiNode& kept = csi_nodes_.insert_or_assign(name, std::move(csi_node)).first->second;
  if (const NodeId node = index_.find(name); node != kNone) nodes_.set_csi_node(node, &kept);
}

bool Volumes::remove_csi_node(std::string_view name) {
  const NodeId node = index_.find(name);
  if (!erase(csi_nodes_, name)) return false;
  if (node != kNone) nodes_.set_csi_node(node, nullptr);
  return true;
}

void Volumes::set(CsiStorageCapacity capacity) {
  const std::string key = key_of(capacity.metadata.namespace_, capacity.metadata.name);
  if (const auto old = capacities_.find(key); old != capacities_.end()) file(old->second, false);
  file(capacities_.insert_or_assign(key, std::move(capacity)).first->second, true);
}

bool Volumes::remove_capacity(std::string_view ns, std::string_view name) {
  const auto it = capacities_.find(key_of(ns, name));
  if (it == capacities_.end()) return false;
  file(it->second, false);
  capacities_.erase(it);
  return true;
}

void Volumes::set(VolumeAttachment attachment) {
  const std::string name = attachment.metadata.name;
  remove_attachment(name);
  if (generation_ == Generation::kClassic) return;  // No classic rule reads VolumeAttachments.
  attachments_of_[attachment.persistent_volume_name].insert(name);
  attachments_on_[attachment.node_name].insert(name);
  resolve(attachments_.emplace(name, Attached{std::move(attachment), kNone}).first->second);
}

bool Volumes::remove_attachment(std::string_view name) {
  const auto it = attachments_.find(name);
  if (it == attachments_.end()) return false;
  forget(it->second);
  const auto drop = [&](Store<std::set<std::string>>& store, const std::string& key) {
    const auto names = store.find(key);
    names->second.erase(it->first);
    if (names->second.empty()) store.erase(names);
  };
  drop(attachments_of_, it->second.object.persistent_volume_name);
  drop(attachments_on_, it->second.object.node_name);
  attachments_.erase(it);
  return true;
}

void Volumes::describe(NodeTable& nodes, NodeId node, std::string_view name) const {
  nodes.set_csi_node(node, csi_node(name));
  if (const auto* names = find(attachments_on_, name))
    for (const std::string& one : *names)
      if (const std::uint32_t volume = find(attachments_, one)->volume; volume != kNone)
        nodes.attach_object(node, volume, +1);
}

Volumes::Place Volumes::place(const Requirement& test, bool add) {
  const std::string& value = test.values.front();
  if (add) return {names_.symbols.acquire(test.key), names_.symbols.acquire(value)};
  return {names_.symbols.find(test.key), names_.symbols.find(value)};
}

void Volumes::leave(const Place& place) {
  names_.symbols.release(place.key);
  names_.symbols.release(place.value);
}

void Volumes::file(const CsiStorageCapacity& capacity, bool add) {
  if (!capacity.node_topology) return;  // Such capacity is on no node.
  ClassCapacities& of_class = by_class_[capacity.storage_class_name];
  const auto put = [&](ClassCapacities::List& list) {
    const std::string key = key_of(capacity.metadata.namespace_, capacity.metadata.name);
    if (add)
      list[key] = &capacity;
    else
      list.erase(key);
  };
  if (const std::optional<Requirement> test = only_test(*capacity.node_topology)) {
    const Place at = place(*test, add);
    auto& by_value = of_class.by_label[at.key];
    auto& list = by_value[at.value];
    put(list);
    if (list.empty()) by_value.erase(at.value);
    if (by_value.empty()) of_class.by_label.erase(at.key);
    if (!add) leave(at);
  } else {
    put(of_class.others);
  }
  if (of_class.by_label.empty() && of_class.others.empty()) by_class_.erase(capacity.storage_class_name);
}

void Volumes::file(const PersistentVolume& volume, bool add) {
  if (volume.claim_namespace.empty() && volume.claim_name.empty() && volume.claim_uid.empty()) {
    if (volume.phase == "Available" && !volume.metadata.deleting) file_free(volume, add);
    return;
  }
  const std::string claim = key_of(volume.claim_namespace, volume.claim_name);
  auto& shelf = claimed_[claim];
  if (add)
    shelf[volume.metadata.name] = &volume;
  else
    shelf.erase(volume.metadata.name);
  if (shelf.empty()) claimed_.erase(claim);
}

void Volumes::file_free(const PersistentVolume& volume, bool add) {
  const std::string name(generation_ == Generation::kToday ? class_of(volume)
                                                           : std::string_view(volume.storage_class_name));
  FreeVolumes& free = free_[name];
  if (const std::optional<Requirement> test = only_test(volume.node_affinity)) {
    const Place at = place(*test, add);
    auto& by_value = free.by_label[at.key];
    VolumesBySize& shelf = by_value[at.value];
    shelve(shelf, volume, add);
    if (shelf.empty()) by_value.erase(at.value);
    if (by_value.empty()) free.by_label.erase(at.key);
    if (!add) leave(at);
  } else {
    shelve(free.others, volume, add);
  }
  if (free.by_label.empty() && free.others.empty()) free_.erase(name);
}

void Volumes::shelve(VolumesBySize& shelf, const PersistentVolume& volume, bool add) {
  const auto capacity = volume.capacity.find("storage");
  FreeVolume one{capacity == volume.capacity.end() ? Quantity() : capacity->second, &volume};
  const VolumeKind kind{std::string(class_of(volume)), volume.volume_mode, volume.access_modes,
                        volume.attributes_class_name};
  if (add) {
    one.kind = kinds_.acquire(kind);
    shelf.insert(one);
  } else {
    shelf.erase(one);
    kinds_.release(kinds_.find(kind));
  }
}

// ---- what pods use ----

void Volumes::use(std::span<const Symbol> claims, NodeId node, std::int32_t by) {
  for (const Symbol claim : claims) {
    const auto [it, is_new] = used_.try_emplace(claim);
    Used& used = it->second;
    if (is_new) resolve(claim, used);
    nodes_.attach(node, used.attachables, by);
    auto place =
        std::ranges::lower_bound(used.pods_by_node, node, {}, &std::pair<NodeId, std::int32_t>::first);
    if (place == used.pods_by_node.end() || place->first != node)
      place = used.pods_by_node.insert(place, {node, 0});
    if ((place->second += by) == 0) used.pods_by_node.erase(place);
    if (!used.pods_by_node.empty()) continue;
    forget(claim, used);
    used_.erase(it);
  }
}

void Volumes::resolve(Symbol claim, Used& used) {
  const std::string& key = names_.claims[claim];
  const ClaimAttachables found = attachables_of(storage(), key, generation_);
  for (const AttachableName& one : found.attachables)
    used.attachables.push_back(acquire_attachable(names_, one));
  if (!found.volume.empty()) used.depends_on.push_back(volume_object(found.volume));
  for (const std::string& name : found.classes) used.depends_on.push_back(class_object(name));
  if (const std::string_view object = claim_object(key); object.size() < key.size())
    used.depends_on.push_back(claim_object_of(object));
  for (const std::string& object : used.depends_on) users_[object].insert(claim);
}

void Volumes::forget(Symbol claim, Used& used) {
  for (const std::uint32_t one : used.attachables) release_attachable(names_, one);
  for (const std::string& object : used.depends_on)
    if (const auto users = users_.find(object); users != users_.end()) {
      users->second.erase(claim);
      if (users->second.empty()) users_.erase(users);
    }
  used.attachables.clear();
  used.depends_on.clear();
}

void Volumes::resolve_again(Symbol claim) {
  const auto it = used_.find(claim);
  if (it == used_.end()) return;
  Used& used = it->second;
  for (const auto& [node, pods] : used.pods_by_node) nodes_.attach(node, used.attachables, -pods);
  forget(claim, used);
  resolve(claim, used);
  for (const auto& [node, pods] : used.pods_by_node) nodes_.attach(node, used.attachables, pods);
}

void Volumes::resolve_users(const std::string& object) {
  const auto users = users_.find(object);
  if (users == users_.end()) return;
  const std::set<Symbol> claims = users->second;  // A copy: resolve_again() changes the set.
  for (const Symbol claim : claims) resolve_again(claim);
}

void Volumes::resolve(Attached& attached) {
  const auto found = attachable_of(volumes_, attached.object);
  if (!found) return;
  attached.volume = acquire_attachable(names_, *found);
  const NodeId node = index_.find(attached.object.node_name);
  if (node != kNone) nodes_.attach_object(node, attached.volume, +1);
}

void Volumes::forget(Attached& attached) {
  if (attached.volume == kNone) return;
  const NodeId node = index_.find(attached.object.node_name);
  if (node != kNone) nodes_.attach_object(node, attached.volume, -1);
  release_attachable(names_, attached.volume);
  attached.volume = kNone;
}

void Volumes::resolve_attachments(std::string_view volume) {
  if (const auto* names = find(attachments_of_, volume))
    for (const std::string& name : *names) {
      Attached& attached = attachments_.find(name)->second;
      forget(attached);
      resolve(attached);
    }
}

// ---- reading ----

const PersistentVolumeClaim* Volumes::claim(std::string_view ns, std::string_view name) const {
  return find(claims_, key_of(ns, name));
}
const PersistentVolume* Volumes::volume(std::string_view name) const { return find(volumes_, name); }
const StorageClass* Volumes::storage_class(std::string_view name) const { return find(classes_, name); }
const CsiNode* Volumes::csi_node(std::string_view name) const { return find(csi_nodes_, name); }

std::span<const std::pair<NodeId, std::int32_t>> Volumes::users(Symbol claim) const {
  const auto it = used_.find(claim);
  if (it == used_.end()) return {};
  return it->second.pods_by_node;
}

const std::vector<std::uint32_t>* Volumes::attached_by(Symbol claim) const {
  const auto it = used_.find(claim);
  return it == used_.end() ? nullptr : &it->second.attachables;
}

const ClassCapacities* Volumes::capacities(std::string_view storage_class) const {
  return find(by_class_, storage_class);
}

const FreeVolumes* Volumes::free_volumes(std::string_view storage_class) const {
  return find(free_, storage_class);
}

std::vector<const PersistentVolume*> Volumes::volumes_for(std::string_view ns, std::string_view name) const {
  std::vector<const PersistentVolume*> found;
  if (const auto* shelf = find(claimed_, key_of(ns, name)))
    for (const auto& [volume_name, volume] : *shelf) found.push_back(volume);
  return found;
}

}  // namespace winnow
