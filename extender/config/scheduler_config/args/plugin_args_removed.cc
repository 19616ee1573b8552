// Arguments of the plugins that kube-scheduler no longer has.
// Upstream: pkg/scheduler/apis/config/v1beta1/defaults.go and validation/validation_pluginargs.go v1.22.17.
#include <format>
#include <utility>

#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

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

}  // namespace winnow
