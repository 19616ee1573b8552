// Internal to extender/metrics: the series that requests add to. Only .cc files include this.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "extender/metrics/metrics.h"

namespace winnow {

class RuleSeries {
 public:
  std::vector<prometheus::Counter*> counters;  ///< By the index of the predicate.
};

/// Pointers into the registry, which outlives it. Made once, then only read: prometheus-cpp's own counters
/// and histograms make observe() safe on any thread.
class RequestSeries {
 public:
  RequestSeries(prometheus::Registry& registry, std::span<const std::string> rules);
  void observe(const RequestRecord& record);
  std::shared_ptr<const RuleSeries> rules(std::span<const std::string> names);

 private:
  void add_requests(prometheus::Registry& registry);
  void add_passes(prometheus::Registry& registry);
  void add_nodes(prometheus::Registry& registry);

  using Counter = prometheus::Counter*;
  using Histogram = prometheus::Histogram*;
  std::array<std::array<Counter, kResults>, kVerbs> requests_{};
  std::array<Histogram, kVerbs> durations_{};
  std::array<std::array<Histogram, kPasses>, kVerbs> passes_{};  ///< Null for kOther.
  std::array<Histogram, kVerbs> nodes_{};                        ///< Null for kOther.
  Histogram feasible_ = nullptr;
  Counter unknown_ = nullptr;
  prometheus::Family<prometheus::Counter>* rejections_ = nullptr;
  std::shared_ptr<const RuleSeries> rules_;
};

}  // namespace winnow
