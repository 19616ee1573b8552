// Arguments of NodeResourcesFit and NodeResourcesBalancedAllocation.
#include <format>
#include <optional>
#include <utility>

#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

namespace winnow {

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

}  // namespace winnow
