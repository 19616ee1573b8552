// What /metrics shows, in Prometheus' text format 0.0.4.
//
//   metrics.*         the whole page, fed by the service
//   request_record.h  what is told of a request; its series are in request_series.*
//   figures.h         what is kept elsewhere and shown at a scrape
//   figure_series.*   the series of the picture, the listener and the process
//   figure_tables.h   series that are rows of a table
//   live_metrics.*    the series of a live cluster, fed by the watch and by binding
//   process.*         this process as the kernel sees it
//
// Series whose labels are known are made before requests come, so that each is there, at 0, before anything
// happens. A request only adds to numbers that it finds by index. Adding to a histogram takes its lock: call
// observe() after the state's lock is released.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "extender/http/message.h"
#include "extender/metrics/figures.h"
#include "extender/metrics/live_metrics.h"
#include "extender/metrics/request_record.h"

namespace winnow {

/// Any thread may call anything.
class Metrics {
 public:
  /// @param version, revision of this build.
  Metrics(std::string_view version, std::string_view revision);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void observe(const RequestRecord& record);
  /// The series of a verb, made here where they are not there yet. They last as long as this.
  /// @param label  not empty. @param computes  whether it has series of passes and nodes, too.
  const VerbSeries* verb(std::string_view label, bool computes);
  /// The series of a configuration's predicates; those of equal names are the same.
  std::shared_ptr<const RuleSeries> rules(std::span<const std::string> names);
  LiveMetrics& live();
  void set_state(const StateFigures& figures);
  /// @param counters a later snapshot of one server each time: what only grows there only grows here.
  void set_http(const http::Counters& counters);

  /// The whole page, with the process' own figures as of now. Families by name, series by labels.
  /// Its type is kMetricsContentType.
  std::string render() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace winnow
