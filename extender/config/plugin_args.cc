#include "extender/config/plugin_args.h"

#include <format>
#include <optional>
#include <utility>

#include "cluster/label_syntax.h"
#include "cluster/selector_errors.h"
#include "extender/config/go_duration.h"
#include "extender/config/plugin_args_parts.h"
#include "extender/config/scheduler_config.h"

namespace winnow {

bool read_fields(const Reader& r, UtilizationPoint& point) {
  return r.read("utilization", point.utilization) && r.read("score", point.score);
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

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// The first of upstream's complaints.
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

PluginArgs read_node_affinity(const Reader& r, std::string_view path) {
  NodeAffinityArgs args;
  r.read("addedAffinity", args.added_affinity);
  FieldResult sound;
  if (args.added_affinity) sound = check_affinity(*args.added_affinity, child(path, "addedAffinity"));
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
  args.shape = shape.empty() ? UtilizationShape{{0, 10}, {100, 0}} : std::move(shape);
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
  if (plugin == "NodeResourcesFit") return read_fit_args(args, path, ignored);
  if (plugin == "NodeResourcesBalancedAllocation") return read_balanced_args(args, path);
  if (plugin == "NodeAffinity") return read_node_affinity(args, path);
  if (plugin == "PodTopologySpread") return read_topology_spread_args(args, path);
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
