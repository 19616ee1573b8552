#include "extender/config/config_schema.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>
#include <vector>

#include "extender/config/go_duration.h"
#include "extender/config/near_names.h"
#include "extender/config/scheduler_config_versions.h"

namespace winnow {
namespace {

constexpr FieldType kString{FieldKind::kString};
constexpr FieldType kBool{FieldKind::kBool};
constexpr FieldType kInt32{FieldKind::kInt32};
constexpr FieldType kInt64{FieldKind::kInt64};
constexpr FieldType kFloat32{FieldKind::kFloat32};
constexpr FieldType kDuration{FieldKind::kDuration};
constexpr FieldType kOptionalDuration{FieldKind::kOptionalDuration};
constexpr FieldType kBytes{FieldKind::kBytes};
constexpr FieldType kAnything{FieldKind::kAnything};
constexpr FieldType kStringMap{FieldKind::kStringMap};

constexpr FieldType object(std::span<const Field> fields) { return {FieldKind::kObject, fields, nullptr}; }
constexpr FieldType list_of(const FieldType& element) { return {FieldKind::kList, {}, &element}; }

constexpr FieldType kStrings = list_of(kString);

constexpr Field kRequirementFields[] = {{"key", &kString}, {"operator", &kString}, {"values", &kStrings}};
constexpr FieldType kRequirement = object(kRequirementFields);
constexpr FieldType kRequirements = list_of(kRequirement);

constexpr Field kLabelSelectorFields[] = {{"matchLabels", &kStringMap}, {"matchExpressions", &kRequirements}};
constexpr FieldType kLabelSelector = object(kLabelSelectorFields);

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

constexpr Field kResourceFields[] = {{"name", &kString}, {"weight", &kInt64}};
constexpr FieldType kResource = object(kResourceFields);
constexpr FieldType kResources = list_of(kResource);
constexpr Field kPointFields[] = {{"utilization", &kInt32}, {"score", &kInt32}};
constexpr FieldType kPoint = object(kPointFields);
constexpr FieldType kShape = list_of(kPoint);
constexpr Field kRatioFields[] = {{"shape", &kShape}};
constexpr FieldType kRatio = object(kRatioFields);
constexpr Field kStrategyFields[] = {
    {"type", &kString}, {"resources", &kResources}, {"requestedToCapacityRatio", &kRatio}};
constexpr FieldType kStrategy = object(kStrategyFields);

// Arguments are objects of the API too, so they may say their kind.
constexpr Field kKind{"kind", &kString};
constexpr Field kApiVersion{"apiVersion", &kString};
constexpr Field kDefaultPreemptionFields[] = {
    kKind, kApiVersion, {"minCandidateNodesPercentage", &kInt32}, {"minCandidateNodesAbsolute", &kInt32}};
constexpr FieldType kDefaultPreemption = object(kDefaultPreemptionFields);
constexpr Field kInterPodAffinityFields[] = {
    kKind, kApiVersion, {"hardPodAffinityWeight", &kInt32}, {"ignorePreferredTermsOfExistingPods", &kBool}};
constexpr FieldType kInterPodAffinity = object(kInterPodAffinityFields);
constexpr Field kFitFields[] = {kKind,
                                kApiVersion,
                                {"ignoredResources", &kStrings},
                                {"ignoredResourceGroups", &kStrings},
                                {"scoringStrategy", &kStrategy}};
constexpr FieldType kFit = object(kFitFields);
constexpr Field kTopologySpreadFields[] = {
    kKind, kApiVersion, {"defaultConstraints", &kConstraints}, {"defaultingType", &kString}};
constexpr FieldType kTopologySpread = object(kTopologySpreadFields);
constexpr Field kBalancedFields[] = {kKind, kApiVersion, {"resources", &kResources}};
constexpr FieldType kBalanced = object(kBalancedFields);
constexpr Field kVolumeBindingFields[] = {
    kKind, kApiVersion, {"bindTimeoutSeconds", &kInt64}, {"shape", &kShape}};
constexpr FieldType kVolumeBinding = object(kVolumeBindingFields);
constexpr Field kNodeAffinityArgsFields[] = {kKind, kApiVersion, {"addedAffinity", &kNodeAffinity}};
constexpr FieldType kNodeAffinityArgs = object(kNodeAffinityArgsFields);
constexpr Field kDynamicResourcesFields[] = {
    kKind, kApiVersion, {"filterTimeout", &kOptionalDuration}, {"bindingTimeout", &kOptionalDuration}};
constexpr FieldType kDynamicResources = object(kDynamicResourcesFields);

constexpr Field kPluginArgs[] = {
    {"DefaultPreemption", &kDefaultPreemption},      {"DynamicResources", &kDynamicResources},
    {"InterPodAffinity", &kInterPodAffinity},        {"NodeAffinity", &kNodeAffinityArgs},
    {"NodeResourcesBalancedAllocation", &kBalanced}, {"NodeResourcesFit", &kFit},
    {"PodTopologySpread", &kTopologySpread},         {"VolumeBinding", &kVolumeBinding},
};

constexpr Field kPluginFields[] = {{"name", &kString}, {"weight", &kInt32}};
constexpr FieldType kPlugin = object(kPluginFields);
constexpr FieldType kPluginList = list_of(kPlugin);
constexpr Field kPluginSetFields[] = {{"enabled", &kPluginList}, {"disabled", &kPluginList}};
constexpr FieldType kPluginSet = object(kPluginSetFields);
constexpr Field kPluginsFields[] = {{"preEnqueue", &kPluginSet},     {"queueSort", &kPluginSet},
                                    {"preFilter", &kPluginSet},      {"filter", &kPluginSet},
                                    {"postFilter", &kPluginSet},     {"preScore", &kPluginSet},
                                    {"score", &kPluginSet},          {"reserve", &kPluginSet},
                                    {"permit", &kPluginSet},         {"preBind", &kPluginSet},
                                    {"bind", &kPluginSet},           {"postBind", &kPluginSet},
                                    {"multiPoint", &kPluginSet},     {"placementGenerate", &kPluginSet},
                                    {"placementScore", &kPluginSet}, {"podGroupPostFilter", &kPluginSet}};
constexpr FieldType kPlugins = object(kPluginsFields);
constexpr Field kPluginConfigFields[] = {{"name", &kString}, {"args", &kAnything}};
constexpr FieldType kPluginConfig = object(kPluginConfigFields);
constexpr FieldType kPluginConfigs = list_of(kPluginConfig);
constexpr Field kProfileFields[] = {{"schedulerName", &kString},
                                    {"percentageOfNodesToScore", &kInt32},
                                    {"plugins", &kPlugins},
                                    {"pluginConfig", &kPluginConfigs}};
constexpr FieldType kProfile = object(kProfileFields);
constexpr FieldType kProfiles = list_of(kProfile);

constexpr Field kManagedResourceFields[] = {{"name", &kString}, {"ignoredByScheduler", &kBool}};
constexpr FieldType kManagedResource = object(kManagedResourceFields);
constexpr FieldType kManagedResources = list_of(kManagedResource);
constexpr Field kTlsFields[] = {{"insecure", &kBool},  {"serverName", &kString}, {"certFile", &kString},
                                {"keyFile", &kString}, {"caFile", &kString},     {"certData", &kBytes},
                                {"keyData", &kBytes},  {"caData", &kBytes}};
constexpr FieldType kTls = object(kTlsFields);
constexpr Field kExtenderFields[] = {{"urlPrefix", &kString},
                                     {"filterVerb", &kString},
                                     {"preemptVerb", &kString},
                                     {"prioritizeVerb", &kString},
                                     {"weight", &kInt64},
                                     {"bindVerb", &kString},
                                     {"enableHTTPS", &kBool},
                                     {"tlsConfig", &kTls},
                                     {"httpTimeout", &kDuration},
                                     {"nodeCacheCapable", &kBool},
                                     {"managedResources", &kManagedResources},
                                     {"ignorable", &kBool}};
constexpr FieldType kExtender = object(kExtenderFields);
constexpr FieldType kExtenders = list_of(kExtender);

constexpr Field kLeaderElectionFields[] = {{"leaderElect", &kBool},        {"leaseDuration", &kDuration},
                                           {"renewDeadline", &kDuration},  {"retryPeriod", &kDuration},
                                           {"resourceLock", &kString},     {"resourceName", &kString},
                                           {"resourceNamespace", &kString}};
constexpr FieldType kLeaderElection = object(kLeaderElectionFields);
constexpr Field kClientConnectionFields[] = {{"kubeconfig", &kString},
                                             {"acceptContentTypes", &kString},
                                             {"contentType", &kString},
                                             {"qps", &kFloat32},
                                             {"burst", &kInt32}};
constexpr FieldType kClientConnection = object(kClientConnectionFields);
constexpr Field kConfigFields[] = {kKind,
                                   kApiVersion,
                                   {"parallelism", &kInt32},
                                   {"leaderElection", &kLeaderElection},
                                   {"clientConnection", &kClientConnection},
                                   {"enableProfiling", &kBool},
                                   {"enableContentionProfiling", &kBool},
                                   {"percentageOfNodesToScore", &kInt32},
                                   {"podInitialBackoffSeconds", &kInt64},
                                   {"podMaxBackoffSeconds", &kInt64},
                                   {"profiles", &kProfiles},
                                   {"extenders", &kExtenders},
                                   {"delayCacheUntilActive", &kBool}};
constexpr FieldType kConfig = object(kConfigFields);

std::string_view text_of(const Reader& reader) {
  return {reader.value().GetString(), reader.value().GetStringLength()};
}

template <class T>
bool reads_as(const Reader& reader) {
  T ignored{};
  return read_value(reader, ignored);
}

bool check_float(const Reader& reader) {
  if (!reader.value().IsNumber()) return reader.fail("a number");
  return std::isfinite(static_cast<float>(reader.value().GetDouble())) || reader.fail("a 32-bit number");
}

bool check_duration(const Reader& reader) {
  if (!reader.is_null() && !reader.value().IsString()) return reader.fail("a duration as a string");
  if (!reader.is_null() && parse_go_duration(text_of(reader))) return true;
  return reader.fail("a duration, like \"15s\" or \"1m30s\"");
}

/// Go's base64.StdEncoding: ends of lines are passed over, padding is not.
bool is_base64(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char c) { return c != '\r' && c != '\n'; });
  if (kept.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2 && kept.ends_with('='); ++padding) kept.pop_back();
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return kept.find_first_not_of(kDigits) == std::string::npos;
}

