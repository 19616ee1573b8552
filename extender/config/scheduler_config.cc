#include "extender/config/scheduler_config.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <string_view>
#include <utility>

#include "cluster/text/go_format.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/words.h"
#include "extender/config/config_release.h"
#include "extender/config/config_schema.h"
#include "extender/config/extenders.h"
#include "extender/config/profile.h"
#include "extender/config/removed_plugins.h"
#include "extender/config/scheduler_config_settings.h"
#include "extender/config/v1_18_policy.h"

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

namespace {

constexpr std::string_view kMoreDocuments =
    "only the first of the file's YAML documents is read, as kube-scheduler does";

/// The release that reads the file's version.
std::expected<const ConfigRelease*, std::string> read_head(const ConfigDocument& document) {
  const rapidjson::Value& root = document.root();
  if (!root.IsObject()) return std::unexpected(std::format("expected a {}", kSchedulerConfigKind));
  const std::string_view version = string_at(root, "apiVersion");
  if (string_at(root, "kind").empty())
    return std::unexpected(std::format("kind: is missing, expected {}", kSchedulerConfigKind));
  if (version.empty())
    return std::unexpected(
        std::format("apiVersion: is missing, expected {}{}", kSchedulerConfigGroup, kSchedulerConfigVersion));
  const ConfigRelease* const release = document.release();
  if (release == nullptr) return std::unexpected("apiVersion: " + version_complaint(version, root));
  const std::string_view kind = string_at(root, "kind");
  if (kind == kSchedulerConfigKind) return release;
  return std::unexpected(std::format("kind: {} is not {}", go_quote(kind), kSchedulerConfigKind));
}

class ConfigLoader {
 public:
  ConfigLoader(ConfigDocument& file, const Gates& gates)
      : file_(file), document_(file.root()), gates_(gates), root_(document_, nullptr, error_) {}

  std::expected<LoadedRules, std::string> load() {
    const auto release = read_head(file_);
    if (!release) return std::unexpected(release.error());
    release_ = *release;
    drop_unknown();
    if (!check_fields(root_, release_->fields)) return std::unexpected(error_);
    if (auto good = check_settings(root_, release_->settings); !good)
      return std::unexpected(std::move(good).error());
    if (std::string warning = release_->settings.old_locks ? old_lock_warning(root_) : ""; !warning.empty())
      loaded_.warnings.push_back(std::move(warning));
    auto extenders = read_extenders(root_);
    if (!extenders) return std::unexpected(std::move(extenders).error());
    extenders_ = std::move(*extenders);
    AlgorithmSource source{.release = release_};
    if (release_->of_118.one_profile) {
      auto read = read_algorithm_source(root_);
      if (!read) return std::unexpected(std::move(read).error());
      source = std::move(*read);
      release_ = source.release;
    }
    auto good = source.is_policy ? load_beside(source) : load_profiles();
    if (!good) return std::unexpected(std::move(good).error());
    if (release_ != &today_release()) loaded_.notes.push_back(version_note(*release_, root_.value()));
    note_extenders();
    return std::move(loaded_);
  }

 private:
  /// v1.18 decodes a file of v1alpha1 leniently, if it cannot do so strictly, and the extenders of v1alpha2.
  void drop_unknown() {
    const FieldType& all = release_->fields;
    if (release_->of_118.one_profile) return drop_unknown(document_, all, FieldNames::kExact, "");
    const auto extenders = document_.FindMember("extenders");
    const auto field = std::ranges::find(all.fields, "extenders", &Field::name);
    if (release_->of_118.plugins_read_args && extenders != document_.MemberEnd())
      drop_unknown(extenders->value, *field->type, FieldNames::kAnyCase, "extenders");
  }

  void drop_unknown(rapidjson::Value& value, const FieldType& type, FieldNames names, const char* at) {
    for (const std::string& path : drop_unused(value, document_.GetAllocator(), type, names, at))
      loaded_.warnings.push_back(
          std::format("{}: is not used, as in kube-scheduler {}: it has no such field, or it is there twice",
                      path, release_->release));
  }

  /// Takes the rules of the Policy that the file names.
  FieldResult load_beside(const AlgorithmSource& source) {
    const auto profiles = read_profiles(root_, *release_, {}, error_);
    if (!profiles) return std::unexpected(profiles.error());
    if (auto good = check_profiles(*profiles); !good) return good;
    auto policy = load_policy_beside(source.policy_path, gates_);
    if (!policy) return std::unexpected(std::format("algorithmSource.policy.file.path: {}", policy.error()));
    loaded_.sets = std::move(policy->sets);
    std::ranges::move(policy->notes, std::back_inserter(loaded_.notes));
    std::ranges::move(policy->warnings, std::back_inserter(loaded_.warnings));
    return {};
  }

  FieldResult load_profiles() {
    auto profiles = read_profiles(root_, *release_, extenders_.ignored_resources, error_);
    if (!profiles) return std::unexpected(std::move(profiles).error());
    if (auto good = check_profiles(*profiles); !good) return good;
    // Of an older version's plugins its note says that.
    if (std::string warning = removed_plugins_warning(*profiles);
        !warning.empty() && release_ == &today_release())
      loaded_.warnings.push_back(std::move(warning));
    for (const Profile& profile : *profiles) {
      auto made = make_rules(profile, loaded_.warnings);
      if (!made) return std::unexpected(std::move(made).error());
      made->others_filter |= extenders_.filtering > 1;
      loaded_.sets.push_back(std::move(*made));
    }
    return {};
  }

  void note_extenders() {
    if (std::string note = extenders_note(extenders_.urls); !note.empty())
      loaded_.notes.push_back(std::move(note));
    for (const std::string& name : extenders_.ignored_resources)
      loaded_.notes.push_back(ignored_note(name, "NodeResourcesFit"));
  }

  std::string error_;
  const ConfigDocument& file_;
  rapidjson::Document& document_;
  const Gates& gates_;
  Reader root_;
  const ConfigRelease* release_ = nullptr;
  ConfiguredExtenders extenders_;
  LoadedRules loaded_;
};

}  // namespace

std::expected<LoadedRules, std::string> load_scheduler_config(ConfigDocument& document, const Gates& gates) {
  if (auto good = document.first_for_release(); !good) return std::unexpected(std::move(good).error());
  // Upstream reads no YAML after the first document. After a JSON value it allows nothing.
  const auto& second = document.second();
  if (document.is_json() && second.error) return std::unexpected(*second.error);
  if (document.is_json() && second.is_there) return std::unexpected("not JSON: something follows the value");
  auto loaded = ConfigLoader(document, gates).load();
  if (loaded && (second.is_there || second.error)) loaded->notes.emplace_back(kMoreDocuments);
  return loaded;
}

}  // namespace winnow
