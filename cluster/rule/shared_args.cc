// Each plugin's schema, and those of older releases that read its arguments otherwise.
#include "cluster/rule/shared_args.h"

#include <format>
#include <optional>
#include <utility>

#include "cluster/api/decoders.h"
#include "cluster/api/selector_errors.h"
#include "cluster/rule/args_schema.h"
#include "cluster/text/go_format.h"

namespace winnow {

// NodeResourcesFit.

namespace {

using namespace fields;

constexpr Field kCapacityRatioFields[] = {{"shape", &kUtilizationShape}};
constexpr FieldType kCapacityRatio = object(kCapacityRatioFields);
constexpr Field kStrategyFields[] = {
    {"type", &kString}, {"resources", &kWeighedResources}, {"requestedToCapacityRatio", &kCapacityRatio}};
constexpr FieldType kStrategy = object(kStrategyFields);

constexpr Field kFitFields[] = {kKind,
                                kApiVersion,
                                {"ignoredResources", &kStrings},
                                {"ignoredResourceGroups", &kStrings},
                                {"scoringStrategy", &kStrategy}};
constexpr FieldType kFitType = object(kFitFields);

constexpr std::string_view kStrategies[] = {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"};

struct Strategy {
  std::string type;
  std::vector<WeighedResource> resources;
  std::optional<UtilizationShape> shape;  ///< Absent without requestedToCapacityRatio.
};

using StrategyCheck = FieldResult(const Strategy& strategy, std::string_view path);

FieldResult check_type(const Strategy& strategy, std::string_view path) {
  if (!is_one_of(kStrategies, strategy.type))
    return unsupported(child(path, "type"), strategy.type, kStrategies);
  return check_resources(strategy.resources, child(path, "resources"));
}

FieldResult check_strategy(const Strategy& strategy, std::string_view path) {
  if (auto good = check_type(strategy, path); !good) return good;
  const std::string ratio = child(path, "requestedToCapacityRatio");
  if (strategy.type != kStrategies[2]) {
    if (!strategy.shape) return {};
    return forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio");
  }
  if (!strategy.shape) return required(ratio, "must be specified when type is RequestedToCapacityRatio");
  return check_shape(*strategy.shape, child(ratio, "shape"));
}

/// Of v1.28.15, where other types may have requestedToCapacityRatio too. The strategy of this name crashes
/// there without it.
FieldResult check_strategy_128(const Strategy& strategy, std::string_view path) {
  if (auto good = check_type(strategy, path); !good) return good;
  const std::string ratio = child(path, "requestedToCapacityRatio");
  if (strategy.shape) return check_shape(*strategy.shape, child(ratio, "shape"));
  if (strategy.type != kStrategies[2]) return {};
  return required(ratio, "must be specified when type is RequestedToCapacityRatio");
}

/// Of v1.22.17, where a strategy of another type may have an empty shape. RequestedToCapacityRatio crashes
/// there with one.
FieldResult check_strategy_122(const Strategy& strategy, std::string_view path) {
  const bool unused = strategy.shape && strategy.shape->empty() && strategy.type != kStrategies[2];
  return unused ? check_type(strategy, path) : check_strategy_128(strategy, path);
}

bool read_strategy(const Reader& r, Strategy& strategy) {
  strategy.type.clear();
  return r.read("type", strategy.type) && r.read("resources", strategy.resources) &&
         r.within("requestedToCapacityRatio",
                  [&](const Reader& ratio) { return ratio.read("shape", strategy.shape.emplace()); });
}

FieldResult check_ignored(const NodeResourcesFitArgs& args, std::string_view path) {
  for (std::size_t i = 0; i < args.ignored_resources.size(); ++i) {
    const std::string at = element(child(path, "ignoredResources"), i);
    if (auto good = check_label_name(at, args.ignored_resources[i]); !good) return good;
  }
  for (std::size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
    const std::string& group = args.ignored_resource_groups[i];
    const std::string at = element(child(path, "ignoredResourceGroups"), i);
    if (group.contains('/')) return invalid(at, group, "resource group name can't contain '/'");
    if (auto good = check_label_name(at, group); !good) return good;
  }
  return {};
}

PluginArgs read_fit(const WrittenArgs& written, StrategyCheck& check) {
  const auto& [r, path, ignored, plugin] = written;
  NodeResourcesFitArgs args;
  Strategy strategy{.type = "LeastAllocated", .resources = {}, .shape = {}};
  r.read("ignoredResources", args.ignored_resources);
  r.read("ignoredResourceGroups", args.ignored_resource_groups);
  r.within("scoringStrategy", [&](const Reader& inner) { return read_strategy(inner, strategy); });
  put_default_resources(strategy.resources);
  if (!ignored.empty()) args.ignored_resources = ignored;

  FieldResult sound = check_ignored(args, path);
  if (sound) sound = check(strategy, child(path, "scoringStrategy"));
  const auto type = std::ranges::find(kStrategies, strategy.type);
  args.strategy = static_cast<ScoringStrategy>(type == std::end(kStrategies) ? 0 : type - kStrategies);
  args.resources = std::move(strategy.resources);
  args.shape = std::move(strategy.shape).value_or(UtilizationShape());
  return {std::move(args), std::move(sound)};
}

PluginArgs read_fit_args(const WrittenArgs& written) { return read_fit(written, check_strategy); }
PluginArgs read_fit_args_128(const WrittenArgs& written) { return read_fit(written, check_strategy_128); }
PluginArgs read_fit_args_122(const WrittenArgs& written) { return read_fit(written, check_strategy_122); }

/// Of v1.18.20. An extender's resources are configured as the plugin's arguments, so the file may not have
/// some too: the check of profiles refuses that.
constexpr ArgsField<NodeResourcesFitArgs> kFitFields118[] = {
    field<&NodeResourcesFitArgs::ignored_resources>("ignoredResources")};
PluginArgs read_fit_args_118(const WrittenArgs& written) {
  NodeResourcesFitArgs args;
  written.object.read("ignoredResources", args.ignored_resources);
  if (!written.ignored.empty()) args.ignored_resources = written.ignored;
  return {std::move(args), {}};
}

}  // namespace

void put_default_resources(std::vector<WeighedResource>& resources) {
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  for (WeighedResource& resource : resources)
    if (resource.weight == 0) resource.weight = 1;
}

const ArgsSchema kNodeResourcesFitArgs{kFitType, read_fit_args};
const ArgsSchema kFitArgs128{kFitType, read_fit_args_128};
const ArgsSchema kFitArgs122{kFitType, read_fit_args_122};
const ArgsSchema kFitArgs118{fields::kSchemaType<kFitFields118, Typed::kNo>, read_fit_args_118};

// NodeAffinity.

namespace {

constexpr Field kTermFields[] = {{"matchExpressions", &kRequirements}, {"matchFields", &kRequirements}};
constexpr FieldType kTerm = object(kTermFields);
constexpr FieldType kTerms = list_of(kTerm);
constexpr Field kNodeSelectorFields[] = {{"nodeSelectorTerms", &kTerms}};
constexpr FieldType kNodeSelector = object(kNodeSelectorFields);
constexpr Field kPreferredFields[] = {{"weight", &kInt32}, {"preference", &kTerm}};
constexpr FieldType kPreferred = object(kPreferredFields);
constexpr FieldType kPreferredTerms = list_of(kPreferred);
constexpr Field kNodeAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", &kNodeSelector},
    {"preferredDuringSchedulingIgnoredDuringExecution", &kPreferredTerms}};
constexpr FieldType kNodeAffinity = object(kNodeAffinityFields);

/// Returns the first error that upstream would find.
FieldResult check_affinity(const NodeAffinity& affinity, std::string_view path) {
  std::vector<std::string> errors;
  if (affinity.required)
    errors = node_selector_errors(*affinity.required,
                                  child(path, "requiredDuringSchedulingIgnoredDuringExecution"));
  if (errors.empty())
    errors = preferred_terms_errors(affinity.preferred,
                                    child(path, "preferredDuringSchedulingIgnoredDuringExecution"));
  return errors.empty() ? FieldResult() : std::unexpected(std::move(errors.front()));
}

FieldResult check_added_affinity(const std::optional<NodeAffinity>& added, std::string_view path) {
  return added ? check_affinity(*added, path) : FieldResult();
}

constexpr ArgsField<NodeAffinityArgs> kNodeAffinityArgsFields[] = {
    field<&NodeAffinityArgs::added_affinity, check_added_affinity>("addedAffinity", &kNodeAffinity)};

}  // namespace

const ArgsSchema kNodeAffinityArgs = args_schema<kNodeAffinityArgsFields>();

// PodTopologySpread.

namespace {

constexpr Field kLabelSelectorFields[] = {{"matchLabels", &kStringMap}, {"matchExpressions", &kRequirements}};
constexpr FieldType kLabelSelector = object(kLabelSelectorFields);
constexpr Field kConstraintFields[] = {{"maxSkew", &kInt32},
                                       {"topologyKey", &kString},
                                       {"whenUnsatisfiable", &kString},
                                       {"labelSelector", &kLabelSelector},
                                       {"minDomains", &kInt32},
                                       {"nodeAffinityPolicy", &kString},
                                       {"nodeTaintsPolicy", &kString},
                                       {"matchLabelKeys", &kStrings}};
constexpr FieldType kConstraint = object(kConstraintFields);
constexpr FieldType kConstraints = list_of(kConstraint);
constexpr Field kSpreadFields[] = {
    kKind, kApiVersion, {"defaultConstraints", &kConstraints}, {"defaultingType", &kString}};
constexpr FieldType kSpreadType = object(kSpreadFields);
/// Of v1.22.17.
constexpr Field kConstraintFields122[] = {{"maxSkew", &kInt32},
                                          {"topologyKey", &kString},
                                          {"whenUnsatisfiable", &kString},
                                          {"labelSelector", &kLabelSelector}};
constexpr FieldType kConstraint122 = object(kConstraintFields122);
constexpr FieldType kConstraints122 = list_of(kConstraint122);
constexpr Field kSpreadFields122[] = {
    kKind, kApiVersion, {"defaultConstraints", &kConstraints122}, {"defaultingType", &kString}};
constexpr FieldType kSpreadType122 = object(kSpreadFields122);

constexpr std::string_view kDefaultings[] = {"System", "List"};
constexpr std::string_view kActions[] = {"DoNotSchedule", "ScheduleAnyway"};

FieldResult check_constraint(const TopologySpreadConstraint& constraint, std::string_view path) {
  if (constraint.max_skew <= 0)
    return invalid(child(path, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)");
  const std::string key = child(path, "topologyKey");
  if (constraint.topology_key.empty()) return required(key, "can not be empty");
  if (auto good = check_label_name(key, constraint.topology_key); !good) return good;
  const std::string action = child(path, "whenUnsatisfiable");
  if (constraint.when_unsatisfiable.empty()) return required(action, "can not be empty");
  if (!is_one_of(kActions, constraint.when_unsatisfiable))
    return unsupported(action, constraint.when_unsatisfiable, kActions);
  if (constraint.label_selector)
    return forbidden(child(path, "labelSelector"),
                     "constraint must not define a selector, as they deduced for each pod");
  return {};
}

/// Requires sound constraints, no two of one topologyKey and whenUnsatisfiable.
FieldResult check_constraints(const std::vector<TopologySpreadConstraint>& constraints,
                              std::string_view path) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const TopologySpreadConstraint& constraint = constraints[i];
    if (auto good = check_constraint(constraint, element(path, i)); !good) return good;
    const auto same = [&](const TopologySpreadConstraint& other) {
      return other.topology_key == constraint.topology_key &&
             other.when_unsatisfiable == constraint.when_unsatisfiable;
    };
    if (std::ranges::any_of(std::span(constraints).first(i), same))
      return duplicate(element(path, i),
                       std::format("{{{}, {}}}", constraint.topology_key, constraint.when_unsatisfiable));
  }
  return {};
}

/// @param absent  What an absent defaultingType is beside constraints.
PluginArgs read_with_absent(const WrittenArgs& written, std::string_view absent) {
  const Reader& r = written.object;
  PodTopologySpreadArgs args;
  std::string defaulting;
  r.read("defaultConstraints", args.default_constraints);
  r.read("defaultingType", defaulting);
  if (defaulting.empty() && !args.default_constraints.empty()) defaulting = absent;
  args.system_defaulted = defaulting.empty() || defaulting == kDefaultings[0];
  const auto check = [&]() -> FieldResult {
    const std::string type = child(written.path, "defaultingType");
    if (!args.system_defaulted && defaulting != kDefaultings[1])
      return unsupported(type, defaulting, kDefaultings);
    if (args.system_defaulted && !args.default_constraints.empty())
      return invalid(type, "System", "when .defaultConstraints are not empty");
    return check_constraints(args.default_constraints, child(written.path, "defaultConstraints"));
  };
  FieldResult sound = check();
  return {std::move(args), std::move(sound)};
}

PluginArgs read_spread(const WrittenArgs& written) { return read_with_absent(written, kDefaultings[0]); }
/// Of v1beta1.
PluginArgs read_listed_spread(const WrittenArgs& written) {
  return read_with_absent(written, kDefaultings[1]);
}

/// Of v1.18.20: there are no constraints of the system's.
constexpr Field kSpreadFields118[] = {{"defaultConstraints", &kConstraints122}};
constexpr FieldType kSpreadType118 = object(kSpreadFields118);
PluginArgs read_spread_118(const WrittenArgs& written) {
  PodTopologySpreadArgs args;
  args.system_defaulted = false;
  written.object.read("defaultConstraints", args.default_constraints);
  FieldResult sound = check_constraints(args.default_constraints, child(written.path, "defaultConstraints"));
  return {std::move(args), std::move(sound)};
}

}  // namespace

