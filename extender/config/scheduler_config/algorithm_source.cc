#include "extender/config/scheduler_config/algorithm_source.h"

#include <format>
#include <string_view>

#include "extender/config/common/field_error.h"

namespace winnow {
namespace {

constexpr std::string_view kAlgorithmSource = "algorithmSource";
constexpr std::string_view kProviders[] = {"DefaultProvider", "ClusterAutoscalerProvider"};

struct Written {
  std::optional<std::string> provider;
  bool policy = false;
  bool config_map = false;
  std::optional<std::string> path;
};

Written read(const Reader& config) {
  Written written;
  config.within(kAlgorithmSource, [&](const Reader& source) {
    source.read("provider", written.provider);
    return source.within("policy", [&](const Reader& policy) {
      written.policy = true;
      written.config_map = policy.has("configMap");
      return policy.within("file",
                           [&](const Reader& file) { return file.read("path", written.path.emplace()); });
    });
  });
  return written;
}

/// A Policy allows no plugins beside it.
FieldResult check_alone(const Reader& config) {
  bool any_config = false;
  config.for_each_in("pluginConfig", [&](const Reader&) { return any_config = true; });
  const std::string_view beside = config.has("plugins") ? "plugins"
                                  : any_config          ? "pluginConfig"
                                  : config.has("hardPodAffinitySymmetricWeight")
                                      ? "hardPodAffinitySymmetricWeight"
                                      : "";
  if (beside.empty()) return {};
  return forbidden(beside, "may not be beside algorithmSource.policy, which has the rules");
}

}  // namespace

std::expected<AlgorithmSource, std::string> read_algorithm_source(const Reader& config) {
  Written written = read(config);
  if (!written.policy) {
    const std::string name = written.provider.value_or("");
    const ConfigRelease* const release = find_provider(name.empty() ? kProviders[0] : name);
    if (release == nullptr) return unsupported(child(kAlgorithmSource, "provider"), name, kProviders);
    return AlgorithmSource{.release = release};
  }
  if (written.provider) {  // It counts, and the Policy does not.
    const ConfigRelease* const release = find_provider(*written.provider);
    if (release == nullptr)
      return unsupported(child(kAlgorithmSource, "provider"), *written.provider, kProviders);
    return AlgorithmSource{.release = release};
  }
  if (auto good = check_alone(config); !good) return std::unexpected(std::move(good).error());
  if (!written.path && written.config_map)
    return std::unexpected(std::format(
        "{}.policy.configMap: a ConfigMap is not read: save its policy.cfg as a file, and name it "
        "as algorithmSource.policy.file.path",
        kAlgorithmSource));
  return AlgorithmSource{.release = find_release("v1alpha1"), .is_policy = true, .policy_path = written.path};
}

}  // namespace winnow
