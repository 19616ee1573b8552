#include "tests/bench/questions.h"

#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow::bench {
namespace {

/// A rule without a row is asked about a plain pod. A classic rule has one kind.
struct Kinds {
  std::string_view rule;
  std::vector<Asked> kinds;
};

const std::vector<Kinds>& kinds_by_rule() {
  static const std::vector<Kinds> kRows = {
      {"MatchNodeSelector", {Asked::kAffinity}},
      {"NodeAffinity", {Asked::kAffinity}},
      {"NodeAffinityPriority", {Asked::kAffinity}},
      {"SelectorSpreadPriority", {Asked::kBigService}},
      {"ImageLocality", {Asked::kImages}},
      {"ImageLocalityPriority", {Asked::kImages}},
      {"EvenPodsSpread", {Asked::kHardSpread}},
      {"EvenPodsSpreadPriority", {Asked::kSoftSpread}},
      {"PodTopologySpread", {Asked::kHardSpread, Asked::kSoftSpread, Asked::kBigService}},
      {"MatchInterPodAffinity", {Asked::kRequiredAntiAffinity}},
      {"InterPodAffinityPriority", {Asked::kPreferredAntiAffinity}},
      {"InterPodAffinity",
       {Asked::kPlain, Asked::kRequiredAntiAffinity, Asked::kPreferredAntiAffinity,
        Asked::kNamespaceSelector}},
  };
  return kRows;
}

/// The disk that the pod has beside, by rule.
struct Disk {
  std::string_view rule;
  VolumeSource source;
};
constexpr Disk kDisks[] = {
    {"VolumeRestrictions", VolumeSource::kGcePersistentDisk},
    {"MaxEBSVolumeCount", VolumeSource::kAwsElasticBlockStore},
    {"EBSLimits", VolumeSource::kAwsElasticBlockStore},
    {"MaxGCEPDVolumeCount", VolumeSource::kGcePersistentDisk},
    {"GCEPDLimits", VolumeSource::kGcePersistentDisk},
    {"MaxAzureDiskVolumeCount", VolumeSource::kAzureDisk},
    {"AzureDiskLimits", VolumeSource::kAzureDisk},
    {"MaxCinderVolumeCount", VolumeSource::kCinder},
    {"CinderLimits", VolumeSource::kCinder},
};

std::vector<Asked> kinds_for(std::string_view rule) {
  for (const Kinds& row : kinds_by_rule())
    if (row.rule == rule) return row.kinds;
  return {Asked::kPlain};
}

template <class Bind, class Record>
std::vector<Case<Bind>> cases_of(std::span<const Record> classic, std::span<const Record> plugins) {
  std::vector<Case<Bind>> cases;
  for (const Record& record : classic)
    if (record.argument == nullptr)
      for (const Asked kind : kinds_for(record.name))
        cases.push_back({record.name, record.bind, false, kind});
  for (const Record& record : plugins)
    for (const Asked kind : kinds_for(record.name)) cases.push_back({record.name, record.bind, true, kind});
  return cases;
}

}  // namespace

std::vector<Case<BindPredicate>> predicate_cases() {
  return cases_of<BindPredicate>(predicates::classic(), predicates::plugins());
}

std::vector<Case<BindPriority>> priority_cases() {
  return cases_of<BindPriority>(priorities::classic(), priorities::plugins());
}

Question::Question(std::string_view rule, const Sample& sample, const ClusterCache& cache, Asked kind)
    : pod(asked_pod(sample, kind)), reader(cache.read()) {
  if (rule == "PodFitsHostPorts" || rule == "NodePorts")
    pod.spec.containers[0].ports.push_back({9039, 9039, "TCP", ""});
  if (rule == "HostName" || rule == "NodeName") pod.spec.node_name = view.node_name(7);
  if (rule == "CheckNodeMemoryPressure") pod.spec.containers[0].resources.requests.clear();
  for (const Disk& disk : kDisks)
    if (disk.rule == rule)
      pod.spec.volumes.push_back({.name = "disk", .source = disk.source, .id = "disk-1"});
}

}  // namespace winnow::bench
