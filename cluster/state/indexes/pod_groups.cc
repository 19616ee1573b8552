// A selector sees only the namespace and the labels of a pod. So all pods of a group match a selector, or
// none does. A query becomes a class after its first use, with its own count by node. Classes and groups are
// linked when either is added: a new group finds its classes in a SelectorIndex, and a new class walks the
// groups. An event then changes the group's count and those of the linked classes. Readers hold a shared lock
// and cannot add classes. They queue a new query under a mutex, and the writer adds it later.
#include "cluster/state/indexes/pod_groups.h"

namespace winnow {
namespace {

/// With more classes than this all are dropped. A class still in use comes back with its next query.
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

/// A query whose pods are counted, and their number by node.
struct PodGroups::Class {
  PodQuery query;
  CountsByNode nodes;
};

std::size_t PodQueryHash::operator()(const PodQuery& query) const {
  std::size_t seed = hash_mix(query.selector.hash(), query.deleting);
  for (const std::string& ns : query.namespaces) seed = hash_mix(seed, StringHash{}(ns));
  return seed;
}

PodQuery both_of(const PodQuery& a, const PodQuery& b) {
  if (a.selector.is_nothing() || b.selector.is_nothing()) return {{}, Selector::nothing()};
  PodQuery both{{}, Selector(), a.deleting && b.deleting};
  if (a.namespaces.empty() || b.namespaces.empty()) {
    both.namespaces = a.namespaces.empty() ? b.namespaces : a.namespaces;
  } else {
    std::ranges::set_intersection(a.namespaces, b.namespaces, std::back_inserter(both.namespaces));
    if (both.namespaces.empty()) return {{}, Selector::nothing()};
  }
  std::vector<Requirement> requirements = a.selector.requirements();
  requirements.insert(requirements.end(), b.selector.requirements().begin(), b.selector.requirements().end());
  both.selector = Selector::all_of(std::move(requirements));
  return both;
}

PodGroups::PodGroups(Symbols& symbols) : symbols_(symbols) {}
PodGroups::~PodGroups() = default;

std::size_t PodGroupKeyHash::operator()(const PodGroupKey& key) const {
  std::size_t seed = hash_mix(key.ns, key.deleting);
  for (const auto& [name, value] : key.labels) seed = hash_mix(seed, hash_mix(name, value));
  return seed;
}

GroupId PodGroups::acquire(Symbol ns, const StringMap& labels, bool deleting) {
  const PodGroupKey key{ns, acquire_labels(symbols_, labels), deleting};
  const std::size_t known = keys_.size();
  const GroupId id = keys_.acquire(key);
  if (keys_.size() == known) {  // The group existed: it holds the symbols.
    release_labels(symbols_, key.labels);
    return id;
  }
  symbols_.acquire(symbols_[ns]);
  if (groups_.size() <= id) groups_.resize(id + 1);
  groups_in_[ns].push_back(id);
  index_.visit(symbols_[ns], labels, [&](Class* cls) {
    if (matches(cls->query, key)) groups_[id].classes.push_back(cls);
  });
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

bool PodGroups::matches(const PodQuery& query, const PodGroupKey& group) const {
  return (query.deleting || !group.deleting) && query.has_namespace(symbols_[group.ns]) &&
         matches_set(query.selector, group.labels, symbols_);
}

template <class Visit>
void PodGroups::visit_groups(const PodQuery& query, const Visit& visit) const {
  const auto visit_all = [&](const std::vector<GroupId>& groups) {
    for (const GroupId group : groups)
      if (matches(query, keys_[group])) visit(group);
  };
  if (query.namespaces.empty())
    for (const auto& [ns, groups] : groups_in_) visit_all(groups);
  for (const std::string& name : query.namespaces)
    if (const Symbol ns = symbols_.find(name); ns != kNone)
      if (const auto it = groups_in_.find(ns); it != groups_in_.end()) visit_all(it->second);
}

void PodGroups::count(const PodQuery& wanted, std::span<std::int32_t> out) const {
  if (wanted.selector.is_nothing()) return;
  if (const auto it = classes_.find(wanted); it != classes_.end()) return it->second->nodes.add_to(out);
  visit_groups(wanted, [&](GroupId group) { groups_[group].nodes.add_to(out); });
  const MutexLock lock(wanted_mutex_);
  if (wanted_.size() < kMaxWanted && !std::ranges::contains(wanted_, wanted)) wanted_.push_back(wanted);
}

std::span<const GroupId> PodGroups::groups_in(Symbol ns) const {
  const auto in = groups_in_.find(ns);
  return in == groups_in_.end() ? std::span<const GroupId>() : std::span<const GroupId>(in->second);
}

std::size_t PodGroups::keep_wanted() {
  std::vector<PodQuery> wanted;
  {
    const MutexLock lock(wanted_mutex_);
    wanted.swap(wanted_);
  }
  if (classes_.size() + wanted.size() > kMaxClasses) {
    for (Group& group : groups_) group.classes.clear();
    index_.clear();
    classes_.clear();
  }
  for (const PodQuery& query : wanted)
    if (!classes_.contains(query)) keep(query);
  return wanted.size();
}

bool PodGroups::has_wanted() const {
  const MutexLock lock(wanted_mutex_);
  return !wanted_.empty();
}

void PodGroups::keep(const PodQuery& query) {
  Class& kept = *(classes_[query] = std::make_unique<Class>(Class{query, {}}));
  index_.insert(query.namespaces, query.selector, &kept);
  visit_groups(query, [&](GroupId group) {
    groups_[group].classes.push_back(&kept);
    kept.nodes.add(groups_[group].nodes);
  });
}

}  // namespace winnow
