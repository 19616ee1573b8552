// Internal to extender/config: a Policy as the file has it, before anything is made of it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"

namespace winnow {

struct PolicyPredicate {
  std::string name;
  Arguments argument;  ///< monostate: none given.
};

struct PolicyPriority {
  std::string name;
  std::int64_t weight = 0;
  Arguments argument;
};

/// Upstream: pkg/scheduler/api/v1/types.go Policy v1.16.15.
struct PolicyFile {
  std::optional<std::vector<PolicyPredicate>> predicates;  ///< nullopt: absent or null.
  std::optional<std::vector<PolicyPriority>> priorities;
  std::vector<std::string> extenders;  ///< The urlPrefix of each.
  std::int64_t hard_pod_affinity_symmetric_weight = 0;
  bool always_check_all_predicates = false;
  std::vector<std::string> notes;  ///< Fields that are no fields, and what was taken for granted.
};

/// Reads fields and checks their types, their kind, and that arguments have exactly one member and are sound;
/// numbers' ranges and rules' names are the caller's to check. Names of fields count with their case, as
/// upstream's do.
/// @return or one line with the position in the text or the JSON path.
std::expected<PolicyFile, std::string> read_policy_file(std::string_view text);

}  // namespace winnow
