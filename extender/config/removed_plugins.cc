#include "extender/config/removed_plugins.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <set>
#include <span>

#include "cluster/text/go_format.h"
#include "cluster/text/json_reader.h"
#include "extender/config/config_release.h"

namespace winnow {
namespace {

struct Removed {
  std::string_view name;
  std::string_view says;
};
constexpr std::string_view kLimitedNow = "was removed, NodeVolumeLimits limits these volumes too";
constexpr Removed kRemovedPlugins[] = {
    {"AzureDiskLimits", kLimitedNow},
    {"CinderLimits", kLimitedNow},
    {"DefaultPodTopologySpread",
     "was renamed SelectorSpread, which was removed in v1: PodTopologySpread with defaultingType System does "
     "its work"},
    {"EBSLimits", kLimitedNow},
    {"GCEPDLimits", kLimitedNow},
    {"NodeLabel", "was removed in v1beta2, NodeAffinity with addedAffinity does its work"},
    {"NodePreferAvoidPods", "was removed in v1beta2, TaintToleration does its work"},
    {"NodeResourceLimits", "was removed in v1beta1"},
    {"NodeResourcesLeastAllocated",
     "was removed in v1beta2, NodeResourcesFit with scoringStrategy.type LeastAllocated does its work"},
    {"NodeResourcesMostAllocated",
     "was removed in v1beta2, NodeResourcesFit with scoringStrategy.type MostAllocated does its work"},
    {"RequestedToCapacityRatio",
     "was removed in v1beta2, NodeResourcesFit with scoringStrategy.type RequestedToCapacityRatio does its "
     "work"},
    {"SelectorSpread", "was removed in v1, PodTopologySpread with defaultingType System does its work"},
    {"ServiceAffinity", "was removed in v1beta2, InterPodAffinity does its work"},
};

const Removed* find_removed(std::string_view name) {
  const auto removed = std::ranges::find(kRemovedPlugins, name, &Removed::name);
  return removed == std::end(kRemovedPlugins) ? nullptr : &*removed;
}

}  // namespace

std::string_view removed_plugin(std::string_view name) {
  const Removed* const removed = find_removed(name);
  return removed == nullptr ? std::string_view() : removed->says;
}

namespace {

constexpr std::string_view kOld[] = {"v1beta3", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1"};

struct Moved {
  std::string_view name;
  std::string_view to;
};
/// Top-level fields.
constexpr Moved kFields[] = {
    {"algorithmSource", "remove it, a Policy is another file (kind: Policy)"},
    {"bindTimeoutSeconds", "now bindTimeoutSeconds in the args of VolumeBinding"},
    {"disablePreemption", "now plugins.postFilter.disabled with DefaultPreemption, in the profile"},
    {"hardPodAffinitySymmetricWeight", "now hardPodAffinityWeight in the args of InterPodAffinity"},
    {"healthzBindAddress", "remove it, the flags --bind-address and --secure-port say that"},
    {"metricsBindAddress", "remove it, the flags --bind-address and --secure-port say that"},
    {"pluginConfig", "now a field of profiles[0]"},
    {"plugins", "now a field of profiles[0]"},
    {"schedulerName", "now a field of profiles[0]"},
};
/// Fields at any depth below.
constexpr Moved kInner[] = {
    {"enableHttps", "now enableHTTPS"},
    {"lockObjectName", "now resourceName"},
    {"lockObjectNamespace", "now resourceNamespace"},
    {"unreserve", "now a part of reserve"},
};

std::string_view find_moved(std::span<const Moved> moved, std::string_view name) {
  const auto found = std::ranges::find(moved, name, &Moved::name);
  return found == moved.end() ? std::string_view() : found->to;
}

/// Collects further changes that the file needs, each once. The reader has bounded the depth.
void collect(const rapidjson::Value& value, std::set<std::string>& changes) {
  if (value.IsArray())
    for (const auto& element : value.GetArray()) collect(element, changes);
  if (!value.IsObject()) return;
  for (const auto& member : value.GetObject()) {
    const std::string_view name = string_of(member.name);
    if (const auto to = find_moved(kInner, name); !to.empty())
      changes.insert(std::format("{}: {}", name, to));
    if (name == "name" && member.value.IsString())
      if (const auto says = removed_plugin(string_of(member.value)); !says.empty())
        changes.insert(std::format("{} {}", string_of(member.value), says));
    collect(member.value, changes);
  }
}

/// The changes that a file of an older version needs: "; what" for each.
std::string changes_of(const rapidjson::Value& root) {
  std::set<std::string> changes;
  for (const auto& member : root.GetObject())
    if (const auto to = moved_field(string_of(member.name)); !to.empty())
      changes.insert(std::format("{}: {}", string_of(member.name), to));
  collect(root, changes);
  std::string text;
  for (const std::string& change : changes) text.append("; ").append(change);
  return text;
}

bool is_old(std::string_view version) {
  return version.starts_with(kSchedulerConfigGroup) &&
         std::ranges::find(kOld, version.substr(kSchedulerConfigGroup.size())) != std::end(kOld);
}

}  // namespace

std::string_view moved_field(std::string_view name) { return find_moved(kFields, name); }

std::string version_complaint(std::string_view version, const rapidjson::Value& root) {
  const std::string served = std::format("{}{}", kSchedulerConfigGroup, kSchedulerConfigVersion);
  if (!is_old(version)) return std::format("{} is not {}", go_quote(version), served);
  return std::format("{} is not served any more: change it to {}{}", go_quote(version), served,
                     changes_of(root));
}

FieldResult check_served(const rapidjson::Value& root) {
  if (!root.IsObject() || string_at(root, "kind") != kSchedulerConfigKind) return {};
  const std::string_view version = string_at(root, "apiVersion");
  if (!is_old(version)) return {};
  return std::unexpected("apiVersion: " + version_complaint(version, root));
}

std::string version_note(const ConfigRelease& release, const rapidjson::Value& root) {
  const auto plugins = root.FindMember("plugins");
  const bool renamed = release.of_118.post_filter_is_pre_score && plugins != root.MemberEnd() &&
                       plugins->value.IsObject() && plugins->value.HasMember("postFilter");
  return std::format(
      "apiVersion: {} is read as kube-scheduler {} read it; a v1 file needs: apiVersion {}{}{}{}",
      release.version, release.release, kSchedulerConfigGroup, kSchedulerConfigVersion, changes_of(root),
      renamed ? "; postFilter: now preScore" : "");
}

}  // namespace winnow
