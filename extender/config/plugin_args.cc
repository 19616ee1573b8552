#include "extender/config/plugin_args.h"

#include <algorithm>
#include <format>
#include <limits>
#include <optional>
#include <utility>

#include "cluster/label_syntax.h"
#include "cluster/selector.h"
#include "extender/config/go_duration.h"
#include "extender/config/scheduler_config.h"

namespace winnow {

// Found by read() through their argument, so not in an unnamed namespace.

static bool read_fields(const Reader& r, UtilizationPoint& point) {
  return r.read("utilization", point.utilization) && r.read("score", point.score);
}

/// A weight of 0 is one that is not there.
static bool read_fields(const Reader& r, WeighedResource& resource) {
  resource.weight = 0;
  return r.read("name", resource.name) && r.read("weight", resource.weight);
}

namespace {

constexpr std::int64_t kMaxPercent = 100;
constexpr std::int64_t kMaxShapeScore = 10;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::string_view kStrategies[] = {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"};
constexpr std::string_view kDefaultings[] = {"System", "List"};
constexpr std::string_view kActions[] = {"DoNotSchedule", "ScheduleAnyway"};
constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
constexpr std::string_view kFieldOperators[] = {"In", "NotIn"};

template <class T>
bool is_one_of(std::span<const T> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

FieldResult check_range(std::string_view path, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid(path, value, std::format("not in valid range [{}, {}]", least, most));
}

FieldResult check_label_name(std::string_view path, std::string_view name) {
  const std::string errors = label_key_errors(name);
  return errors.empty() ? FieldResult() : invalid(path, name, errors);
}

/// Absent weights are 1, and no resources are cpu and memory.
void put_default_resources(std::vector<WeighedResource>& resources) {
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  for (WeighedResource& resource : resources)
    if (resource.weight == 0) resource.weight = 1;
}

/// Upstream: validateFunctionShape.
FieldResult check_shape(const UtilizationShape& shape, std::string_view path) {
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

struct Strategy {
  std::string type;
  std::vector<WeighedResource> resources;
  std::optional<UtilizationShape> shape;  ///< Nothing: no requestedToCapacityRatio.
};

FieldResult check_resources(const std::vector<WeighedResource>& resources, std::string_view path) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto& [name, weight] = resources[i];
    if (weight <= 0 || weight > kMaxPercent)
      return invalid(child(element(path, i), "weight"), weight,
                     std::format("resource weight of {} not in valid range (0, 100]", name));
  }
  return {};
}

FieldResult check_strategy(const Strategy& strategy, std::string_view path) {
  if (!is_one_of<std::string_view>(kStrategies, strategy.type))
    return unsupported(child(path, "type"), strategy.type, kStrategies);
  if (auto good = check_resources(strategy.resources, child(path, "resources")); !good) return good;
  const std::string ratio = child(path, "requestedToCapacityRatio");
  if (strategy.type != kStrategies[2]) {
    if (!strategy.shape) return {};
    return forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio");
  }
  if (!strategy.shape) return required(ratio, "must be specified when type is RequestedToCapacityRatio");
  return check_shape(*strategy.shape, child(ratio, "shape"));
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

PluginArgs read_fit(const Reader& r, std::string_view path, const std::vector<std::string>& ignored) {
  NodeResourcesFitArgs args;
  Strategy strategy{.type = "LeastAllocated", .resources = {}, .shape = {}};
  r.read("ignoredResources", args.ignored_resources);
  r.read("ignoredResourceGroups", args.ignored_resource_groups);
  r.within("scoringStrategy", [&](const Reader& inner) { return read_strategy(inner, strategy); });
  put_default_resources(strategy.resources);
  if (!ignored.empty()) args.ignored_resources = ignored;

  FieldResult sound = check_ignored(args, path);
  if (sound) sound = check_strategy(strategy, child(path, "scoringStrategy"));
  const auto type = std::ranges::find(kStrategies, strategy.type);
  args.strategy = static_cast<ScoringStrategy>(type == std::end(kStrategies) ? 0 : type - kStrategies);
  args.resources = std::move(strategy.resources);
  args.shape = std::move(strategy.shape).value_or(UtilizationShape());
  return {std::move(args), std::move(sound)};
}

PluginArgs read_balanced(const Reader& r, std::string_view path) {
  BalancedAllocationArgs args;
  args.resources.clear();
  r.read("resources", args.resources);
  put_default_resources(args.resources);
  const auto check = [&]() -> FieldResult {
    for (std::size_t i = 0; i < args.resources.size(); ++i) {
      const auto& [name, weight] = args.resources[i];
      const std::string at = element(child(path, "resources"), i);
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

FieldResult check_expressions(const std::vector<SelectorRequirement>& written, std::string_view path) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::string at = element(path, i);
    if (!is_one_of<std::string_view>(kOperators, written[i].op))
      return unsupported(child(at, "operator"), written[i].op, kOperators);
    if (auto parsed = parse_requirement(written[i]); !parsed)
      return std::unexpected(std::format("{}: {}", at, parsed.error()));
  }
  return {};
}

FieldResult check_match_fields(const std::vector<SelectorRequirement>& written, std::string_view path) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::string at = element(path, i);
    if (!is_one_of<std::string_view>(kFieldOperators, written[i].op))
      return unsupported(child(at, "operator"), written[i].op, kFieldOperators);
    if (written[i].values.size() != 1)
      return std::unexpected(std::format("{}.values: must have one element", at));
  }
  return {};
}

FieldResult check_term(const NodeSelectorTerm& term, std::string_view path) {
  auto good = check_expressions(term.match_expressions, child(path, "matchExpressions"));
  return good ? check_match_fields(term.match_fields, child(path, "matchFields")) : good;
}

/// Upstream: component-helpers/scheduling/corev1/nodeaffinity NewNodeSelector, NewPreferredSchedulingTerms
/// v0.37.0. A preferred term of weight 0 is not looked at.
FieldResult check_affinity(const NodeAffinity& affinity, std::string_view path) {
  const std::string required_path =
      child(path, "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
  const std::size_t count = affinity.required ? affinity.required->terms.size() : 0;
  for (std::size_t i = 0; i < count; ++i)
    if (auto good = check_term(affinity.required->terms[i], element(required_path, i)); !good) return good;
  const std::string preferred_path = child(path, "preferredDuringSchedulingIgnoredDuringExecution");
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    if (affinity.preferred[i].weight == 0) continue;
    const std::string at = child(element(preferred_path, i), "preference");
    if (auto good = check_term(affinity.preferred[i].preference, at); !good) return good;
  }
  return {};
}

PluginArgs read_node_affinity(const Reader& r, std::string_view path) {
  NodeAffinityArgs args;
  r.read("addedAffinity", args.added_affinity);
  FieldResult sound;
  if (args.added_affinity) sound = check_affinity(*args.added_affinity, child(path, "addedAffinity"));
  return {std::move(args), std::move(sound)};
}

FieldResult check_constraint(const TopologySpreadConstraint& constraint, std::string_view path) {
  if (constraint.max_skew <= 0)
    return invalid(child(path, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)");
  const std::string key = child(path, "topologyKey");
  if (constraint.topology_key.empty()) return required(key, "can not be empty");
  if (auto good = check_label_name(key, constraint.topology_key); !good) return good;
  const std::string action = child(path, "whenUnsatisfiable");
  if (constraint.when_unsatisfiable.empty()) return required(action, "can not be empty");
  if (!is_one_of<std::string_view>(kActions, constraint.when_unsatisfiable))
    return unsupported(action, constraint.when_unsatisfiable, kActions);
  if (constraint.label_selector)
    return forbidden(child(path, "labelSelector"),
                     "constraint must not define a selector, as they deduced for each pod");
  return {};
}

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

/// Upstream: podtopologyspread/plugin.go systemDefaultConstraints.
std::vector<TopologySpreadConstraint> system_constraints() {
  TopologySpreadConstraint hostname;
  hostname.max_skew = 3;
  hostname.topology_key = "kubernetes.io/hostname";
  hostname.when_unsatisfiable = "ScheduleAnyway";
  TopologySpreadConstraint zone = hostname;
  zone.max_skew = 5;
  zone.topology_key = "topology.kubernetes.io/zone";
  return {hostname, zone};
}

PluginArgs read_topology_spread(const Reader& r, std::string_view path) {
  PodTopologySpreadArgs args;
  std::string defaulting;
  r.read("defaultConstraints", args.default_constraints);
  r.read("defaultingType", defaulting);
  args.system_defaulted = defaulting.empty() || defaulting == kDefaultings[0];
  const auto check = [&]() -> FieldResult {
    const std::string type = child(path, "defaultingType");
    if (!args.system_defaulted && defaulting != kDefaultings[1])
      return unsupported(type, defaulting, kDefaultings);
    if (args.system_defaulted && !args.default_constraints.empty())
      return invalid(type, "System", "when .defaultConstraints are not empty");
    return check_constraints(args.default_constraints, child(path, "defaultConstraints"));
  };
  FieldResult sound = check();
  if (args.system_defaulted) args.default_constraints = system_constraints();
  return {std::move(args), std::move(sound)};
}

PluginArgs read_inter_pod_affinity(const Reader& r, std::string_view path) {
  InterPodAffinityArgs args;
  r.read("hardPodAffinityWeight", args.hard_pod_affinity_weight);
  r.read("ignorePreferredTermsOfExistingPods", args.ignore_preferred_terms_of_existing_pods);
  return {args,
          check_range(child(path, "hardPodAffinityWeight"), args.hard_pod_affinity_weight, 0, kMaxPercent)};
}

PluginArgs read_volume_binding(const Reader& r, std::string_view path) {
  VolumeBindingArgs args;
  std::int64_t timeout = 0;
  UtilizationShape shape;
  r.read("bindTimeoutSeconds", timeout);
  r.read("shape", shape);
  if (!shape.empty()) args.shape = std::move(shape);
  FieldResult sound = check_shape(args.shape, child(path, "shape"));
  if (timeout < 0)
    sound = invalid(child(path, "bindTimeoutSeconds"), timeout,
                    "invalid BindTimeoutSeconds, should not be a negative value");
  return {std::move(args), std::move(sound)};
}

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

std::optional<std::int64_t> duration_of(const Reader& r, std::string_view key, std::string& text) {
  if (!r.has(key)) return std::nullopt;
  r.read(key, text);
  return parse_go_duration(text);
}

FieldResult check_dynamic_resources(const Reader& r, std::string_view path) {
  std::string text;
  if (duration_of(r, "filterTimeout", text).value_or(0) < 0)
    return invalid(child(path, "filterTimeout"), text, "must be zero or positive");
  if (duration_of(r, "bindingTimeout", text).value_or(kSecond) < kSecond)
    return invalid(child(path, "bindingTimeout"), text, "must be at least 1 second");
  return {};
}

}  // namespace

PluginArgs read_plugin_args(std::string_view plugin, const Reader& args, std::string_view path,
                            const std::vector<std::string>& ignored) {
  if (plugin == "NodeResourcesFit") return read_fit(args, path, ignored);
  if (plugin == "NodeResourcesBalancedAllocation") return read_balanced(args, path);
  if (plugin == "NodeAffinity") return read_node_affinity(args, path);
  if (plugin == "PodTopologySpread") return read_topology_spread(args, path);
  if (plugin == "InterPodAffinity") return read_inter_pod_affinity(args, path);
  if (plugin == "VolumeBinding") return read_volume_binding(args, path);
  if (plugin == "DefaultPreemption") return {{}, check_preemption(args, path)};
  if (plugin == "DynamicResources") return {{}, check_dynamic_resources(args, path)};
  return {};
}

FieldResult check_args_kind(std::string_view plugin, const Reader& args, std::string_view path) {
  std::string kind;
  std::string version;
  args.read("kind", kind);
  args.read("apiVersion", version);
  const std::string expected_kind = std::string(plugin) + "Args";
  if (!kind.empty() && kind != expected_kind)
    return std::unexpected(std::format("{}.kind: args for plugin {} were not of type {}, got {}", path,
                                       plugin, expected_kind, kind));
  // Where group and version are missing, or the version alone, they are the configuration's own.
  const std::string group(kSchedulerConfigGroup);
  if (version.empty() || version == "/" || version == group ||
      version == group + std::string(kSchedulerConfigVersion))
    return {};
  return std::unexpected(
      std::format("{}.apiVersion: {} is not {}{}", path, go_quote(version), group, kSchedulerConfigVersion));
}

}  // namespace winnow
