// The figures of this process, and the series of the cache, the listener and the process.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "cluster/rule/expression_counts.h"
#include "extender/service/http/message.h"
#include "extender/service/metrics/figures.h"

namespace winnow {

/// Figures that cannot be read are unset.
struct ProcessFigures {
  std::optional<double> cpu_seconds;  ///< User and system, all threads.
  std::optional<double> start_time;   ///< Seconds since 1970.
  std::optional<std::uint64_t> resident_bytes;
  std::optional<std::uint64_t> virtual_bytes;
  std::optional<std::uint64_t> threads;
  std::optional<std::uint64_t> open_fds;
  std::optional<std::uint64_t> max_fds;
};

/// Reads /proc. Thread-safe.
ProcessFigures read_process();

// Internal to extender/service/metrics: the series of the cache, the listener and the process, set at a
// scrape. Only .cc files include this.

// All classes hold pointers into the registry, which must outlive them. Calls of set() must not
// overlap.

/// The gauges of the cache.
class StateSeries : public GaugeTable<StateFigures> {
 public:
  explicit StateSeries(prometheus::Registry& registry);
};

/// The gauges of devices, by class and state.
class DeviceSeries {
 public:
  explicit DeviceSeries(prometheus::Registry& registry);
  void set(std::span<const DeviceFigures> figures);

 private:
  prometheus::Family<prometheus::Gauge>& family_;
  std::map<std::string, std::array<prometheus::Gauge*, 3>> by_class_;
};

/// The counters of users' expressions, by rule.
class ExpressionSeries {
 public:
  explicit ExpressionSeries(prometheus::Registry& registry);
  void set(std::span<const CountedExpression> counted);

 private:
  CounterFamily& evaluations_;
  CounterFamily& errors_;
  CounterFamily& cost_;
};

/// The gauges and counters of the listener.
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

/// The process' series, under the names that Prometheus' client libraries share. A figure that cannot be read
/// at the start has no series.
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
