#include "extender/service/metrics/request_series.h"

#include <algorithm>
#include <utility>

#include "extender/engine/ruleset.h"

namespace winnow {
namespace {

using Buckets = prometheus::Histogram::BucketBoundaries;

// 10 µs is a request without nodes, 5 s is kube-scheduler's timeout.
const Buckets kSeconds = {10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3,
                          10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1,    2.5,    5};
const Buckets kNodeCounts = {0, 1, 4, 16, 64, 256, 1024, 4096, 16384};

auto& counters_named(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

auto& histograms_named(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace

RequestSeries::RequestSeries(prometheus::Registry& registry)
    : requests_(counters_named(registry, "winnow_requests_total",
                               "Requests answered; result error is a 200 whose Error kube-scheduler shows.")),
      durations_(histograms_named(registry, "winnow_request_duration_seconds",
                                  "From the last byte of a request to the first of its answer.")),
      passes_(
          histograms_named(registry, "winnow_pass_duration_seconds", "Time in each pass over a request.")),
      nodes_(histograms_named(registry, "winnow_request_nodes", "Nodes that a request asked about.")),
      feasible_(histograms_named(registry, "winnow_feasible_nodes",
                                 "Nodes that a pod was found to fit on, of those asked about.")
                    .Add({}, kNodeCounts)),
      unknown_(counters_named(registry, "winnow_unknown_nodes_total",
                              "Nodes asked about that the picture of the cluster does not have.")
                   .Add({})),
      rejections_(
          counters_named(registry, "winnow_rejections_total", "Nodes rejected, by the rule that did it.")) {}

const VerbSeries* RequestSeries::verb(std::string_view label, bool computes) {
  const MutexLock lock(mutex_);
  const auto known = verbs_.find(label);
  if (known != verbs_.end()) return &known->second;
  const std::string name(label);
  return &verbs_.emplace(name, make(name, computes)).first->second;
}

VerbSeries RequestSeries::make(const std::string& label, bool computes) {
  VerbSeries made;
  made.duration = &durations_.Add({{"verb", label}}, kSeconds);
  for (std::size_t i = 0; i < kResults; ++i)
    made.requests[i] =
        &requests_.Add({{"verb", label}, {"result", std::string(to_string(static_cast<Result>(i)))}});
  if (!computes) return made;
  for (std::size_t i = 0; i < kPasses; ++i)
    made.passes[i] =
        &passes_.Add({{"verb", label}, {"pass", std::string(to_string(static_cast<Pass>(i)))}}, kSeconds);
  made.nodes = &nodes_.Add({{"verb", label}}, kNodeCounts);
  return made;
}

std::shared_ptr<const RuleSeries> RequestSeries::rules(std::span<const std::string> names) {
  auto series = std::make_shared<RuleSeries>();
  for (const std::string& name : names) series->counters.push_back(&rejections_.Add({{"rule", name}}));
  return series;
}

void RequestSeries::observe(const RequestRecord& record) {
  const VerbSeries& verb = *record.verb;
  verb.requests[static_cast<std::size_t>(record.result)]->Increment();
  verb.duration->Observe(record.seconds);
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    const double seconds = record.pass_seconds[pass];
    if (seconds >= 0 && verb.passes[pass] != nullptr) verb.passes[pass]->Observe(seconds);
  }
  if (record.nodes >= 0 && verb.nodes != nullptr) verb.nodes->Observe(static_cast<double>(record.nodes));
  if (record.feasible >= 0) feasible_.Observe(static_cast<double>(record.feasible));
  if (record.unknown_nodes > 0) unknown_.Increment(static_cast<double>(record.unknown_nodes));
  if (record.rules == nullptr) return;
  const std::vector<prometheus::Counter*>& counters = record.rules->counters;
  const std::size_t known = std::min(record.rejected.size(), counters.size());
  for (std::size_t rule = 0; rule < known; ++rule)
    if (record.rejected[rule] > 0) counters[rule]->Increment(record.rejected[rule]);
}

}  // namespace winnow
