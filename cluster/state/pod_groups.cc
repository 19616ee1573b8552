#include "cluster/state/pod_groups.h"

namespace winnow {
namespace {

/// More classes than this are forgotten together: whoever is still asked about comes back with its next use.
constexpr std::size_t kMaxClasses = 20'000;
constexpr std::size_t kMaxWanted = 256;

bool matches_set(const Selector& selector, const LabelSet& labels, const Symbols& symbols) {
  if (selector.is_nothing()) return false;
  for (const Requirement& requirement : selector.requirements()) {
    const Symbol key = symbols.find(requirement.key);
    const Symbol value = key == kNone ? kNone : label_value(labels, key);
    if (!matches(requirement, value == kNone ? nullptr : &symbols[value])) return false;
  }
  return true;
}

}  // namespace

/// A selector that is counted, and what it counts.
struct PodGroups::Class {
  SelectorClass what;
  CountsByNode nodes;
};

PodGroups::PodGroups(Symbols& symbols) : symbols_(symbols) {}
PodGroups::~PodGroups() = default;

std::size_t PodGroupKeyHash::operator()(const PodGroupKey& key) const {
  std::size_t seed = hash_mix(key.ns, key.deleting);
  for (const auto& [name, value] : key.labels) seed = hash_mix(seed, hash_mix(name, value));
  return seed;
}

void CountsByNode::change(NodeId node, std::int32_t by) {
  const auto it = std::ranges::lower_bound(entries_, node, {}, &Entry::node);
  if (it == entries_.end() || it->node != node) {
    entries_.insert(it, Entry{node, by});
  } else if ((it->pods += by) == 0) {
    entries_.erase(it);
  }
}

void CountsByNode::add_to(std::span<std::int32_t> out) const {
  for (const Entry& entry : entries_) out[entry.node] += entry.pods;
}

GroupId PodGroups::acquire(Symbol ns, const StringMap& labels, bool deleting) {
  const PodGroupKey key{ns, acquire_labels(symbols_, labels), deleting};
  const std::size_t known = keys_.size();
  const GroupId id = keys_.acquire(key);
  if (keys_.size() == known) {  // An old group: it holds the names already.
    release_labels(symbols_, key.labels);
    return id;
  }
  symbols_.acquire(symbols_[ns]);
  if (groups_.size() <= id) groups_.resize(id + 1);
  groups_in_[ns].push_back(id);
  for (const auto& cls : classes_in_[ns])
    if (matches(cls->what, key)) groups_[id].classes.push_back(cls);
  return id;
}

void PodGroups::release(GroupId group) {
  const PodGroupKey key = keys_[group];
  if (!keys_.release(group)) return;
  std::erase(groups_in_[key.ns], group);
  groups_[group] = Group();
  release_labels(symbols_, key.labels);
  symbols_.release(key.ns);
}

void PodGroups::change(GroupId group, NodeId node, std::int32_t by) {
  groups_[group].nodes.change(node, by);
  for (Class* cls : groups_[group].classes) cls->nodes.change(node, by);
}

bool PodGroups::matches(const SelectorClass& cls, const PodGroupKey& group) const {
  return group.ns == cls.ns && !group.deleting && matches_set(cls.selector, group.labels, symbols_);
}

void PodGroups::count(const SelectorClass& wanted, std::span<std::int32_t> out) const {
  if (const auto it = classes_.find(wanted); it != classes_.end()) return it->second->nodes.add_to(out);
  if (const auto in = groups_in_.find(wanted.ns); in != groups_in_.end())
    for (const GroupId group : in->second)
      if (matches(wanted, keys_[group])) groups_[group].nodes.add_to(out);
  const std::lock_guard lock(wanted_mutex_);
  if (wanted_.size() < kMaxWanted && !std::ranges::contains(wanted_, wanted)) wanted_.push_back(wanted);
}

std::span<const GroupId> PodGroups::groups_in(Symbol ns) const {
  const auto in = groups_in_.find(ns);
  return in == groups_in_.end() ? std::span<const GroupId>() : std::span<const GroupId>(in->second);
}

std::size_t PodGroups::keep_wanted() {
  std::vector<SelectorClass> wanted;
  {
    const std::lock_guard lock(wanted_mutex_);
    wanted.swap(wanted_);
  }
  if (classes_.size() + wanted.size() > kMaxClasses) {
    for (Group& group : groups_) group.classes.clear();
    classes_in_.clear();
    classes_.clear();
  }
  for (const SelectorClass& cls : wanted)
    if (!classes_.contains(cls)) keep(cls);
  return wanted.size();
}

bool PodGroups::has_wanted() const {
  const std::lock_guard lock(wanted_mutex_);
  return !wanted_.empty();
}

void PodGroups::keep(const SelectorClass& cls) {
  Class& kept = *(classes_[cls] = std::make_unique<Class>(Class{cls, {}}));
  classes_in_[cls.ns].push_back(&kept);
  for (const GroupId group : groups_in_[cls.ns])
    if (matches(cls, keys_[group])) {
      groups_[group].classes.push_back(&kept);
      kept.nodes.add(groups_[group].nodes);
    }
}

}  // namespace winnow
