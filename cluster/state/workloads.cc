// An entry has two selectors, because of v1.16. `finds` decides which pods belong to the workload. `selector`
// is then applied to other pods. They differ in v1.16's SelectorFromSet, which matches everything if a key or
// value is invalid.
#include "cluster/state/workloads.h"

#include <algorithm>

namespace winnow {
namespace {

/// A "key=value" that the selector requires; "" if there is none.
std::string demanded_pair(const Selector& selector) {
  for (const Requirement& requirement : selector.requirements())
    if (requirement.op == Operator::kIn && requirement.values.size() == 1)
      return requirement.key + '=' + requirement.values.front();
  return {};
}

}  // namespace

void Workloads::set_service(const ObjectMeta& meta, const std::optional<StringMap>& selector) {
  if (selector && selector->empty())
    put(WorkloadKind::kService, meta, Selector::everything(), Selector::everything());
  else
    set(WorkloadKind::kService, meta, selector.value_or(StringMap()));
}

void Workloads::set(WorkloadKind kind, const ObjectMeta& meta, const StringMap& selector) {
  put(kind, meta, selector.empty() ? Selector::nothing() : selector_from_set(selector),
      selector_from_set_v116(selector));
}

void Workloads::set(WorkloadKind kind, const ObjectMeta& meta, const std::optional<LabelSelector>& selector) {
  std::expected<Selector, std::string> parsed = parse_label_selector(selector);
  if (!parsed) return put(kind, meta, std::nullopt, Selector::nothing());
  const Selector finds = parsed->is_everything() ? Selector::nothing() : *parsed;
  put(kind, meta, finds, finds);
}

void Workloads::put(WorkloadKind kind, const ObjectMeta& meta, std::optional<Selector> finds,
                    Selector selector) {
  remove(kind, meta.namespace_, meta.name);
  NamespaceEntries& shelf = shelves_[{kind, meta.namespace_}];
  Entry& entry = shelf.entries[meta.name];
  entry = Entry{meta.name, std::move(finds), std::move(selector)};
  file(shelf, entry, true);
  ++size_;
}

void Workloads::remove(WorkloadKind kind, const std::string& ns, const std::string& name) {
  const auto shelf = shelves_.find({kind, ns});
  if (shelf == shelves_.end()) return;
  const auto entry = shelf->second.entries.find(name);
  if (entry == shelf->second.entries.end()) return;
  file(shelf->second, entry->second, false);
  shelf->second.entries.erase(entry);
  if (shelf->second.entries.empty()) shelves_.erase(shelf);
  --size_;
}

void Workloads::file(NamespaceEntries& shelf, const Entry& entry, bool add) {
  if (!entry.finds) {
    shelf.invalid += add ? 1 : std::size_t(-1);
    return;
  }
  if (entry.finds->is_nothing()) return;
  const std::string pair = demanded_pair(*entry.finds);
  std::set<const Entry*>& place = pair.empty() ? shelf.others : shelf.by_pair[pair];
  if (add)
    place.insert(&entry);
  else
    place.erase(&entry);
  if (!pair.empty() && place.empty()) shelf.by_pair.erase(pair);
}

std::vector<const Workloads::Entry*> Workloads::entries_for(const NamespaceEntries& shelf,
                                                            const StringMap& labels) {
  std::vector<const Entry*> entries;
  const auto take = [&](const std::set<const Entry*>& place) {
    for (const Entry* entry : place)
      if (entry->finds->matches(labels)) entries.push_back(entry);
  };
  take(shelf.others);
  for (const auto& [key, value] : labels)
    if (const auto it = shelf.by_pair.find(key + '=' + value); it != shelf.by_pair.end()) take(it->second);
  std::ranges::sort(entries, {}, [](const Entry* entry) { return std::string_view(entry->name); });
  return entries;
}

void Workloads::collect(const NamespaceEntries& shelf, const StringMap& labels,
                        std::vector<const Selector*>& found) {
  for (const Entry* entry : entries_for(shelf, labels)) found.push_back(&entry->selector);
}

const Selector* Workloads::first_service(const std::string& ns, const StringMap& labels) const {
  const auto shelf = shelves_.find({WorkloadKind::kService, ns});
  if (shelf == shelves_.end()) return nullptr;
  const std::vector<const Entry*> entries = entries_for(shelf->second, labels);
  return entries.empty() ? nullptr : &entries.front()->selector;
}

std::vector<const Selector*> Workloads::services(const std::string& ns, const StringMap& labels) const {
  std::vector<const Selector*> found;
  if (const auto shelf = shelves_.find({WorkloadKind::kService, ns}); shelf != shelves_.end())
    for (const Entry* entry : entries_for(shelf->second, labels)) found.push_back(&*entry->finds);
  return found;
}

const Selector* Workloads::find(WorkloadKind kind, const std::string& ns, const std::string& name) const {
  const auto shelf = shelves_.find({kind, ns});
  if (shelf == shelves_.end()) return nullptr;
  const auto entry = shelf->second.entries.find(name);
  return entry == shelf->second.entries.end() || !entry->second.finds ? nullptr : &*entry->second.finds;
}

std::vector<const Selector*> Workloads::matching(const std::string& ns, const StringMap& labels) const {
  std::vector<const Selector*> found;
  for (const WorkloadKind kind : {WorkloadKind::kService, WorkloadKind::kReplicationController,
                                  WorkloadKind::kReplicaSet, WorkloadKind::kStatefulSet}) {
    const bool is_controller = kind != WorkloadKind::kService;
    const auto shelf = shelves_.find({kind, ns});
    if (shelf == shelves_.end() || shelf->second.invalid > 0 || (is_controller && labels.empty())) continue;
    collect(shelf->second, labels, found);
  }
  return found;
}

}  // namespace winnow
