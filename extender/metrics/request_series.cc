#include "extender/metrics/request_series.h"

#include <algorithm>

namespace winnow {
namespace {

using Buckets = prometheus::Histogram::BucketBoundaries;

// 10 µs is a request that asks about nothing, 5 s is the scheduler's patience.
const Buckets kSeconds = {10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3,
                          10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1,    2.5,    5};
const Buckets kNodeCounts = {0, 1, 4, 16, 64, 256, 1024, 4096, 16384};

/// Verbs that ask about nodes.
constexpr Verb kNodeVerbs[] = {Verb::kFilter, Verb::kPrioritize, Verb::kExplain, Verb::kPreempt};

template <class Enum>
constexpr std::size_t at(Enum value) {
  return static_cast<std::size_t>(value);
}

std::string label(auto value) { return std::string(to_string(value)); }

}  // namespace

RequestSeries::RequestSeries(prometheus::Registry& registry, std::span<const std::string> rules) {
  add_requests(registry);
  add_passes(registry);
  add_nodes(registry);
  rejections_ = &prometheus::BuildCounter()
                     .Name("winnow_rejections_total")
                     .Help("Nodes rejected, by the rule that did it.")
                     .Register(registry);
  rules_ = this->rules(rules);
}

void RequestSeries::add_requests(prometheus::Registry& registry) {
  auto& requests = prometheus::BuildCounter()
                       .Name("winnow_requests_total")
                       .Help("Requests answered; result error is a 200 whose Error kube-scheduler shows.")
                       .Register(registry);
  auto& durations = prometheus::BuildHistogram()
                        .Name("winnow_request_duration_seconds")
                        .Help("From the last byte of a request to the first of its answer.")
                        .Register(registry);
  for (std::size_t verb = 0; verb < kVerbs; ++verb) {
    const std::string name = label(static_cast<Verb>(verb));
    durations_[verb] = &durations.Add({{"verb", name}}, kSeconds);
    for (std::size_t result = 0; result < kResults; ++result) {
      requests_[verb][result] =
          &requests.Add({{"verb", name}, {"result", label(static_cast<Result>(result))}});
    }
  }
}

void RequestSeries::add_passes(prometheus::Registry& registry) {
  auto& passes = prometheus::BuildHistogram()
                     .Name("winnow_pass_duration_seconds")
                     .Help("Time in each pass over a request.")
                     .Register(registry);
  for (const Verb verb : kNodeVerbs) {
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
      passes_[at(verb)][pass] =
          &passes.Add({{"verb", label(verb)}, {"pass", label(static_cast<Pass>(pass))}}, kSeconds);
    }
  }
}

void RequestSeries::add_nodes(prometheus::Registry& registry) {
  auto& nodes = prometheus::BuildHistogram()
                    .Name("winnow_request_nodes")
                    .Help("Nodes that a request asked about.")
                    .Register(registry);
  for (const Verb verb : kNodeVerbs) nodes_[at(verb)] = &nodes.Add({{"verb", label(verb)}}, kNodeCounts);
  feasible_ = &prometheus::BuildHistogram()
                   .Name("winnow_feasible_nodes")
                   .Help("Nodes that a pod was found to fit on, of those asked about.")
                   .Register(registry)
                   .Add({}, kNodeCounts);
  unknown_ = &prometheus::BuildCounter()
                  .Name("winnow_unknown_nodes_total")
                  .Help("Nodes asked about that the picture of the cluster does not have.")
                  .Register(registry)
                  .Add({});
}

std::shared_ptr<const RuleSeries> RequestSeries::rules(std::span<const std::string> names) {
  auto series = std::make_shared<RuleSeries>();
  for (const std::string& name : names) series->counters.push_back(&rejections_->Add({{"rule", name}}));
  return series;
}

void RequestSeries::observe(const RequestRecord& record) {
  const std::size_t verb = at(record.verb);
  requests_[verb][at(record.result)]->Increment();
  durations_[verb]->Observe(record.seconds);
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    const double seconds = record.pass_seconds[pass];
    if (seconds >= 0 && passes_[verb][pass] != nullptr) passes_[verb][pass]->Observe(seconds);
  }
  if (record.nodes >= 0 && nodes_[verb] != nullptr) nodes_[verb]->Observe(static_cast<double>(record.nodes));
  if (record.feasible >= 0) feasible_->Observe(static_cast<double>(record.feasible));
  if (record.unknown_nodes > 0) unknown_->Increment(static_cast<double>(record.unknown_nodes));
  const std::vector<Counter>& counters = (record.rules ? record.rules : rules_.get())->counters;
  const std::size_t known = std::min(record.rejected.size(), counters.size());
  for (std::size_t rule = 0; rule < known; ++rule) {
    if (record.rejected[rule] > 0) counters[rule]->Increment(record.rejected[rule]);
  }
}

}  // namespace winnow
