// The kind, group and version of the configuration files that kube-scheduler reads.
#pragma once

#include <string_view>

namespace winnow {

inline constexpr std::string_view kSchedulerConfigKind = "KubeSchedulerConfiguration";
inline constexpr std::string_view kSchedulerConfigGroup = "kubescheduler.config.k8s.io/";
inline constexpr std::string_view kSchedulerConfigVersion = "v1";

}  // namespace winnow
