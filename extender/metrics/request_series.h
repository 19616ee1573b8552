// Internal to extender/metrics: the series that requests add to. Only .cc files include this.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/mutex.h"
#include "extender/metrics/request_record.h"

namespace winnow {

class VerbSeries {
 public:
  using Counter = prometheus::Counter*;
  using Histogram = prometheus::Histogram*;
  std::array<Counter, kResults> requests{};  ///< By Result.
  Histogram duration = nullptr;
  std::array<Histogram, kPasses> passes{};  ///< By Pass; null for a verb that does not compute.
  Histogram nodes = nullptr;                ///< The same.
};

class RuleSeries {
 public:
  std::vector<prometheus::Counter*> counters;  ///< By the index of the predicate.
};

/// Pointers into the registry, which outlives it. Thread-safe: prometheus-cpp's own counters and histograms
/// make observe() so.
class RequestSeries {
 public:
  explicit RequestSeries(prometheus::Registry& registry);
  void observe(const RequestRecord& record);
  /// See Metrics.
  const VerbSeries* verb(std::string_view label, bool computes);
  std::shared_ptr<const RuleSeries> rules(std::span<const std::string> names);

 private:
  VerbSeries make(const std::string& label, bool computes);

  template <class Metric>
  using Family = prometheus::Family<Metric>&;
  Family<prometheus::Counter> requests_;
  Family<prometheus::Histogram> durations_;
  Family<prometheus::Histogram> passes_;
  Family<prometheus::Histogram> nodes_;
  prometheus::Histogram& feasible_;
  prometheus::Counter& unknown_;
  Family<prometheus::Counter> rejections_;
  Mutex mutex_;
  std::map<std::string, VerbSeries, std::less<>> verbs_
      WINNOW_GUARDED_BY(mutex_);  ///< What is in it stays where it is.
};

}  // namespace winnow
