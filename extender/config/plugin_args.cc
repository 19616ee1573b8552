#include "extender/config/plugin_args.h"

#include <format>
#include <optional>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/text/go_format.h"

namespace winnow {

bool read_fields(const Reader& r, UtilizationPoint& point) {
  return r.read("utilization", point.utilization) && r.read("score", point.score);
}

bool read_fields(const Reader& r, WeighedResource& resource) {
  resource.weight = 0;
  return r.read("name", resource.name) && r.read("weight", resource.weight);
}

FieldResult check_resources(const std::vector<WeighedResource>& resources, std::string_view path) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto& [name, weight] = resources[i];
    if (weight <= 0 || weight > kMaxPercent)
      return invalid(child(element(path, i), "weight"), weight,
                     std::format("resource weight of {} not in valid range (0, 100]", name));
  }
  return {};
}

FieldResult check_range(std::string_view path, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid(path, value, std::format("not in valid range [{}, {}]", least, most));
}

FieldResult check_label_name(std::string_view path, std::string_view name) {
  const std::string errors = label_key_errors(name, Generation::kToday);
  return errors.empty() ? FieldResult() : invalid(path, name, errors);
}

/// Upstream: validateFunctionShape.
FieldResult check_shape(const UtilizationShape& shape, std::string_view path) {
  constexpr std::int64_t kMaxShapeScore = 10;
  if (shape.empty()) return required(path, "at least one point must be specified");
  for (std::size_t i = 1; i < shape.size(); ++i)
    if (shape[i - 1].utilization >= shape[i].utilization)
      return invalid(child(element(path, i), "utilization"), shape[i].utilization,
                     "values must be sorted in increasing order");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string point = element(path, i);
    if (auto good = check_range(child(point, "utilization"), shape[i].utilization, 0, kMaxPercent); !good)
      return good;
    if (auto good = check_range(child(point, "score"), shape[i].score, 0, kMaxShapeScore); !good) return good;
  }
  return {};
}

FieldResult check_args_kind(std::string_view plugin, std::string_view version, const Reader& args,
                            std::string_view path) {
  std::string kind;
  std::string written;
  args.read("kind", kind);
  args.read("apiVersion", written);
  const std::string expected_kind = std::string(plugin) + "Args";
  if (!kind.empty() && kind != expected_kind)
    return std::unexpected(std::format("{}.kind: args for plugin {} were not of type {}, got {}", path,
                                       plugin, expected_kind, kind));
  // A missing version, with or without a missing group, is the configuration's own.
  const std::string group(kSchedulerConfigGroup);
  if (written.empty() || written == "/" || written == group || written == group + std::string(version))
    return {};
  return std::unexpected(
      std::format("{}.apiVersion: {} is not {}{}", path, go_quote(written), group, version));
}

// Arguments of NodeResourcesFit and NodeResourcesBalancedAllocation.

extern const ArgsSchema kBalancedAllocationArgs, kFitArgs122, kFitArgs128, kNodeResourcesFitArgs;

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
constexpr Field kBalancedFields[] = {kKind, kApiVersion, {"resources", &kWeighedResources}};
constexpr FieldType kBalancedType = object(kBalancedFields);

constexpr std::string_view kStrategies[] = {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"};

/// Sets absent weights to 1, and an empty list to cpu and memory.
void put_default_resources(std::vector<WeighedResource>& resources) {
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  for (WeighedResource& resource : resources)
    if (resource.weight == 0) resource.weight = 1;
}

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
  const auto& [r, path, ignored] = written;
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

PluginArgs read_balanced_args(const WrittenArgs& written) {
  BalancedAllocationArgs args;
  args.resources.clear();
  written.object.read("resources", args.resources);
  put_default_resources(args.resources);
  const auto check = [&]() -> FieldResult {
    for (std::size_t i = 0; i < args.resources.size(); ++i) {
      const auto& [name, weight] = args.resources[i];
      const std::string at = element(child(written.path, "resources"), i);
      const auto before = std::span(args.resources).first(i);
      if (std::ranges::find(before, name, &WeighedResource::name) != before.end())
        return duplicate(child(at, "name"), name);
      if (weight != 1) return invalid(child(at, "weight"), weight, "must be 1");
    }
    return {};
  };
  FieldResult sound = check();
  return {std::move(args), std::move(sound)};
}

}  // namespace

const ArgsSchema kNodeResourcesFitArgs{kFitType, read_fit_args};
const ArgsSchema kFitArgs128{kFitType, read_fit_args_128};
const ArgsSchema kFitArgs122{kFitType, read_fit_args_122};
const ArgsSchema kBalancedAllocationArgs{kBalancedType, read_balanced_args};

// Arguments of VolumeBinding.

