#include "predicates/volume_candidates.h"

#include <algorithm>

namespace winnow::predicates {
namespace {

Quantity storage_of(const ResourceList& list) {
  const auto it = list.find("storage");
  return it == list.end() ? Quantity() : it->second;
}

std::string_view mode_of(std::string_view volume_mode) {
  return volume_mode.empty() ? std::string_view("Filesystem") : volume_mode;
}

bool has_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
    return std::ranges::contains(volume.access_modes, mode);
  });
}

bool suits(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
           const std::optional<Selector>& selector) {
  return mode_of(volume.volume_mode) == mode_of(claim.volume_mode) && class_of(volume) == class_of(claim) &&
         has_modes(volume, claim) && (!selector || selector->matches(volume.metadata.labels));
}

/// Equal for equal affinities.
std::string key_of(const std::optional<NodeSelector>& affinity) {
  std::string key;
  const auto add = [&](std::string_view text) { key.append(text).append(1, '\0'); };
  if (!affinity) return key;
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

const SelectorRequirement* in_requirement(const NodeSelectorTerm& term, const std::string* key) {
  for (const SelectorRequirement& one : term.match_expressions)
    if (one.op == "In" && (!key || one.key == *key)) return &one;
  return nullptr;
}

/// Requirements on one label, one of which must hold; empty if there is no such label.
std::vector<const SelectorRequirement*> narrowest(const NodeSelector& affinity) {
  std::vector<const SelectorRequirement*> found;
  const std::string* key = nullptr;
  for (const NodeSelectorTerm& term : affinity.terms) {
    const SelectorRequirement* one = in_requirement(term, key);
    if (!one) return {};
    key = &one->key;
    found.push_back(one);
  }
  return found;
}

}  // namespace

VolumeAffinity::VolumeAffinity(const View& view, const std::optional<NodeSelector>& required)
    : everywhere_(!required) {
  if (!required) return;
  for (const NodeSelectorTerm& term : required->terms) {
    if (!match_fields(term.match_fields, "")) continue;
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
                                   const std::optional<Selector>& selector) {
  add_prebound(view, claim);
  add_free(view, claim, selector);
}

void VolumeCandidates::add_prebound(const View& view, const PersistentVolumeClaim& claim) {
  const ObjectMeta& meta = claim.metadata;
  for (const PersistentVolume* volume : view.volumes().volumes_for(meta.namespace_, meta.name)) {
    // Looked up by the spec's class, as all others; what the annotation says does not matter here.
    if (volume->storage_class_name != class_of(claim) || volume->metadata.deleting) continue;
    if (mode_of(volume->volume_mode) != mode_of(claim.volume_mode)) continue;
    if (!volume->claim_uid.empty() && volume->claim_uid != meta.uid) continue;
    if (storage_of(volume->capacity) < storage_of(claim.requests)) continue;
    prebound_.push_back({volume, VolumeAffinity(view, volume->node_affinity)});
  }
}

void VolumeCandidates::add_free(const View& view, const PersistentVolumeClaim& claim,
                                const std::optional<Selector>& selector) {
  const std::set<Volumes::Sized>& free = view.volumes().free_volumes(class_of(claim));
  std::unordered_map<std::string, std::size_t> group_of;
  const Quantity wanted = storage_of(claim.requests);
  for (const Volumes::Sized& one : free) {
    if (one.size < wanted || !suits(*one.volume, claim, selector)) continue;
    const auto [it, is_new] = group_of.try_emplace(key_of(one.volume->node_affinity), groups_.size());
    if (is_new) {
      groups_.push_back({VolumeAffinity(view, one.volume->node_affinity), {}});
      file_group(view, it->second, one.volume->node_affinity);
    }
    groups_[it->second].volumes.push_back(volumes_.size());
    volumes_.push_back(one.volume);
  }
}

void VolumeCandidates::file_group(const View& view, std::size_t group,
                                  const std::optional<NodeSelector>& affinity) {
  const auto requirements = affinity ? narrowest(*affinity) : std::vector<const SelectorRequirement*>();
  if (requirements.empty()) {
    broad_.push_back(group);
    return;
  }
  const std::string& key = requirements.front()->key;
  Narrow& narrow = narrow_.try_emplace(key, Narrow{view.label(key), {}}).first->second;
  for (const SelectorRequirement* one : requirements)
    for (const std::string& value : one->values)
      if (const Symbol symbol = view.symbol(value); symbol != kNone) {
        std::vector<std::size_t>& groups = narrow.groups[symbol];
        if (groups.empty() || groups.back() != group) groups.push_back(group);
      }
}

const PersistentVolume* VolumeCandidates::match(NodeId node,
                                                std::span<const PersistentVolume* const> taken) const {
  for (const Prebound& one : prebound_)
    if (!std::ranges::contains(taken, one.volume)) return one.affinity.matches(node) ? one.volume : nullptr;
  std::size_t best = volumes_.size();
  const auto consider = [&](std::size_t index) {
    const Group& group = groups_[index];
    const auto first = std::ranges::find_if(
        group.volumes, [&](std::size_t volume) { return !std::ranges::contains(taken, volumes_[volume]); });
    if (first != group.volumes.end() && *first < best && group.affinity.matches(node)) best = *first;
  };
  for (const std::size_t group : broad_) consider(group);
  for (const auto& [key, narrow] : narrow_)
    if (const auto groups = narrow.groups.find(narrow.label[node]); groups != narrow.groups.end())
      for (const std::size_t group : groups->second) consider(group);
  return best < volumes_.size() ? volumes_[best] : nullptr;
}

}  // namespace winnow::predicates
