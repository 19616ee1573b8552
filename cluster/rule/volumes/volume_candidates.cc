#include "cluster/rule/volumes/volume_candidates.h"

#include <algorithm>

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

}  // namespace winnow
