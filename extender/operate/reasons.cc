#include "extender/operate/reasons.h"

#include <array>
#include <format>

#include "extender/config/plugin_table.h"
#include "extender/operate/config_merger.h"
#include "extender/operate/setup_check.h"
#include "extender/operate/yaml_diff.h"
#include "predicates/records.h"

namespace winnow {
namespace {

/// Whether kube-scheduler keeps kKeptFilters on.
bool keeps_filters(const MadeFor& file) {
  return file.way != DeploymentMode::kBest || (file.release < kAsksAboutAll && !file.no_filters);
}

}  // namespace

std::string_view shipped_file(const MadeFor& file) {
  switch (file.way) {
    case DeploymentMode::kNominate:
      break;
    case DeploymentMode::kScores:
      return kShippedScores;
    case DeploymentMode::kEverything:
      return kShippedEverything;
    case DeploymentMode::kBest:
      return file.no_filters ? kShippedBestNoFilters : keeps_filters(file) ? kShippedBest : kShippedBest138;
  }
  return {};
}

std::vector<std::string> flags_of(const MadeFor& file) {
  if (file.way == DeploymentMode::kNominate) return {"--nominate"};
  std::string filters = "--scheduler-filters=";
  for (const std::string_view plugin : kKeptFilters)
    filters.append(plugin == kKeptFilters.front() ? "" : ",").append(plugin);
  if (file.way != DeploymentMode::kBest) return {"--answer=one", filters};
  if (!keeps_filters(file)) return {"--answer=best", "--failed-nodes=judged", "--bind-address=127.0.0.1"};
  return {"--answer=best", filters, "--bind-address=127.0.0.1"};
}

StartFlags start_flags_of(const MadeFor& file) {
  StartFlags flags{.answer = AnswerMode::kOne,
                   .scheduler_filters = {kKeptFilters.begin(), kKeptFilters.end()}};
  if (file.way != DeploymentMode::kBest) return flags;
  flags.answer = AnswerMode::kBest;
  flags.bind_address = "127.0.0.1";
  if (!keeps_filters(file)) flags.scheduler_filters.clear();
  return flags;
}

// One row for each setting. The manifests say more on each.

namespace {

constexpr std::string_view kScorers = "Winnow scores in their place";
constexpr std::string_view kVictims = "victims by Winnow's rules, too: it refuses other nodes later";
constexpr std::string_view kWaits = "while Winnow is down, pods wait: hardly a rule would be kept";
constexpr std::string_view kNames = "names, not whole nodes: Winnow knows the cluster";
constexpr std::string_view kListens = "where Winnow listens";
constexpr std::string_view kAsked = "whom kube-scheduler asks";
constexpr std::string_view kLeft = "what kube-scheduler leaves to Winnow";
constexpr std::string_view kPreempts = "of the plugin that preempts";
constexpr std::string_view kCandidates = "all nodes where an eviction might help, not a tenth of them";
constexpr std::string_view kProfile = "the profile that kube-scheduler has by default";

/// A setting, and why each way has it as it has.
struct Row {
  std::string_view path;
  std::string_view scores, everything, best;

  constexpr std::string_view of(DeploymentMode way) const {
    return way == DeploymentMode::kScores ? scores : way == DeploymentMode::kEverything ? everything : best;
  }
};

constexpr auto kRows = std::to_array<Row>({
    {"extenders", kAsked, kAsked, kAsked},
    {"extenders.urlPrefix", kListens, kListens, kListens},
    {"extenders.filterVerb", "", "Winnow says which nodes fit", "Winnow names the one best node"},
    {"extenders.prioritizeVerb", "Winnow scores the nodes", "Winnow scores the nodes",
     "not called while filter answers one node"},
    {"extenders.preemptVerb", "preemption is kube-scheduler's own", kVictims, kVictims},
    {"extenders.bindVerb", "kube-scheduler binds", "kube-scheduler binds",
     "kube-scheduler binds, which costs less than a bind by Winnow"},
    {"extenders.weight", "10 of Winnow's is more than all plugins together", "the only scores there are",
     "the only scores there are"},
    {"extenders.nodeCacheCapable", kNames, kNames, kNames},
    {"extenders.httpTimeout", "an answer that is later is none", "an answer that is later is none",
     "an answer that is later is none; a bind by Winnow would take longer"},
    {"extenders.ignorable", "while Winnow is down, kube-scheduler goes on alone", kWaits, kWaits},
    {"profiles", "", kProfile, kProfile},
    {"profiles.plugins", "", kLeft, kLeft},
    {"profiles.plugins.preScore", "", kScorers, kScorers},
    {"profiles.plugins.score", "", kScorers, kScorers},
    {"profiles.pluginConfig", "", kPreempts, kPreempts},
    {"profiles.pluginConfig.args", "", kCandidates, kCandidates},
});

/// The row of the path, or of the nearest one above it.
const Row* find_row(std::string_view path) {
  while (true) {
    for (const Row& row : kRows)
      if (row.path == path) return &row;
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    path = path.substr(0, dot);
  }
}

/// Why a filter plugin is off: `Winnow checks host ports`.
std::string why_off(const MadeFor& file, std::string_view plugin) {
  if (plugin == "VolumeBinding") return "no StorageClass of the cluster binds late";
  if (plugin == "DynamicResources") return "no pod of the cluster has resource claims";
  const predicates::Record* const row = predicates::find_plugin(plugin);
  if (row == nullptr) return {};
  const std::string_view checks = row->checks;
  predicates::TurnedByEviction* const turned = row->turned_by_eviction;
  std::string why = "Winnow checks " + std::string(checks);
  // Up to 1.37 preemption knows the plugins alone that kube-scheduler runs.
  if (file.way == DeploymentMode::kBest && file.release < kAsksAboutAll && turned != nullptr)
    why += "; no pod preempts for it";
  return why;
}

/// The name in `{name: NodePorts}`.
std::string_view plugin_of(std::string_view value) {
  constexpr std::string_view kBefore = "{name: ";
  if (!value.starts_with(kBefore) || !value.ends_with('}')) return {};
  value.remove_prefix(kBefore.size());
  return value.substr(0, value.find_first_of(",}"));
}

/// Why a plugin that the file enables is there no more.
std::string why_gone(std::string_view plugin) {
  if (plugin.empty() || find_plugin_row(plugin) != nullptr) return "one of Winnow's rules";
  return std::format("Winnow has no rule {}: nothing scores by it any more", plugin);
}

}  // namespace

std::string reason_for(const MadeFor& file, std::string_view path, LineIn in, std::string_view value) {
  if (in == LineIn::kOld && path.contains(".enabled")) return why_gone(plugin_of(value));
  if (path == "extenders.weight" && file.others_score && file.way == DeploymentMode::kEverything)
    return "beside it only the other extenders' scores count";
  if (std::string why = why_off(file, plugin_of(value)); !why.empty()) return why;
  const Row* const row = find_row(path);
  return row == nullptr ? std::string() : std::string(row->of(file.way));
}

}  // namespace winnow
