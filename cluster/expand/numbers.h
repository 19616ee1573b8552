// Internal: which pods of an object there will be, and by which names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/expand/pod_recipe.h"
#include "cluster/state/state.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Gives pods their numbers, so that no two pods of files, and none of the cluster, have one name.
class Numbers {
 public:
  /// The cluster must outlive this.
  explicit Numbers(const State& cluster) : cluster_(cluster) {}

  /// Takes the name for a pod of a file. @return false if the cluster has a pod of that name.
  bool reserve(const std::string& ns, const std::string& name);
  /// Fills in recipe.numbers for `count` pods.
  /// @param first  the first ordinal. Ordinals whose pod is there already are left out.
  void number(PodRecipe& recipe, std::uint32_t count, std::uint32_t first);

 private:
  bool is_taken(const std::string& ns, const std::string& name) const;
  std::uint32_t free_suffix(const std::string& ns, const std::string& prefix);

  const State& cluster_;
  TextSet reserved_;             ///< "NAMESPACE/NAME"
  TextMap<std::uint32_t> next_;  ///< By namespace and generateName: several objects may share it.
};

}  // namespace winnow
