#include "extender/config/scheduler_setup.h"

#include <algorithm>
#include <optional>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "extender/config/config_document.h"
#include "extender/config/config_release.h"
#include "extender/config/extenders.h"
#include "extender/config/plugin_table.h"
#include "extender/config/profile.h"
#include "extender/config/removed_plugins.h"
#include "extender/config/scheduler_config.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kDefaultTimeout{5};
constexpr std::string_view kPreemption = "DefaultPreemption";

std::chrono::nanoseconds timeout_of(const Reader& extender) {
  std::string text;
  extender.read("httpTimeout", text);
  const std::int64_t written = parse_go_duration(text).value_or(0);
  return written == 0 ? kDefaultTimeout : std::chrono::nanoseconds(written);
}

bool has_text(const Reader& r, std::string_view field) {
  std::string text;
  r.read(field, text);
  return !text.empty();
}

ExtenderStanza read_stanza(const Reader& r, std::string path) {
  ExtenderStanza stanza{.path = std::move(path)};
  r.read("urlPrefix", stanza.url_prefix);
  r.read("filterVerb", stanza.filter_verb);
  r.read("prioritizeVerb", stanza.prioritize_verb);
  r.read("preemptVerb", stanza.preempt_verb);
  r.read("bindVerb", stanza.bind_verb);
  r.read("weight", stanza.weight);
  r.read("nodeCacheCapable", stanza.node_cache_capable);
  r.read("ignorable", stanza.ignorable);
  stanza.timeout = timeout_of(r);
  r.within("tlsConfig", [&](const Reader& tls) {
    stanza.names_authority = has_text(tls, "caFile") || has_text(tls, "caData");
    stanza.shows_certificate = has_text(tls, "certFile") || has_text(tls, "certData");
    return true;
  });
  r.for_each_in("managedResources", [&](const Reader& resource) {
    return resource.is_null() || resource.read("name", stanza.managed_resources.emplace_back());
  });
  return stanza;
}

std::int64_t min_candidates_of(const Profile& profile) {
  std::int64_t percentage = 10;
  const auto config = std::ranges::find(profile.configs, kPreemption, &ConfiguredPlugin::name);
  if (config == profile.configs.end() || config->written == nullptr) return percentage;
  std::string unused;
  Reader(*config->written, nullptr, unused).read("minCandidateNodesPercentage", percentage);
  return percentage;
}

/// Reads a file that load_scheduler_config() has accepted.
class SetupReader {
 public:
  explicit SetupReader(const rapidjson::Value& root) : root_(root, nullptr, error_) {}

  std::expected<SchedulerSetup, std::string> read() {
    std::size_t index = 0;
    root_.for_each_in("extenders", [&](const Reader& r) {
      const std::string path = element("extenders", index++);
      if (!r.is_null()) setup_.extenders.push_back(read_stanza(r, path));
      return true;
    });
    root_.read("percentageOfNodesToScore", percentage_);
    read_percentages();
    auto extenders = read_extenders(root_);
    if (!extenders) return std::unexpected(std::move(extenders).error());
    auto profiles = winnow::read_profiles(root_, today_release(), extenders->ignored_resources, error_);
    if (!profiles) return std::unexpected(std::move(profiles).error());
    for (const Profile& profile : *profiles)
      if (auto good = add(profile); !good) return std::unexpected(std::move(good).error());
    return std::move(setup_);
  }

 private:
  void read_percentages() {
    root_.for_each_in("profiles", [&](const Reader& profile) {
      std::optional<std::int64_t>& own = own_percentages_.emplace_back();
      if (!profile.is_null()) profile.read("percentageOfNodesToScore", own);
      return true;
    });
  }

  FieldResult add(const Profile& profile) {
    if (auto good = check_not_removed(profile); !good) return good;
    auto resolved = resolve_plugins(profile.plugins, child(profile.path, "plugins"), *profile.release);
    if (!resolved) return std::unexpected(std::move(resolved).error());
    const std::size_t index = setup_.profiles.size();
    SchedulerProfile& made = setup_.profiles.emplace_back();
    made.path = profile.path;
    made.scheduler_name = profile.scheduler_name;
    made.percentage = percentage_;
    if (index < own_percentages_.size()) made.percentage = own_percentages_[index].value_or(percentage_);
    made.min_candidate_percentage = min_candidates_of(profile);
    for (const std::string& name : (*resolved)[Point::kScore])
      if (const auto weight = resolved->weights.find(name); weight != resolved->weights.end())
        made.score_weights += weight->second;
    made.plugins = std::move(resolved->at);
    return {};
  }

  std::string error_;
  Reader root_;
  std::int64_t percentage_ = 0;
  std::vector<std::optional<std::int64_t>> own_percentages_;
  SchedulerSetup setup_;
};

}  // namespace

bool SchedulerProfile::runs(std::string_view plugin, Point point) const {
  const std::vector<std::string>& there = plugins[static_cast<std::size_t>(point)];
  return std::ranges::find(there, plugin) != there.end();
}

std::vector<std::string_view> SchedulerProfile::disabled_filters() const {
  std::vector<std::string_view> names;
  for (const PluginRow& row : plugin_rows())
    if (row.kind == PluginKind::kInBoth && row.points.has(Point::kFilter) && !runs(row.name, Point::kFilter))
      names.push_back(row.name);
  return names;
}

namespace {

/// The error for a Policy, which is not kube-scheduler's file any more; "": it is none.
std::string_view policy_error(const ConfigDocument& document) {
  const rapidjson::Value& root = document.root();
  if (document.generation() == Generation::kToday || !root.IsObject()) return {};
  const bool is_policy =
      string_at(root, "kind") == "Policy" || root.HasMember("predicates") || root.HasMember("priorities");
  return is_policy
             ? "a Policy, which Winnow takes for its rules (--config), and kube-scheduler not since 1.23; "
               "expected the KubeSchedulerConfiguration that kube-scheduler's --config names"
             : "";
}

std::expected<SchedulerSetup, std::string> read_setup(ConfigDocument& document) {
  if (auto first = document.first(Merges::kStrict); !first) return std::unexpected(std::move(first).error());
  if (const auto wrong = policy_error(document); !wrong.empty()) return std::unexpected(std::string(wrong));
  if (auto served = check_served(document.root()); !served) return std::unexpected(std::move(served).error());
  // No gate matters: a file that is served names no Policy.
  if (auto sound = load_scheduler_config(document, {}); !sound)
    return std::unexpected(std::move(sound).error());
  return SetupReader(document.root()).read();
}

}  // namespace

std::expected<SchedulerSetup, std::string> read_scheduler_setup(ConfigDocument& document) {
  return read_setup(document).transform_error(
      [](const std::string& line) { return one_line(line, kMostLineBytes); });
}

std::expected<SchedulerSetup, std::string> read_scheduler_setup(std::string_view text) {
  ConfigDocument document(text);
  return read_scheduler_setup(document);
}

}  // namespace winnow
