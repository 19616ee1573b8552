#include "extender/config/scheduler_config/scheduler_config.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/text/go_quote.h"
#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/near_names.h"
#include "extender/config/common/extenders.h"
#include "extender/config/scheduler_config/args/config_version.h"
#include "extender/config/scheduler_config/config_release.h"
#include "extender/config/scheduler_config/config_schema.h"
#include "extender/config/scheduler_config/profile.h"
#include "extender/config/scheduler_config/profile_removed.h"
#include "extender/config/scheduler_config/scheduler_config_settings.h"
#include "extender/config/scheduler_config/scheduler_config_versions.h"

namespace winnow {
namespace {

constexpr std::string_view kMoreDocuments =
    "only the first of the file's YAML documents is read, as kube-scheduler does";

/// The release that reads the file's version.
std::expected<const ConfigRelease*, std::string> read_head(const rapidjson::Value& root) {
  if (!root.IsObject()) return std::unexpected(std::format("expected a {}", kSchedulerConfigKind));
  const std::string_view version = string_at(root, "apiVersion");
  if (string_at(root, "kind").empty())
    return std::unexpected(std::format("kind: is missing, expected {}", kSchedulerConfigKind));
  if (version.empty())
    return std::unexpected(
        std::format("apiVersion: is missing, expected {}{}", kSchedulerConfigGroup, kSchedulerConfigVersion));
  const bool of_group = version.starts_with(kSchedulerConfigGroup);
  const ConfigRelease* const release =
      of_group ? find_release(version.substr(kSchedulerConfigGroup.size())) : nullptr;
  if (release == nullptr) return std::unexpected("apiVersion: " + version_complaint(version, root));
  const std::string_view kind = string_at(root, "kind");
  if (kind == kSchedulerConfigKind) return release;
  return std::unexpected(std::format("kind: {} is not {}", go_quote(kind), kSchedulerConfigKind));
}

class ConfigLoader {
 public:
  explicit ConfigLoader(const rapidjson::Value& root) : root_(root, nullptr, error_) {}

  std::expected<LoadedRules, std::string> load() {
    const auto release = read_head(root_.value());
    if (!release) return std::unexpected(release.error());
    release_ = *release;
    if (!check_fields(root_, release_->fields)) return std::unexpected(error_);
    if (auto good = check_settings(root_, release_->settings); !good)
      return std::unexpected(std::move(good).error());
    auto extenders = read_extenders(root_);
    if (!extenders) return std::unexpected(std::move(extenders).error());
    extenders_ = std::move(*extenders);
    if (auto good = load_profiles(); !good) return std::unexpected(std::move(good).error());
    if (release_ != &today_release()) loaded_.notes.push_back(version_note(*release_, root_.value()));
    note_extenders();
    return std::move(loaded_);
  }

 private:
  FieldResult load_profiles() {
    auto profiles = read_profiles(root_, *release_, extenders_.ignored_resources, error_);
    if (!profiles) return std::unexpected(std::move(profiles).error());
    for (const Profile& profile : *profiles)
      if (auto good = check_known_then(profile); !good) return good;
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
      loaded_.notes.push_back(std::format(
          "extenders: {} is ignoredByScheduler, so NodeResourcesFit ignores it here as it does there", name));
  }

  std::string error_;
  Reader root_;
  const ConfigRelease* release_ = nullptr;
  ConfiguredExtenders extenders_;
  LoadedRules loaded_;
};

}  // namespace

std::expected<LoadedRules, std::string> load_scheduler_config(std::string_view text) {
  DocumentReader reader(std::string(text), Merges::kStrict);
  rapidjson::Document root;
  if (const auto first = reader.next(root); !first) return std::unexpected(first.error().text());
  // Upstream reads no YAML after the first document. After a JSON value it allows nothing.
  rapidjson::Document more;
  const bool is_json = text.find_first_not_of(" \t\r\n") == text.find('{');
  const auto second = reader.next(more);
  if (is_json && !second) return std::unexpected(second.error().text());
  if (is_json && *second) return std::unexpected("not JSON: something follows the value");
  auto loaded = ConfigLoader(root).load();
  if (loaded && second.value_or(true)) loaded->notes.emplace_back(kMoreDocuments);
  return loaded;
}

}  // namespace winnow
