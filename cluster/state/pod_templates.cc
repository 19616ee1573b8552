#include "cluster/state/pod_templates.h"

#include <utility>

namespace winnow {

const PodParts* PodTemplates::enter(std::size_t hash, std::string_view text) {
  const GroupId group = index_.find(hash, [&](GroupId id) { return templates_[id]->text == text; });
  if (group == kNone) return nullptr;
  Template& found = *templates_[group];
  found.misses = 0;
  ++found.pods;
  return &found.parts;
}

bool PodTemplates::wants(GroupId group) {
  Template* const own = of(group);
  return !own || ++own->misses > kManyMisses;
}

void PodTemplates::put(std::size_t hash, std::string_view text, const PodParts& parts) {
  if (of(parts.group)) drop(parts.group);
  if (templates_.size() <= parts.group) templates_.resize(parts.group + 1);
  auto made = std::make_unique<Template>(Template{std::string(text), hash, parts, 1, 0});
  index_.insert(hash, parts.group);
  templates_[parts.group] = std::move(made);
}

void PodTemplates::leave(const PodParts& parts) {
  Template* const own = of(parts.group);
  if (own && own->parts == parts && --own->pods == 0) drop(parts.group);
}

void PodTemplates::drop(GroupId group) {
  const std::unique_ptr<Template> gone = std::move(templates_[group]);
  index_.erase(gone->hash, group);
}

}  // namespace winnow
