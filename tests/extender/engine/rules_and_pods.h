// What tests of the engine are made of: rules by their names, and pods of some importance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "tests/builders.h"

namespace winnow::test {

/// These rules alone, without arguments. @param names  predicates of v1.16, or plugins of today.
inline RuleSet rules_named(Generation generation, const std::vector<std::string_view>& names) {
  RuleSet set;
  set.generation = generation;
  for (const std::string_view name : names) {
    BindPredicate* const bind = generation == Generation::kClassic ? predicates::find_classic(name)->bind
                                                                   : predicates::find_plugin(name)->bind;
    set.predicates.push_back({.name = std::string(name), .bind = bind});
  }
  return set;
}

inline PodBuilder prioritized(PodBuilder builder, std::int32_t priority) {
  builder.object().spec.priority = priority;
  return builder;
}

}  // namespace winnow::test
