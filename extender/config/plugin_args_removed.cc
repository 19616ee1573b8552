// Arguments of the plugins that kube-scheduler no longer has, and of v1.18.20's plugins.
// Upstream: pkg/scheduler/apis/config/v1beta1/defaults.go and validation/validation_pluginargs.go v1.22.17.
#include <format>
#include <utility>

#include "cluster/api/decoders.h"
#include "extender/config/plugin_args.h"

namespace winnow {

extern const ArgsSchema kNodeLabelArgs, kServiceAffinityArgs, kResourceScoreArgs, kCapacityRatioArgs;

namespace {

using namespace fields;

constexpr Field kNodeLabelFields[] = {kKind,
                                      kApiVersion,
                                      {"presentLabels", &kStrings},
                                      {"absentLabels", &kStrings},
                                      {"presentLabelsPreference", &kStrings},
                                      {"absentLabelsPreference", &kStrings}};
constexpr FieldType kNodeLabelType = object(kNodeLabelFields);
constexpr Field kServiceAffinityFields[] = {
    kKind, kApiVersion, {"affinityLabels", &kStrings}, {"antiAffinityLabelsPreference", &kStrings}};
constexpr FieldType kServiceAffinityType = object(kServiceAffinityFields);
constexpr Field kResourceScoreFields[] = {kKind, kApiVersion, {"resources", &kWeighedResources}};
constexpr FieldType kResourceScoreType = object(kResourceScoreFields);
constexpr Field kCapacityRatioArgsFields[] = {
    kKind, kApiVersion, {"shape", &kUtilizationShape}, {"resources", &kWeighedResources}};
constexpr FieldType kCapacityRatioArgsType = object(kCapacityRatioArgsFields);

/// Upstream: validateNoConflict.
FieldResult check_no_conflict(const std::vector<std::string>& present, const std::vector<std::string>& absent,
                              std::string_view present_path, std::string_view absent_path) {
  for (std::size_t i = 0; i < absent.size(); ++i) {
    const auto again = std::ranges::find_last(present, absent[i]);
    if (!again.empty())
      return invalid(element(present_path, static_cast<std::size_t>(again.begin() - present.begin())),
                     absent[i], std::format("conflict with {}", element(absent_path, i)));
  }
  return {};
}

/// Reads the resources, if there are any: otherwise they stay the defaults.
void read_resources(const Reader& r, ResourceScoreArgs& args) {
  std::vector<WeighedResource> written;
  r.read("resources", written);
  if (!written.empty()) args.resources = std::move(written);
}

/// Unlike in other plugins, an absent weight is not 1: it is refused.
PluginArgs read_resource_score(const WrittenArgs& written) {
  ResourceScoreArgs args;
  read_resources(written.object, args);
  FieldResult sound = check_resources(args.resources, child(written.path, "resources"));
  return {std::move(args), std::move(sound)};
}

/// Upstream: validateResourcesNoMax.
FieldResult check_least_weights(const std::vector<WeighedResource>& resources, std::string_view path) {
  for (std::size_t i = 0; i < resources.size(); ++i)
    if (const auto& [name, weight] = resources[i]; weight < 1)
      return invalid(child(element(path, i), "weight"), weight,
                     std::format("resource weight of {} not in valid range [1, inf)", name));
  return {};
}

PluginArgs read_capacity_ratio(const WrittenArgs& written) {
  const auto& [r, path, ignored] = written;
  ResourceScoreArgs args;
  read_resources(r, args);
  for (WeighedResource& resource : args.resources)
    if (resource.weight == 0) resource.weight = 1;
  r.read("shape", args.shape);
  FieldResult sound = check_shape(args.shape, child(path, "shape"));
  if (sound) sound = check_least_weights(args.resources, child(path, "resources"));
  return {std::move(args), std::move(sound)};
}

}  // namespace

PluginArgs read_node_label(const WrittenArgs& written) {
  const auto& [r, path, ignored] = written;
  NodeLabelArgs args;
  r.read("presentLabels", args.present_labels);
  r.read("absentLabels", args.absent_labels);
  r.read("presentLabelsPreference", args.present_labels_preference);
  r.read("absentLabelsPreference", args.absent_labels_preference);
  FieldResult sound = check_no_conflict(args.present_labels, args.absent_labels, child(path, "presentLabels"),
                                        child(path, "absentLabels"));
  if (sound)
    sound = check_no_conflict(args.present_labels_preference, args.absent_labels_preference,
                              child(path, "presentLabelsPreference"), child(path, "absentLabelsPreference"));
  return {std::move(args), std::move(sound)};
}

PluginArgs read_service_affinity(const WrittenArgs& written) {
  ServiceAffinityArgs args;
  written.object.read("affinityLabels", args.affinity_labels);
  written.object.read("antiAffinityLabelsPreference", args.anti_affinity_labels_preference);
  return {std::move(args), {}};
}

const ArgsSchema kNodeLabelArgs{kNodeLabelType, read_node_label};
const ArgsSchema kServiceAffinityArgs{kServiceAffinityType, read_service_affinity};
const ArgsSchema kResourceScoreArgs{kResourceScoreType, read_resource_score};
const ArgsSchema kCapacityRatioArgs{kCapacityRatioArgsType, read_capacity_ratio};

// Arguments of v1.18.20's plugins. A plugin decodes them itself, so it knows no kind and no apiVersion.
// Upstream: the New of each plugin, pkg/scheduler/framework/plugins v1.18.20.

extern const ArgsSchema kCapacityRatioArgs118, kFitArgs118, kInterPodAffinityArgs118, kNodeLabelArgs118,
    kPodTopologySpreadArgs118, kServiceAffinityArgs118;

namespace args_1_18 {
namespace {

using namespace fields;

constexpr Field kFitFields[] = {{"ignoredResources", &kStrings}};
constexpr FieldType kFitType = object(kFitFields);
constexpr Field kAffinityFields[] = {{"hardPodAffinityWeight", &kInt32}};
constexpr FieldType kAffinityType = object(kAffinityFields);
constexpr Field kSelectorFields[] = {{"matchLabels", &kStringMap}, {"matchExpressions", &kRequirements}};
constexpr FieldType kSelector = object(kSelectorFields);
constexpr Field kConstraintFields[] = {{"maxSkew", &kInt32},
                                       {"topologyKey", &kString},
                                       {"whenUnsatisfiable", &kString},
                                       {"labelSelector", &kSelector}};
constexpr FieldType kConstraint = object(kConstraintFields);
constexpr FieldType kConstraints = list_of(kConstraint);
constexpr Field kSpreadFields[] = {{"defaultConstraints", &kConstraints}};
constexpr FieldType kSpreadType = object(kSpreadFields);
constexpr Field kNodeLabelFields[] = {{"presentLabels", &kStrings},
                                      {"absentLabels", &kStrings},
                                      {"presentLabelsPreference", &kStrings},
                                      {"absentLabelsPreference", &kStrings}};
constexpr FieldType kNodeLabelType = object(kNodeLabelFields);
constexpr Field kServiceAffinityFields[] = {{"affinityLabels", &kStrings},
                                            {"antiAffinityLabelsPreference", &kStrings}};
constexpr FieldType kServiceAffinityType = object(kServiceAffinityFields);
constexpr Field kCapacityRatioFields[] = {{"shape", &kUtilizationShape}, {"resources", &kWeighedResources}};
constexpr FieldType kCapacityRatioType = object(kCapacityRatioFields);

/// An extender's resources are configured as the plugin's arguments, so the file may not have some too:
/// check_configs() refuses that.
PluginArgs read_fit(const WrittenArgs& written) {
  NodeResourcesFitArgs args;
  written.object.read("ignoredResources", args.ignored_resources);
  if (!written.ignored.empty()) args.ignored_resources = written.ignored;
  return {std::move(args), {}};
}

PluginArgs read_affinity(const WrittenArgs& written) {
  InterPodAffinityArgs args;
  written.object.read("hardPodAffinityWeight", args.hard_pod_affinity_weight);
  return {args, check_range(child(written.path, "hardPodAffinityWeight"), args.hard_pod_affinity_weight, 0,
                            kMaxPercent)};
}

/// There are no constraints of the system's.
PluginArgs read_spread(const WrittenArgs& written) {
  PodTopologySpreadArgs args;
  args.system_defaulted = false;
  written.object.read("defaultConstraints", args.default_constraints);
  FieldResult sound = check_constraints(args.default_constraints, child(written.path, "defaultConstraints"));
  return {std::move(args), std::move(sound)};
}

/// Weights are not checked.
PluginArgs read_capacity_ratio(const WrittenArgs& written) {
  ResourceScoreArgs args;
  std::vector<WeighedResource> resources;
  written.object.read("resources", resources);
  for (WeighedResource& resource : resources)
    if (resource.weight == 0) resource.weight = 1;
  if (!resources.empty()) args.resources = std::move(resources);
  written.object.read("shape", args.shape);
  FieldResult sound = check_shape(args.shape, child(written.path, "shape"));
  return {std::move(args), std::move(sound)};
}

}  // namespace
}  // namespace args_1_18

const ArgsSchema kFitArgs118{args_1_18::kFitType, args_1_18::read_fit};
const ArgsSchema kInterPodAffinityArgs118{args_1_18::kAffinityType, args_1_18::read_affinity};
const ArgsSchema kPodTopologySpreadArgs118{args_1_18::kSpreadType, args_1_18::read_spread};
const ArgsSchema kNodeLabelArgs118{args_1_18::kNodeLabelType, read_node_label};
const ArgsSchema kServiceAffinityArgs118{args_1_18::kServiceAffinityType, read_service_affinity};
const ArgsSchema kCapacityRatioArgs118{args_1_18::kCapacityRatioType, args_1_18::read_capacity_ratio};

}  // namespace winnow
