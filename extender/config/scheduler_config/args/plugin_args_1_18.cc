// Arguments of v1.18.20's plugins. A plugin decodes them itself, so it knows no kind and no apiVersion.
// Upstream: the New of each plugin, pkg/scheduler/framework/plugins v1.18.20.
#include <utility>

#include "cluster/decode/reader.h"
#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

namespace winnow {

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
