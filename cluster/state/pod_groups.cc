// A selector sees only the namespace and the labels of a pod. So all pods of a group match a selector, or
// none does. A query becomes a class after its first use, with its own count by node. Classes and groups are
// linked when either is added: a new group finds its classes in a SelectorIndex, and a new class walks the
// groups. An event then changes the group's count and those of the linked classes. Readers hold a shared lock
// and cannot add classes. They queue a new query under a mutex, and the writer adds it later.
#include "cluster/state/pod_groups.h"

#include <optional>

namespace winnow {
namespace {

/// With more classes than this all are dropped. A class still in use comes back with its next query.
constexpr std::size_t kMaxClasses = 20'000;
constexpr std::size_t kMaxWanted = 256;
/// The same for links between classes and groups: a class that selects everything has one to every group.
constexpr std::size_t kMaxLinks = 4'000'000;
/// The links that are made at once, with the cache locked. Further queries wait until they are asked again.
constexpr std::size_t kMaxNewLinks = 100'000;
/// The most namespaces, requirements and values of a query that becomes a class. A larger one is counted anew
/// each time: what is kept between requests must not grow with their size.
constexpr std::size_t kMaxParts = 1000;

bool is_small(const PodQuery& query) {
  std::size_t parts = query.namespaces.size() + query.selector.requirements().size();
  for (const Requirement& requirement : query.selector.requirements()) parts += requirement.values.size();
  return parts <= kMaxParts;
}

/// A selector in the symbols of the moment, to be matched with many label sets. It has one test for each
/// label key that any set has. So a look at a set costs a search for each of the set's labels, however many
/// requirements the selector has.
class SymbolSelector {
 public:
  SymbolSelector(const Selector& selector, const Symbols& symbols) : nothing_(selector.is_nothing()) {
    for (const Requirement& requirement : selector.requirements()) add(requirement, symbols);
    for (auto& [key, test] : tests_) {
      std::ranges::sort(test.not_in);
      demanded_ += test.exists ? 1 : 0;
    }
  }

  bool matches(const LabelSet& labels) const {
    if (nothing_) return false;
    std::size_t found = 0;
    for (const auto& [key, value] : labels) {
      const auto test = tests_.find(key);
      if (test == tests_.end()) continue;
      if (!holds(test->second, value)) return false;
      found += test->second.exists ? 1 : 0;
    }
    return found == demanded_;
  }

 private:
  struct Test {
    bool exists = false, absent = false;
    std::optional<std::vector<Symbol>> in;  ///< Sorted.
    std::vector<Symbol> not_in;             ///< Sorted when all requirements are added.
  };

  /// Values that no label set has are left out. Gt and Lt are for nodes only: nothing selects pods by them.
  void add(const Requirement& requirement, const Symbols& symbols) {
    const bool demands = requirement.op != Operator::kNotIn && requirement.op != Operator::kDoesNotExist;
    const Symbol key = symbols.find(requirement.key);
    if (key == kNone) {
      nothing_ = nothing_ || demands;
      return;
    }
    Test& test = tests_[key];
    test.exists = test.exists || demands;
    test.absent = test.absent || requirement.op == Operator::kDoesNotExist;
    if (requirement.op == Operator::kExists || requirement.op == Operator::kDoesNotExist) return;
    std::vector<Symbol> values;
    for (const std::string& value : requirement.values)
      if (const Symbol symbol = symbols.find(value); symbol != kNone) values.push_back(symbol);
    if (!demands) {
      test.not_in.insert(test.not_in.end(), values.begin(), values.end());
      return;
    }
    std::ranges::sort(values);
    if (test.in)
      std::erase_if(values, [&](Symbol value) { return !std::ranges::binary_search(*test.in, value); });
    test.in = std::move(values);
  }

  static bool holds(const Test& test, Symbol value) {
    return !test.absent && (!test.in || std::ranges::binary_search(*test.in, value)) &&
           !std::ranges::binary_search(test.not_in, value);
  }

