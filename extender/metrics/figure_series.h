// Internal to extender/metrics: the series that are set from figures kept elsewhere. Only .cc files include
// this.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <array>

#include "extender/http/message.h"
#include "extender/metrics/figure_tables.h"
#include "extender/metrics/figures.h"
#include "extender/metrics/process.h"

namespace winnow {

// All three: pointers into the registry, which outlives them; calls of set() one at a time.

class StateSeries : public GaugeTable<StateFigures> {
 public:
  explicit StateSeries(prometheus::Registry& registry);
};

class HttpSeries {
 public:
  explicit HttpSeries(prometheus::Registry& registry);
  void set(const http::Counters& counters);

 private:
  prometheus::Gauge* open_;
  prometheus::Gauge* idle_;
  prometheus::Gauge* buffered_;
  prometheus::Counter* accepted_;
  prometheus::Counter* idle_expired_;
  prometheus::Counter* evicted_;
  prometheus::Counter* client_gone_;
  std::array<prometheus::Counter*, http::kCauses> refused_{};
};

/// Under the names that Prometheus' client libraries share. What cannot be read at the start has no series.
class ProcessSeries {
 public:
  explicit ProcessSeries(prometheus::Registry& registry);
  void set(const ProcessFigures& figures);

 private:
  prometheus::Counter* cpu_ = nullptr;
  prometheus::Gauge* start_ = nullptr;
  prometheus::Gauge* resident_ = nullptr;
  prometheus::Gauge* virtual_ = nullptr;
  prometheus::Gauge* threads_ = nullptr;
  prometheus::Gauge* open_fds_ = nullptr;
  prometheus::Gauge* max_fds_ = nullptr;
};

}  // namespace winnow