const ArgsSchema kPodTopologySpreadArgs{kSpreadType, read_spread};
const ArgsSchema kPodTopologySpreadArgsV1Beta1{kSpreadType122, read_listed_spread};
const ArgsSchema kPodTopologySpreadArgs118{kSpreadType118, read_spread_118};

// DynamicResources.

namespace {

constexpr Field kDevicesFields[] = {
    kKind, kApiVersion, {"filterTimeout", &kOptionalDuration}, {"bindingTimeout", &kOptionalDuration}};
constexpr FieldType kDevicesType = object(kDevicesFields);

constexpr std::int64_t kSecond = 1'000'000'000;

/// Upstream: validation_pluginargs.go ValidateDynamicResourcesArgs v1.37.2.
PluginArgs read_devices(const WrittenArgs& written) {
  const Reader& r = written.object;
  DynamicResourcesArgs args;
  FieldResult sound;
  const auto read = [&](std::string_view key, std::int64_t least, std::string_view wanted,
                        std::int64_t& duration) {
    if (!sound || !r.has(key)) return;
    std::string text;
    r.read(key, text);
    duration = parse_go_duration(text).value_or(duration);
    if (duration < least) sound = invalid(child(written.path, key), text, wanted);
  };
  read("filterTimeout", 0, "must be zero or positive", args.filter_timeout_ns);
  read("bindingTimeout", kSecond, "must be at least 1 second", args.binding_timeout_ns);
  return {args, std::move(sound)};
}

}  // namespace

