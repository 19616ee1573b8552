#include "predicates/records.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "cluster/rule/default_profile.h"
#include "cluster/rule/policy_argument.h"
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

/// The records of classic predicates, or of plugins, in order of their places and then by name.
std::vector<Record> sorted(bool classic, std::size_t (*place)(std::string_view)) {
  std::vector<Record> all;
  for (Records* const family : kFamilies)
    for (const Record& record : family())
      if ((record.origin == RuleOrigin::kClassic) == classic) all.push_back(record);
  std::ranges::stable_sort(
      all, {}, [place](const Record& record) { return std::tuple(place(record.name), record.name); });
  return all;
}

const Record* find_bind(std::span<const Record> records, BindPredicate* rule) {
  const auto found = std::ranges::find(records, rule, &Record::bind);
  return found == records.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Record> classic() {
  static const std::vector<Record> kAll = sorted(/*classic=*/true, classic_place);
  return kAll;
}

std::span<const Record> plugins() {
  static const std::vector<Record> kAll = sorted(/*classic=*/false, default_place);
  return kAll;
}

const Record* find_classic(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto all = classic();
  const auto found = std::ranges::find_if(all, [name](const Record& record) {
    return record.name == name || std::ranges::contains(record.aliases, name);
  });
  return found == all.end() ? nullptr : &*found;
}

const Record* find_classic_taking(std::string_view argument) {
  const auto all = classic();
  const auto found = std::ranges::find_if(
      all, [argument](const Record& record) { return record.argument && record.argument->name == argument; });
  return found == all.end() ? nullptr : &*found;
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

const Record* find_plugin(std::string_view name) {
  const auto all = plugins();
  const auto found = std::ranges::find(all, name, &Record::name);
  return found == all.end() ? nullptr : &*found;
}

const Record* find_record(BindPredicate* rule) {
  const Record* const found = find_bind(classic(), rule);
  return found != nullptr ? found : find_bind(plugins(), rule);
}

std::unique_ptr<const Predicate> fails(const Request&, const Arguments& arguments) {
  return std::make_unique<ErrorEverywhere>(arguments.get<FailsWith>().error);
}

bool has_volumes(const PodSpec& pod, std::span<const PodSpec* const>) {
  return std::ranges::any_of(pod.volumes, [](const Volume& volume) {
    return volume.source != VolumeSource::kOther && volume.source != VolumeSource::kImage;
  });
}

}  // namespace winnow::predicates
