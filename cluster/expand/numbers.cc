#include "cluster/expand/numbers.h"

#include "cluster/expand/made_names.h"

namespace winnow {

bool Numbers::reserve(const std::string& ns, const std::string& name) {
  if (cluster_.find_pod(ns, name) != kNone) return false;
  reserved_.insert(ns + "/" + name);
  return true;
}

bool Numbers::is_taken(const std::string& ns, const std::string& name) const {
  return cluster_.find_pod(ns, name) != kNone || (!reserved_.empty() && reserved_.contains(ns + "/" + name));
}

/// The next suffix whose name is free. An API server draws again, too.
std::uint32_t Numbers::free_suffix(const std::string& ns, const std::string& prefix) {
  std::uint32_t& next = next_[ns + "/" + cut_prefix(prefix)];
  while (is_taken(ns, generated_name(prefix, next))) ++next;
  return next++;
}

void Numbers::number(PodRecipe& recipe, std::uint32_t count, std::uint32_t first) {
  const std::string& ns = recipe.pattern.metadata.namespace_;
  recipe.numbers.reserve(count);
  switch (recipe.identity) {
    case Identity::kGiven:
      recipe.numbers.assign(count, {});
      return;
    case Identity::kOrdinal:
      for (std::uint32_t i = 0; i < count; ++i) {
        const PodNumber made{.number = first + i, .suffix = 0};
        if (!is_taken(ns, name_of(recipe, made))) recipe.numbers.push_back(made);
      }
      return;
    case Identity::kIndex:
      for (std::uint32_t i = 0; i < count; ++i)
        recipe.numbers.push_back({.number = i, .suffix = free_suffix(ns, indexed_prefix(recipe.prefix, i))});
      return;
    case Identity::kSuffix:
    case Identity::kNode:
      for (std::uint32_t i = 0; i < count; ++i)
        recipe.numbers.push_back({.number = i, .suffix = free_suffix(ns, recipe.prefix)});
      return;
  }
}

}  // namespace winnow
