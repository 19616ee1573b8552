#include "extender/config/config_release.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "cluster/rule/default_profile.h"
#include "cluster/rule/expression_args.h"
#include "extender/config/plugin_table.h"

namespace winnow {
namespace {

/// Upstream: conflictScorePluginsByVersion of validation.go v1.22.17.
constexpr std::string_view kNotBesideFit[] = {"NodeResourcesLeastAllocated", "NodeResourcesMostAllocated",
                                              "RequestedToCapacityRatio"};

constexpr OfV118 kOfV1Alpha1 = {
    .plugins_read_args = true, .one_profile = true, .post_filter_is_pre_score = true};

/// v1.18.20.
ConfigRelease alpha(std::string_view version, const FieldType& fields, OfV118 of_118,
                    std::span<const DefaultSet> defaults) {
  return {.version = version,
          .release = "1.18",
          .fields = fields,
          .plugins = plugins_of(Release::k1_18),
          .defaults = defaults,
          .merging = {.replaces = false, .keeps_disabled = false},
          .settings = {.lease_may_equal_renewal = true, .any_lock = true, .addresses = BindAddresses::kAny},
          .of_118 = of_118};
}

/// Newest first. Upstream: default_plugins.go, defaults.go and validation.go below pkg/scheduler/apis/config.
std::span<const ConfigRelease> releases() {
  static const std::array<ConfigRelease, 6> kReleases = {{
      {.version = kSchedulerConfigVersion,  // v1.37.2
       .release = "1.37",
       .fields = kConfigV1,
       .plugins = plugin_rows(),
       .defaults = default_profile(Release::k1_37)},
      {.version = "v1beta3",  // v1.28.15
       .release = "1.28",
       .fields = kConfigV1Beta3,
       .plugins = plugins_of(Release::k1_28),
       .defaults = default_profile(Release::k1_28),
       .merging = {.drops_pre_enqueue = true},
       .settings = {.old_locks = true}},
      {.version = "v1beta2",  // v1.27.16
       .release = "1.27",
       .fields = kConfigV1Beta2,
       .plugins = plugins_of(Release::k1_27),
       .defaults = default_profile(Release::k1_27),
       .merging = {.keeps_disabled = false, .drops_pre_enqueue = true, .drops_multi_point = true},
       .settings = {.addresses = BindAddresses::kZeroPort}},
      {.version = "v1beta1",  // v1.22.17
       .release = "1.22",
       .fields = kConfigV1Beta1,
       .plugins = plugins_of(Release::k1_22),
       .defaults = default_profile(Release::k1_22),
       .merging = {.replaces = false, .keeps_disabled = false},
       .settings = {.lease_may_equal_renewal = true, .any_lock = true, .addresses = BindAddresses::kAny},
       .not_beside_fit = kNotBesideFit},
      alpha("v1alpha2", kConfigV1Alpha2, {.plugins_read_args = true}, default_profile(Release::k1_18)),
      alpha("v1alpha1", kConfigV1Alpha1, kOfV1Alpha1, default_profile(Release::k1_18)),
  }};
  return kReleases;
}

}  // namespace

const ConfigRelease* find_release(std::string_view version) {
  const auto found = std::ranges::find(releases(), version, &ConfigRelease::version);
  return found == releases().end() ? nullptr : &*found;
}

const ConfigRelease& today_release() { return releases().front(); }

const ConfigRelease* find_provider(std::string_view name) {
  static const ConfigRelease kAutoscaler =
      alpha("v1alpha1", kConfigV1Alpha1, kOfV1Alpha1, autoscaler_profile());
  if (name == "ClusterAutoscalerProvider") return &kAutoscaler;
  return name == "DefaultProvider" ? find_release("v1alpha1") : nullptr;
}

std::string_view field_of(const ConfigRelease& release, Point point) {
  if (release.of_118.post_filter_is_pre_score) {
    if (point == Point::kPreScore) return name_of(Point::kPostFilter).field;
    if (point == Point::kPostFilter) return {};
  }
  return name_of(point).field;
}

bool is_plugin_of_any_release(std::string_view name) {
  return std::ranges::any_of(releases(), [&](const ConfigRelease& release) {
    const PluginRow* const plugin = find_plugin(release, name);
    return plugin != nullptr && plugin->kind != PluginKind::kInWinnow;
  });
}

const PluginRow* find_plugin(const ConfigRelease& release, std::string_view name) {
  // A rule of the user's own has a name of the user's own.
  if (name.starts_with(kExpressionPrefix) && name.size() > kExpressionPrefix.size())
    name = kExpressionPrefix.substr(0, kExpressionPrefix.size() - 1);
  const auto row = std::ranges::find(release.plugins, name, &PluginRow::name);
  return row == release.plugins.end() ? nullptr : &*row;
}

namespace {

using namespace fields;

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
constexpr Field kBeta3PluginsFields[] = {
    {"preEnqueue", &kPluginSet}, {"queueSort", &kPluginSet},  {"preFilter", &kPluginSet},
    {"filter", &kPluginSet},     {"postFilter", &kPluginSet}, {"preScore", &kPluginSet},
    {"score", &kPluginSet},      {"reserve", &kPluginSet},    {"permit", &kPluginSet},
    {"preBind", &kPluginSet},    {"bind", &kPluginSet},       {"postBind", &kPluginSet},
    {"multiPoint", &kPluginSet}};
constexpr FieldType kBeta3Plugins = object(kBeta3PluginsFields);
constexpr Field kBeta1PluginsFields[] = {
    {"queueSort", &kPluginSet},  {"preFilter", &kPluginSet}, {"filter", &kPluginSet},
    {"postFilter", &kPluginSet}, {"preScore", &kPluginSet},  {"score", &kPluginSet},
    {"reserve", &kPluginSet},    {"permit", &kPluginSet},    {"preBind", &kPluginSet},
    {"bind", &kPluginSet},       {"postBind", &kPluginSet}};
constexpr FieldType kBeta1Plugins = object(kBeta1PluginsFields);
/// Of v1.18.20. In v1alpha1 postFilter is what preScore is now.
constexpr Field kAlpha2PluginsFields[] = {
    {"queueSort", &kPluginSet}, {"preFilter", &kPluginSet}, {"filter", &kPluginSet},
    {"preScore", &kPluginSet},  {"score", &kPluginSet},     {"reserve", &kPluginSet},
    {"permit", &kPluginSet},    {"preBind", &kPluginSet},   {"bind", &kPluginSet},
    {"postBind", &kPluginSet},  {"unreserve", &kPluginSet}};
constexpr FieldType kAlpha2Plugins = object(kAlpha2PluginsFields);
constexpr Field kAlpha1PluginsFields[] = {
    {"queueSort", &kPluginSet},  {"preFilter", &kPluginSet}, {"filter", &kPluginSet},
    {"postFilter", &kPluginSet}, {"score", &kPluginSet},     {"reserve", &kPluginSet},
    {"permit", &kPluginSet},     {"preBind", &kPluginSet},   {"bind", &kPluginSet},
    {"postBind", &kPluginSet},   {"unreserve", &kPluginSet}};
constexpr FieldType kAlpha1Plugins = object(kAlpha1PluginsFields);
constexpr Field kPluginConfigFields[] = {{"name", &kString}, {"args", &kAnything}};
constexpr FieldType kPluginConfig = object(kPluginConfigFields);
constexpr FieldType kPluginConfigs = list_of(kPluginConfig);

constexpr Field kProfileFields[] = {{"schedulerName", &kString},
                                    {"percentageOfNodesToScore", &kInt32},
                                    {"plugins", &kPlugins},
                                    {"pluginConfig", &kPluginConfigs}};
constexpr FieldType kProfile = object(kProfileFields);
constexpr FieldType kProfiles = list_of(kProfile);
constexpr Field kBeta3ProfileFields[] = {
    {"schedulerName", &kString}, {"plugins", &kBeta3Plugins}, {"pluginConfig", &kPluginConfigs}};
constexpr FieldType kBeta3Profile = object(kBeta3ProfileFields);
constexpr FieldType kBeta3Profiles = list_of(kBeta3Profile);
constexpr Field kBeta1ProfileFields[] = {
    {"schedulerName", &kString}, {"plugins", &kBeta1Plugins}, {"pluginConfig", &kPluginConfigs}};
constexpr FieldType kBeta1Profile = object(kBeta1ProfileFields);
constexpr FieldType kBeta1Profiles = list_of(kBeta1Profile);
constexpr Field kAlpha2ProfileFields[] = {
    {"schedulerName", &kString}, {"plugins", &kAlpha2Plugins}, {"pluginConfig", &kPluginConfigs}};
constexpr FieldType kAlpha2Profile = object(kAlpha2ProfileFields);
constexpr FieldType kAlpha2Profiles = list_of(kAlpha2Profile);

constexpr Field kManagedResourceFields[] = {{"name", &kString}, {"ignoredByScheduler", &kBool}};
constexpr FieldType kManagedResource = object(kManagedResourceFields);
constexpr FieldType kManagedResources = list_of(kManagedResource);
constexpr Field kTlsFields[] = {{"insecure", &kBool},  {"serverName", &kString}, {"certFile", &kString},
                                {"keyFile", &kString}, {"caFile", &kString},     {"certData", &kBytes},
                                {"keyData", &kBytes},  {"caData", &kBytes}};
constexpr FieldType kTls = object(kTlsFields);
constexpr Field kReleaseExtenderFields[] = {{"urlPrefix", &kString},
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
constexpr FieldType kExtender = object(kReleaseExtenderFields);
constexpr FieldType kExtenders = list_of(kExtender);

/// Of v1.18.20, where a timeout is a number of nanoseconds.
constexpr Field kAlphaExtenderFields[] = {{"urlPrefix", &kString},
                                          {"filterVerb", &kString},
                                          {"preemptVerb", &kString},
                                          {"prioritizeVerb", &kString},
                                          {"weight", &kInt64},
                                          {"bindVerb", &kString},
                                          {"enableHttps", &kBool},
                                          {"tlsConfig", &kTls},
                                          {"httpTimeout", &kInt64},
                                          {"nodeCacheCapable", &kBool},
                                          {"managedResources", &kManagedResources},
                                          {"ignorable", &kBool}};
constexpr FieldType kAlphaExtender = object(kAlphaExtenderFields);
constexpr FieldType kAlphaExtenders = list_of(kAlphaExtender);

constexpr Field kLeaderElectionFields[] = {{"leaderElect", &kBool},        {"leaseDuration", &kDuration},
                                           {"renewDeadline", &kDuration},  {"retryPeriod", &kDuration},
                                           {"resourceLock", &kString},     {"resourceName", &kString},
                                           {"resourceNamespace", &kString}};
constexpr FieldType kLeaderElection = object(kLeaderElectionFields);
constexpr Field kAlpha1LeaderElectionFields[] = {
    {"leaderElect", &kBool},         {"leaseDuration", &kDuration}, {"renewDeadline", &kDuration},
    {"retryPeriod", &kDuration},     {"resourceLock", &kString},    {"resourceName", &kString},
    {"resourceNamespace", &kString}, {"lockObjectName", &kString},  {"lockObjectNamespace", &kString}};
constexpr FieldType kAlpha1LeaderElection = object(kAlpha1LeaderElectionFields);
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
constexpr Field kBeta3ConfigFields[] = {kKind,
                                        kApiVersion,
                                        {"parallelism", &kInt32},
                                        {"leaderElection", &kLeaderElection},
                                        {"clientConnection", &kClientConnection},
                                        {"enableProfiling", &kBool},
                                        {"enableContentionProfiling", &kBool},
                                        {"percentageOfNodesToScore", &kInt32},
                                        {"podInitialBackoffSeconds", &kInt64},
                                        {"podMaxBackoffSeconds", &kInt64},
                                        {"profiles", &kBeta3Profiles},
                                        {"extenders", &kExtenders}};
constexpr Field kBeta2ConfigFields[] = {kKind,
                                        kApiVersion,
                                        {"parallelism", &kInt32},
                                        {"leaderElection", &kLeaderElection},
                                        {"clientConnection", &kClientConnection},
                                        {"enableProfiling", &kBool},
                                        {"enableContentionProfiling", &kBool},
                                        {"percentageOfNodesToScore", &kInt32},
                                        {"podInitialBackoffSeconds", &kInt64},
                                        {"podMaxBackoffSeconds", &kInt64},
                                        {"profiles", &kBeta3Profiles},
                                        {"extenders", &kExtenders},
                                        {"healthzBindAddress", &kString},
                                        {"metricsBindAddress", &kString}};
constexpr Field kBeta1ConfigFields[] = {kKind,
                                        kApiVersion,
                                        {"parallelism", &kInt32},
                                        {"leaderElection", &kLeaderElection},
                                        {"clientConnection", &kClientConnection},
                                        {"enableProfiling", &kBool},
                                        {"enableContentionProfiling", &kBool},
                                        {"percentageOfNodesToScore", &kInt32},
                                        {"podInitialBackoffSeconds", &kInt64},
                                        {"podMaxBackoffSeconds", &kInt64},
                                        {"profiles", &kBeta1Profiles},
                                        {"extenders", &kExtenders},
                                        {"healthzBindAddress", &kString},
                                        {"metricsBindAddress", &kString}};
constexpr Field kAlpha2ConfigFields[] = {kKind,
                                         kApiVersion,
                                         {"leaderElection", &kLeaderElection},
                                         {"clientConnection", &kClientConnection},
                                         {"healthzBindAddress", &kString},
                                         {"metricsBindAddress", &kString},
                                         {"enableProfiling", &kBool},
                                         {"enableContentionProfiling", &kBool},
                                         {"disablePreemption", &kBool},
                                         {"percentageOfNodesToScore", &kInt32},
                                         {"bindTimeoutSeconds", &kInt64},
                                         {"podInitialBackoffSeconds", &kInt64},
                                         {"podMaxBackoffSeconds", &kInt64},
                                         {"profiles", &kAlpha2Profiles},
                                         {"extenders", &kAlphaExtenders}};

constexpr Field kPolicyPathFields[] = {{"path", &kString}};
constexpr FieldType kPolicyPath = object(kPolicyPathFields);
constexpr Field kConfigMapFields[] = {{"namespace", &kString}, {"name", &kString}};
constexpr FieldType kConfigMap = object(kConfigMapFields);
constexpr Field kPolicySourceFields[] = {{"file", &kPolicyPath}, {"configMap", &kConfigMap}};
constexpr FieldType kPolicy = object(kPolicySourceFields);
constexpr Field kSourceFields[] = {{"policy", &kPolicy}, {"provider", &kString}};
constexpr FieldType kSource = object(kSourceFields);
constexpr Field kAlpha1ConfigFields[] = {kKind,
                                         kApiVersion,
                                         {"schedulerName", &kString},
                                         {"algorithmSource", &kSource},
                                         {"hardPodAffinitySymmetricWeight", &kInt32},
                                         {"leaderElection", &kAlpha1LeaderElection},
                                         {"clientConnection", &kClientConnection},
                                         {"healthzBindAddress", &kString},
                                         {"metricsBindAddress", &kString},
                                         {"enableProfiling", &kBool},
                                         {"enableContentionProfiling", &kBool},
                                         {"disablePreemption", &kBool},
                                         {"percentageOfNodesToScore", &kInt32},
                                         {"bindTimeoutSeconds", &kInt64},
                                         {"podInitialBackoffSeconds", &kInt64},
                                         {"podMaxBackoffSeconds", &kInt64},
                                         {"plugins", &kAlpha1Plugins},
                                         {"pluginConfig", &kPluginConfigs}};

}  // namespace

constexpr FieldType kConfigV1 = object(kConfigFields);
constexpr FieldType kConfigV1Beta3 = object(kBeta3ConfigFields);
constexpr FieldType kConfigV1Beta2 = object(kBeta2ConfigFields);
constexpr FieldType kConfigV1Beta1 = object(kBeta1ConfigFields);
constexpr FieldType kConfigV1Alpha2 = object(kAlpha2ConfigFields);
constexpr FieldType kConfigV1Alpha1 = object(kAlpha1ConfigFields);

}  // namespace winnow
