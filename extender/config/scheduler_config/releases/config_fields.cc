#include "extender/config/scheduler_config/releases/config_fields.h"

namespace winnow {
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
constexpr Field kPolicyFields[] = {{"file", &kPolicyPath}, {"configMap", &kConfigMap}};
constexpr FieldType kPolicy = object(kPolicyFields);
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