extern const ArgsSchema kVolumeBindingArgs, kVolumeBindingArgsWithoutShape;

namespace {

using namespace fields;

constexpr Field kVolumeBindingFields[] = {
    kKind, kApiVersion, {"bindTimeoutSeconds", &kInt64}, {"shape", &kUtilizationShape}};
constexpr FieldType kVolumeBindingType = object(kVolumeBindingFields);

FieldResult check_timeout(const Reader& r, std::string_view path) {
  std::int64_t timeout = 0;
  r.read("bindTimeoutSeconds", timeout);
  if (timeout >= 0) return {};
  return invalid(child(path, "bindTimeoutSeconds"), timeout,
                 "invalid BindTimeoutSeconds, should not be a negative value");
}

PluginArgs read_volume_binding(const WrittenArgs& written) {
  const Reader& r = written.object;
  VolumeBindingArgs args;
  UtilizationShape shape;
  r.read("shape", shape);
  args.shape = shape.empty() ? UtilizationShape{{0, 10}, {100, 0}} : std::move(shape);
  FieldResult sound = check_timeout(r, written.path);
  if (sound) sound = check_shape(args.shape, child(written.path, "shape"));
  return {std::move(args), std::move(sound)};
}

/// Up to v1.28 the shape was for the gate VolumeCapacityPriority, which was off by default.
PluginArgs read_without_shape(const WrittenArgs& written) {
  FieldResult sound = check_timeout(written.object, written.path);
  if (sound && written.object.has("shape"))
    sound =
        std::unexpected(std::format("{}: unexpected field `shape`, remove it", child(written.path, "shape")));
  return {VolumeBindingArgs(), std::move(sound)};
}

}  // namespace

const ArgsSchema kVolumeBindingArgs{kVolumeBindingType, read_volume_binding};
const ArgsSchema kVolumeBindingArgsWithoutShape{kVolumeBindingType, read_without_shape};

// Arguments of plugins that Winnow does not run: DefaultPreemption and DynamicResources. They are checked,
// and not used.

extern const ArgsSchema kDefaultPreemptionArgs, kDynamicResourcesArgs;

namespace {

using namespace fields;

constexpr Field kDefaultPreemptionFields[] = {
    kKind, kApiVersion, {"minCandidateNodesPercentage", &kInt32}, {"minCandidateNodesAbsolute", &kInt32}};
constexpr FieldType kDefaultPreemptionType = object(kDefaultPreemptionFields);
constexpr Field kDynamicResourcesFields[] = {
    kKind, kApiVersion, {"filterTimeout", &kOptionalDuration}, {"bindingTimeout", &kOptionalDuration}};
constexpr FieldType kDynamicResourcesType = object(kDynamicResourcesFields);

constexpr std::int64_t kSecond = 1'000'000'000;

FieldResult check_preemption(const Reader& r, std::string_view path) {
  std::int64_t percentage = 10;
  std::int64_t absolute = 100;
  r.read("minCandidateNodesPercentage", percentage);
  r.read("minCandidateNodesAbsolute", absolute);
  const std::string at = child(path, "minCandidateNodesPercentage");
  if (auto good = check_range(at, percentage, 0, kMaxPercent); !good) return good;
  if (absolute < 0)
    return invalid(child(path, "minCandidateNodesAbsolute"), absolute, "not in valid range [0, inf)");
  if (percentage == 0 && absolute == 0)
    return invalid(at, percentage, "cannot be zero at the same time as minCandidateNodesAbsolute");
  return {};
}

std::optional<std::int64_t> written_duration(const Reader& r, std::string_view key, std::string& text) {
  if (!r.has(key)) return std::nullopt;
  r.read(key, text);
  return parse_go_duration(text);
}

FieldResult check_dynamic_resources(const Reader& r, std::string_view path) {
  std::string text;
  if (written_duration(r, "filterTimeout", text).value_or(0) < 0)
    return invalid(child(path, "filterTimeout"), text, "must be zero or positive");
  if (written_duration(r, "bindingTimeout", text).value_or(kSecond) < kSecond)
    return invalid(child(path, "bindingTimeout"), text, "must be at least 1 second");
  return {};
}

PluginArgs read_default_preemption(const WrittenArgs& written) {
  return {{}, check_preemption(written.object, written.path)};
}

PluginArgs read_dynamic_resources(const WrittenArgs& written) {
  return {{}, check_dynamic_resources(written.object, written.path)};
}

}  // namespace

const ArgsSchema kDefaultPreemptionArgs{kDefaultPreemptionType, read_default_preemption};
const ArgsSchema kDynamicResourcesArgs{kDynamicResourcesType, read_dynamic_resources};

}  // namespace winnow