/// Go takes the bytes one by one too.
bool check_byte_list(const Reader& reader) {
  return reader.for_each_element([](const Reader& byte) {
    return byte.is_null() || (byte.value().IsUint() && byte.value().GetUint() < 256) || byte.fail("a byte");
  });
}

bool check_bytes(const Reader& reader) {
  if (reader.value().IsArray()) return check_byte_list(reader);
  if (!reader.value().IsString()) return reader.fail("a string in base64");
  return is_base64(text_of(reader)) || reader.complain("not base64");
}

bool check_twice(const Reader& member, std::string_view key, std::vector<std::string_view>& seen) {
  if (std::ranges::find(seen, key) != seen.end()) return member.complain("the field is there twice");
  seen.push_back(key);
  return true;
}

bool check_object(const Reader& reader, const FieldType& type) {
  std::vector<std::string_view> seen;
  return reader.for_each_member([&](std::string_view key, const Reader& member) {
    const auto field = std::ranges::find(type.fields, key, &Field::name);
    if (field == type.fields.end()) {
      std::vector<std::string_view> names;
      for (const Field& known : type.fields) names.push_back(known.name);
      if (const auto moved = moved_field(key); &type == &kConfig && !moved.empty())
        return member.complain(std::format("unknown field ({})", moved));
      return member.complain("unknown field" + did_you_mean(key, names));
    }
    return check_twice(member, key, seen) && check_fields(member, *field->type);
  });
}