  bool nothing_;
  std::size_t demanded_ = 0;  ///< The number of tests with `exists`.
  std::unordered_map<Symbol, Test> tests_;
};

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
  for (const std::string& ns : query.namespaces) seed = hash_mix(seed, TextHash{}(ns));
  return seed;
}

void AllQueries::add(const PodQuery& query) {
  const bool is_first = std::exchange(is_first_, false);
  if (query.selector.is_nothing()) all_.selector = Selector::nothing();
  if (all_.selector.is_nothing()) return;
  const std::vector<Requirement>& more = query.selector.requirements();
  requirements_.insert(requirements_.end(), more.begin(), more.end());
  all_.deleting = query.deleting && (is_first || all_.deleting);
  if (query.namespaces.empty()) return;
  if (all_.namespaces.empty()) {
    all_.namespaces = query.namespaces;
    return;
  }
  std::erase_if(all_.namespaces, [&](const std::string& ns) { return !query.has_namespace(ns); });
  if (all_.namespaces.empty()) all_.selector = Selector::nothing();
}

PodQuery AllQueries::take() {
  if (all_.selector.is_nothing()) return {{}, Selector::nothing()};
  all_.selector = Selector::all_of(std::move(requirements_));
  return std::move(all_);
}

PodGroups::PodGroups(Symbols& symbols) : symbols_(symbols) {}
PodGroups::~PodGroups() = default;

std::size_t PodGroupKeyHash::operator()(const PodGroupKey& key) const {
  std::size_t seed = hash_mix(key.ns, key.deleting);
  for (const auto& [name, value] : key.labels) seed = hash_mix(seed, hash_mix(name, value));
  return seed;
}

GroupId PodGroups::acquire(Symbol ns, const StringMap& labels, bool deleting) {
  if (find_labels(symbols_, labels, sought_.labels)) {
    sought_.ns = ns;
    sought_.deleting = deleting;
    if (const GroupId known = keys_.find(sought_); known != kNone) {
      keys_.hold(known);
      return known;
    }
  }
  const PodGroupKey key{ns, acquire_labels(symbols_, labels), deleting};
  const GroupId id = keys_.acquire(key);
  symbols_.hold(ns);
  if (groups_.size() <= id) groups_.resize(id + 1);
  groups_in_[ns].add(id);
  index_.visit(symbols_[ns], labels, [&](Class* cls) {
    if (matches(cls->query, key)) groups_[id].classes.push_back(cls);
  });
  links_ += groups_[id].classes.size();
  return id;
}

void PodGroups::release(GroupId group) {
  const std::optional<PodGroupKey> key = keys_.take(group);
  if (!key) return;
  const auto in = groups_in_.find(key->ns);
  in->second.remove(group);
  if (in->second.empty()) groups_in_.erase(in);
  links_ -= groups_[group].classes.size();
  groups_[group] = Group();
  release_labels(symbols_, key->labels);
  symbols_.release(key->ns);
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
  const SymbolSelector selector(query.selector, symbols_);
  const auto visit_all = [&](const Bag<GroupId>& groups) {
    for (const GroupId group : groups.things())
      if ((query.deleting || !keys_[group].deleting) && selector.matches(keys_[group].labels)) visit(group);
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
  if (!is_small(wanted)) return;
  const MutexLock lock(wanted_mutex_);
  if (wanted_.size() < kMaxWanted && !std::ranges::contains(wanted_, wanted)) wanted_.push_back(wanted);
}

const CountsByNode* PodGroups::find(const PodQuery& query) const {
  const auto it = classes_.find(query);
  return it == classes_.end() ? nullptr : &it->second->nodes;
}

std::vector<std::uint8_t> PodGroups::select(const PodQuery& query) const {
  std::vector<std::uint8_t> marks(keys_.capacity(), 0);
  if (!query.selector.is_nothing()) visit_groups(query, [&](GroupId group) { marks[group] = 1; });
  return marks;
}

std::span<const GroupId> PodGroups::groups_in(Symbol ns) const {
  const auto in = groups_in_.find(ns);
  return in == groups_in_.end() ? std::span<const GroupId>() : in->second.things();
}

std::size_t PodGroups::keep_wanted() {
  std::vector<PodQuery> wanted;
  {
    const MutexLock lock(wanted_mutex_);
    wanted.swap(wanted_);
  }
  if (classes_.size() + wanted.size() > kMaxClasses || links_ > kMaxLinks) drop_classes();
  std::size_t made = 0;
  try {
    for (const PodQuery& query : wanted)
      if (made < kMaxNewLinks && !classes_.contains(query)) made += keep(query);
  } catch (...) {
    drop_classes();  // One that is half linked would count wrong.
    throw;
  }
  return wanted.size();
}

void PodGroups::drop_classes() {
  for (Group& group : groups_) group.classes.clear();
  index_.clear();
  classes_.clear();
  links_ = 0;
}

bool PodGroups::has_wanted() const {
  const MutexLock lock(wanted_mutex_);
  return !wanted_.empty();
}

std::size_t PodGroups::keep(const PodQuery& query) {
  Class& kept = *(classes_[query] = std::make_unique<Class>(Class{query, {}}));
  index_.insert(query.namespaces, query.selector, &kept);
  std::size_t groups = 0;
  std::vector<PodsOnNode> counts;
  visit_groups(query, [&](GroupId group) {
    groups_[group].classes.push_back(&kept);
    ++groups;
    ++links_;
    const std::span<const PodsOnNode> here = groups_[group].nodes.entries();
    counts.insert(counts.end(), here.begin(), here.end());
  });
  // In order of nodes: a list takes a node at its end faster than one in its middle.
  std::ranges::sort(counts, {}, &PodsOnNode::node);
  for (const PodsOnNode& one : counts) kept.nodes.change(one.node, one.pods);
  return groups;
}

}  // namespace winnow
