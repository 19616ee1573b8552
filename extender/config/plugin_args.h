// The kind and version of kube-scheduler's configuration files, types of fields, and arguments of plugins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/decoders.h"
#include "cluster/api/pod.h"
#include "cluster/rule/arguments.h"
#include "cluster/text/json_reader.h"
#include "extender/config/extenders.h"

namespace winnow {

inline constexpr std::string_view kSchedulerConfigKind = "KubeSchedulerConfiguration";
inline constexpr std::string_view kSchedulerConfigGroup = "kubescheduler.config.k8s.io/";
inline constexpr std::string_view kSchedulerConfigVersion = "v1";

// Internal to extender/config: the types of fields in a KubeSchedulerConfiguration. Only .cc files and
// headers of extender/config include this.

enum class FieldKind : std::uint8_t {
  kObject,
  kList,
  kStringMap,
  kString,
  kBool,
  kInt32,
  kInt64,
  kFloat32,
  kDuration,  ///< Null is an error too, as Go passes it to the parser of durations.
  kOptionalDuration,
  kBytes,     ///< Base64.
  kAnything,  ///< Not checked.
};

struct FieldType;

struct Field {
  std::string_view name;
  const FieldType* type;
};

struct FieldType {
  FieldKind kind;
  std::span<const Field> fields = {};  ///< Of an object.
  const FieldType* element = nullptr;  ///< Of a list.
};

/// The parts of schemas.
namespace fields {

inline constexpr FieldType kString{FieldKind::kString};
inline constexpr FieldType kBool{FieldKind::kBool};
inline constexpr FieldType kInt32{FieldKind::kInt32};
inline constexpr FieldType kInt64{FieldKind::kInt64};
inline constexpr FieldType kFloat32{FieldKind::kFloat32};
inline constexpr FieldType kDuration{FieldKind::kDuration};
inline constexpr FieldType kOptionalDuration{FieldKind::kOptionalDuration};
inline constexpr FieldType kBytes{FieldKind::kBytes};
inline constexpr FieldType kAnything{FieldKind::kAnything};
inline constexpr FieldType kStringMap{FieldKind::kStringMap};

/// Both keep references to their arguments.
constexpr FieldType object(std::span<const Field> members) { return {FieldKind::kObject, members, nullptr}; }
constexpr FieldType list_of(const FieldType& element) { return {FieldKind::kList, {}, &element}; }

inline constexpr FieldType kStrings = list_of(kString);

// The fields of a typed API object: of a configuration, and of a plugin's arguments.
inline constexpr Field kKind{"kind", &kString};
inline constexpr Field kApiVersion{"apiVersion", &kString};

}  // namespace fields

// Internal to extender/config: a plugin's pluginConfig[].args, with defaults and checks. Only .cc files and
// headers of extender/config include this.
//
// A file plugin_args*.cc has some ArgsSchemas: the fields, and the function that reads and checks them. An
// older release may have one of its own.
// Upstream: pkg/scheduler/apis/config/v1/defaults.go and validation/validation_pluginargs.go v1.37.0.

/// A plugin's arguments, and whether they are valid. The check's result is kept apart, because upstream
/// checks the arguments of NodeResourcesFit only when it makes the plugin. In a profile without it they may
/// be invalid.
struct PluginArgs {
  Arguments values;  ///< monostate for a plugin that Winnow does not run.
  FieldResult sound;
};

/// A plugin's arguments as the file has them. The fields' names and types have been checked before.
struct WrittenArgs {
  const Reader& object;   ///< Empty: all defaults.
  std::string_view path;  ///< The object's path, for errors.
  /// Resources that the file's extenders have as ignoredByScheduler. If there are any, they replace
  /// NodeResourcesFit's own ignoredResources, as upstream does (buildExtenders of
  /// pkg/scheduler/scheduler.go).
  const std::vector<std::string>& ignored;
};

/// The type of a plugin's arguments and their reader. Both members are references, so that neither can be
/// left out.
struct ArgsSchema {
  const FieldType& type;
  PluginArgs (&read)(const WrittenArgs& written);
};

/// Checks that kind and apiVersion, if `args` has them, are those of the plugin's arguments.
/// @param version  of the file: v1.
FieldResult check_args_kind(std::string_view plugin, std::string_view version, const Reader& args,
                            std::string_view path);

// Internal to extender/config: the checks and field types that the files plugin_args*.cc share. Only they
// use these.

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
