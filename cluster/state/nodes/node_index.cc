#include "cluster/state/nodes/node_index.h"

namespace winnow {

void NodeIndex::place(Slot slot) {
  std::size_t i = slot.hash & mask();
  while (slots_[i].id != kNone) i = (i + 1) & mask();
  slots_[i] = slot;
}

void NodeIndex::insert(NodeId id) {
  if (2 * ++size_ > slots_.size()) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old)
      if (slot.id != kNone) place(slot);
  }
  place({hash_of(table_.name[id]), id});
}

void NodeIndex::erase(std::string_view name) {
  const std::uint32_t hash = hash_of(name);
  std::size_t i = hash & mask();
  while (slots_[i].hash != hash || table_.name[slots_[i].id] != name) i = (i + 1) & mask();
  slots_[i] = Slot{};
  --size_;
  // Entries behind the hole, in the same run, are inserted again: a look-up would stop at the hole.
  for (i = (i + 1) & mask(); slots_[i].id != kNone; i = (i + 1) & mask())
    place(std::exchange(slots_[i], Slot{}));
}

}  // namespace winnow
