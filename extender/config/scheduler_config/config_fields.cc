#include "extender/config/scheduler_config/config_fields.h"

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
/// Of v1beta2 too, as all of v1beta1.
constexpr Field kBeta1PluginsFields[] = {
    {"queueSort", &kPluginSet},  {"preFilter", &kPluginSet}, {"filter", &kPluginSet},
    {"postFilter", &kPluginSet}, {"preScore", &kPluginSet},  {"score", &kPluginSet},
    {"reserve", &kPluginSet},    {"permit", &kPluginSet},    {"preBind", &kPluginSet},
    {"bind", &kPluginSet},       {"postBind", &kPluginSet}};
constexpr FieldType kBeta1Plugins = object(kBeta1PluginsFields);
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

}  // namespace

constexpr FieldType kConfigV1 = object(kConfigFields);
constexpr FieldType kConfigV1Beta3 = object(kBeta3ConfigFields);
constexpr FieldType kConfigV1Beta1 = object(kBeta1ConfigFields);

}  // namespace winnow
