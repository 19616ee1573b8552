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

/// The series of one label `verb`.
class VerbSeries {
 public:
  using Counter = prometheus::Counter*;
  using Histogram = prometheus::Histogram*;
  std::array<Counter, kResults> requests{};  ///< Indexed by Result.
  Histogram duration = nullptr;
  std::array<Histogram, kPasses> passes{};  ///< Indexed by Pass; null for a verb that does not compute.
  Histogram nodes = nullptr;                ///< Null for such a verb too.
};

/// The counters of rejected nodes.
class RuleSeries {
 public:
  std::vector<prometheus::Counter*> counters;  ///< Indexed by predicate.
};

/// The series of all requests: pointers into the registry, which must outlive this. Thread-safe. observe()
/// relies on prometheus-cpp's counters and histograms, which are thread-safe.
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
  /// Its elements do not move.
  std::map<std::string, VerbSeries, std::less<>> verbs_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow
