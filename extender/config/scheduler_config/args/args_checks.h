// Internal to extender/config: the checks and field types that the files plugin_args_….cc share. Only they
// include this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/decode/reader.h"
#include "cluster/rule/plugin_arguments.h"
#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/args/field_types.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

namespace winnow {

inline constexpr std::int64_t kMaxPercent = 100;

inline bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Requires a value from `least` to `most`.
FieldResult check_range(std::string_view path, std::int64_t value, std::int64_t least, std::int64_t most);
/// Requires a qualified name, as of a label.
FieldResult check_label_name(std::string_view path, std::string_view name);
/// Requires at least one point, utilization strictly increasing, and scores from 0 to 10.
FieldResult check_shape(const UtilizationShape& shape, std::string_view path);

/// Requires weights from 1 to 100.
FieldResult check_resources(const std::vector<WeighedResource>& resources, std::string_view path);

/// Requires sound constraints, no two of one topologyKey and whenUnsatisfiable.
FieldResult check_constraints(const std::vector<TopologySpreadConstraint>& constraints,
                              std::string_view path);

/// What the ArgsSchemas of these plugins read in every release.
PluginArgs read_node_label(const WrittenArgs& written);
PluginArgs read_service_affinity(const WrittenArgs& written);

bool read_fields(const Reader& r, UtilizationPoint& point);
/// A weight of 0 counts as absent, and an absent one is 0.
bool read_fields(const Reader& r, WeighedResource& resource);

namespace fields {

inline constexpr Field kRequirementFields[] = {
    {"key", &kString}, {"operator", &kString}, {"values", &kStrings}};
inline constexpr FieldType kRequirement = object(kRequirementFields);
inline constexpr FieldType kRequirements = list_of(kRequirement);

inline constexpr Field kUtilizationPointFields[] = {{"utilization", &kInt32}, {"score", &kInt32}};
inline constexpr FieldType kUtilizationPoint = object(kUtilizationPointFields);
inline constexpr FieldType kUtilizationShape = list_of(kUtilizationPoint);

inline constexpr Field kWeighedResourceFields[] = {{"name", &kString}, {"weight", &kInt64}};
inline constexpr FieldType kWeighedResource = object(kWeighedResourceFields);
inline constexpr FieldType kWeighedResources = list_of(kWeighedResource);

}  // namespace fields
}  // namespace winnow
