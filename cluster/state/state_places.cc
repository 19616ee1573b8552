// What the pods of a state share, and the nodes that they are on.
#include "cluster/api/pod.h"
#include "cluster/state/state.h"

namespace winnow {

PodParts State::acquire_parts(const Pod& pod) {
  const std::string_view text = write_template(pod, buffer_);
  const std::size_t hash = TextHash{}(text);
  if (const PodParts* const known = templates_.enter(hash, text)) {
    groups.hold(known->group);
    specs_.hold(known->spec);
    terms.hold(known->terms);
    if (known->owner != kNone) owners_.hold(known->owner);
    return *known;
  }
  const PodParts parts = intern_parts(pod);
  if (groups.references(parts.group) >= PodTemplates::kFewest && templates_.wants(parts.group))
    templates_.put(hash, text, parts);
  return parts;
}

PodParts State::intern_parts(const Pod& pod) {
  PodParts parts;
  const Symbol ns = names_.symbols.acquire(pod.metadata.namespace_);
  parts.group = groups.acquire(ns, pod.metadata.labels, pod.metadata.deleting);
  names_.symbols.release(ns);  // The group holds its own reference.
  parts.spec = specs_.acquire(SharedSpec{pod.spec});
  if (usual_footprints_.size() <= parts.spec) usual_footprints_.resize(parts.spec + 1, kNone);
  parts.terms = terms.acquire(pod.metadata.namespace_, parts.spec, pod.spec);
  if (const OwnerReference* owner = controller_of(pod.metadata)) parts.owner = owners_.acquire(*owner);
  return parts;
}

void State::release(const PodParts& parts) {
  templates_.leave(parts);
  groups.release(parts.group);
  terms.release(parts.terms);
  if (parts.owner != kNone) owners_.release(parts.owner);
  if (!specs_.release(parts.spec)) return;
  if (const std::uint32_t usual = std::exchange(usual_footprints_[parts.spec], kNone); usual != kNone)
    release_footprint_of(usual);
}

std::uint32_t State::acquire_footprint_of(const Pod& pod, std::uint32_t spec) {
  const bool is_usual = !status_counts(pod, options_.accounting);
  if (const std::uint32_t usual = usual_footprints_[spec]; is_usual && usual != kNone) {
    footprints_.hold(usual);
    return usual;
  }
  const Footprint footprint = acquire_footprint(names_, pod, options_.accounting, options_.generation);
  const std::size_t known = footprints_.size();
  const std::uint32_t id = footprints_.acquire(footprint);
  if (footprints_.size() == known) release_footprint(names_, footprint);  // An equal one holds the names.
  if (is_usual && footprint.claims.empty() && has_plain_amounts(pod.spec)) {
    footprints_.hold(id);
    usual_footprints_[spec] = id;
  }
  return id;
}

void State::release_footprint_of(std::uint32_t footprint) {
  if (const std::optional<Footprint> gone = footprints_.take(footprint)) release_footprint(names_, *gone);
}

void State::attach(PodId id, const std::string& node_name) {
  pods_[id].assigned = true;
  ++priorities_[priority_of(id)];
  members_.add(pods_[id].group, id);
  ++assigned_;
  if (const NodeId node = find_node(node_name); node != kNone)
    place(id, node);
  else
    unknown_.add(id, node_name);
}

void State::detach(PodId id) {
  const auto priority = priorities_.find(priority_of(id));
  if (--priority->second == 0) priorities_.erase(priority);
  members_.remove(pods_[id].group, id);
  if (pods_[id].node != kNone)
    unplace(id);
  else
    unknown_.remove(id);
}

void State::place(PodId id, NodeId node) {
  PodRecord& record = pods_[id];
  record.node = node;
  record.slot = static_cast<std::uint32_t>(pods_on_[node].size());
  pods_on_[node].push_back(id);
  const Footprint& footprint = footprints_[record.footprint];
  nodes_.add(node, footprint);
  volumes.use(footprint.claims, node, +1);
  groups.change(record.group, node, +1);
  terms.change(record.terms, node, +1);
  if (const auto coming = coming_.find(id); coming != coming_.end()) {
    if (nodes_.load(node).includes(coming->second))
      coming_.erase(coming);
    else
      nodes_.change_coming(node, footprint, +1);
  }
}

void State::unplace(PodId id) {
  PodRecord& record = pods_[id];
  std::vector<PodId>& list = pods_on_[record.node];
  list[record.slot] = list.back();
  pods_[list.back()].slot = record.slot;
  list.pop_back();
  const Footprint& footprint = footprints_[record.footprint];
  nodes_.subtract(record.node, footprint);
  volumes.use(footprint.claims, record.node, -1);
  groups.change(record.group, record.node, -1);
  terms.change(record.terms, record.node, -1);
  if (is_coming(id)) nodes_.change_coming(record.node, footprint, -1);
  record.node = kNone;
}

}  // namespace winnow
