// Internal to extender/config: the contents of a Policy file, before rules are made of them.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "extender/config/config_document.h"
#include "extender/config/policy_arguments.h"

namespace winnow {

struct PolicyPredicate {
  std::string name;
  PolicyEntryArgument argument;
};

struct PolicyPriority {
  std::string name;
  std::int64_t weight = 0;
  PolicyEntryArgument argument;
};

/// The fields of a Policy. Upstream: Policy of pkg/scheduler/api/v1/types.go v1.16.15.
struct PolicyFile {
  std::optional<std::vector<PolicyPredicate>> predicates;  ///< nullopt: absent or null.
  std::optional<std::vector<PolicyPriority>> priorities;
  std::vector<std::string> extenders;          ///< The urlPrefix of each.
  std::vector<std::string> ignored_resources;  ///< Of all extenders: managed, and ignoredByScheduler.
  std::int64_t hard_pod_affinity_symmetric_weight = 0;
  bool always_check_all_predicates = false;
  std::vector<std::string> notes;     ///< Values that were assumed.
  std::vector<std::string> warnings;  ///< Unknown fields.
};

/// Reads a Policy. Checks the fields' types, kind and apiVersion, and that arguments have exactly one member
/// and are valid. Ranges of numbers and names of rules are not checked here. Field names are case-sensitive,
/// as in upstream.
/// @return the Policy, or one line with the position in the text or the JSON path.
std::expected<PolicyFile, std::string> read_policy_file(ConfigDocument& document);

}  // namespace winnow