bool check_map(const Reader& reader) {
  std::vector<std::string_view> seen;
  return reader.for_each_member([&](std::string_view key, const Reader& member) {
    return check_twice(member, key, seen) && (member.is_null() || reads_as<std::string>(member));
  });
}

}  // namespace

const FieldType& scheduler_config_type() { return kConfig; }

const FieldType* plugin_args_type(std::string_view plugin) {
  const auto known = std::ranges::find(kPluginArgs, plugin, &Field::name);
  return known == std::end(kPluginArgs) ? nullptr : known->type;
}

bool check_fields(const Reader& value, const FieldType& type) {
  if (type.kind == FieldKind::kDuration) return check_duration(value);
  if (value.is_null()) return true;
  switch (type.kind) {
    case FieldKind::kObject:
      return check_object(value, type);
    case FieldKind::kList:
      return value.for_each_element(
          [&](const Reader& element) { return check_fields(element, *type.element); });
    case FieldKind::kStringMap:
      return check_map(value);
    case FieldKind::kString:
      return reads_as<std::string>(value);
    case FieldKind::kBool:
      return reads_as<bool>(value);
    case FieldKind::kInt32:
      return reads_as<std::int32_t>(value);
    case FieldKind::kInt64:
      return reads_as<std::int64_t>(value);
    case FieldKind::kFloat32:
      return check_float(value);
    case FieldKind::kDuration:
    case FieldKind::kOptionalDuration:
      return check_duration(value);
    case FieldKind::kBytes:
      return check_bytes(value);
    case FieldKind::kAnything:
      return true;
  }
  return true;
}

}  // namespace winnow
