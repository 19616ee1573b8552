#include "predicates/records.h"

#include <algorithm>
#include <iterator>

#include "cluster/api/pod.h"
#include "cluster/rule/default_profile.h"
#include "cluster/rule/record_table.h"
#include "predicates/families.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

/// Upstream's order of evaluation. Upstream: predicates.go predicatesOrdering v1.16.15.
constexpr std::string_view kOrder[] = {"CheckNodeCondition",     "CheckNodeUnschedulable",
                                       "GeneralPredicates",      "HostName",
                                       "PodFitsHostPorts",       "MatchNodeSelector",
                                       "PodFitsResources",       "NoDiskConflict",
                                       "PodToleratesNodeTaints", "PodToleratesNodeNoExecuteTaints",
                                       "CheckNodeLabelPresence", "CheckServiceAffinity",
                                       "MaxEBSVolumeCount",      "MaxGCEPDVolumeCount",
                                       "MaxCSIVolumeCountPred",  "MaxAzureDiskVolumeCount",
                                       "MaxCinderVolumeCount",   "CheckVolumeBinding",
                                       "NoVolumeZoneConflict",   "CheckNodeMemoryPressure",
                                       "CheckNodePIDPressure",   "CheckNodeDiskPressure",
                                       "EvenPodsSpread",         "MatchInterPodAffinity"};

std::size_t classic_place(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(kOrder, name) - std::begin(kOrder));
}

}  // namespace

std::span<const Record> classic() {
  static const std::vector<Record> kAll = sorted_records<Record>(kFamilies, /*classic=*/true, classic_place);
  return kAll;
}

std::span<const Record> plugins() {
  static const std::vector<Record> kAll = sorted_records<Record>(kFamilies, /*classic=*/false, default_place);
  return kAll;
}

const Record* find_classic(std::string_view name) {
  if (name.empty()) return nullptr;
  return find_record_if(classic(), [name](const Record& record) {
    return record.name == name || std::ranges::contains(record.aliases, name);
  });
}

const Record* find_classic_taking(std::string_view argument) {
  const Record* const found = find_record_taking(classic(), argument);
  return found != nullptr ? found : find_record_taking(plugins(), argument);
}

std::vector<std::string_view> classic_names() {
  std::vector<std::string_view> names, older;
  for (const Record& record : classic()) {
    names.push_back(record.name);
    for (const std::string_view alias : record.aliases)
      if (!alias.empty()) older.push_back(alias);
  }
  std::ranges::copy(older, std::back_inserter(names));
  return names;
}

const Record* find_plugin(std::string_view name) { return find_record_named(plugins(), name); }

const Record* find_record(BindPredicate* rule) { return find_record_bound(classic(), plugins(), rule); }

std::unique_ptr<const Predicate> fails(const Request&, const Arguments& arguments) {
  return std::make_unique<ErrorEverywhere>(arguments.get<FailsWith>().error);
}

bool has_volumes(const PodSpec& pod, std::span<const PodSpec* const>) {
  return std::ranges::any_of(pod.volumes, [](const Volume& volume) {
    return volume.source != VolumeSource::kOther && volume.source != VolumeSource::kImage;
  });
}

}  // namespace winnow::predicates