const ArgsSchema kDynamicResourcesArgs{kDevicesType, read_devices};

// The removed NodeLabel and ServiceAffinity.
// Upstream: pkg/scheduler/apis/config/v1beta1/defaults.go and validation/validation_pluginargs.go v1.22.17.

namespace {

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

FieldResult check_node_label(const NodeLabelArgs& args, std::string_view path) {
  if (auto good = check_no_conflict(args.present_labels, args.absent_labels, child(path, "presentLabels"),
                                    child(path, "absentLabels"));
      !good)
    return good;
  return check_no_conflict(args.present_labels_preference, args.absent_labels_preference,
                           child(path, "presentLabelsPreference"), child(path, "absentLabelsPreference"));
}

constexpr ArgsField<NodeLabelArgs> kNodeLabelFields[] = {
    field<&NodeLabelArgs::present_labels>("presentLabels"),
    field<&NodeLabelArgs::absent_labels>("absentLabels"),
    field<&NodeLabelArgs::present_labels_preference>("presentLabelsPreference"),
    field<&NodeLabelArgs::absent_labels_preference>("absentLabelsPreference")};
constexpr ArgsField<ServiceAffinityArgs> kServiceAffinityFields[] = {
    field<&ServiceAffinityArgs::affinity_labels>("affinityLabels"),
    field<&ServiceAffinityArgs::anti_affinity_labels_preference>("antiAffinityLabelsPreference")};

}  // namespace

const ArgsSchema kNodeLabelArgs = args_schema<kNodeLabelFields, check_node_label>();
const ArgsSchema kNodeLabelArgs118 = untyped_args_schema<kNodeLabelFields, check_node_label>();
const ArgsSchema kServiceAffinityArgs = args_schema<kServiceAffinityFields>();
const ArgsSchema kServiceAffinityArgs118 = untyped_args_schema<kServiceAffinityFields>();

}  // namespace winnow
