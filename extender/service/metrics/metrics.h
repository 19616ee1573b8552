// The page of /metrics, in Prometheus' text format 0.0.4.
//
//   metrics.*              the whole page
//   request_series.*       the record of a request, and the series that it adds to
//   figures.h              figures that are kept elsewhere and read at a scrape, and tables of
//                          their series
//   figure_series.*        the series of the cache and the listener,
//                          and of this process as the kernel sees it
//   live_metrics.*         the series of a live cluster, set by the watch and by binding
//   live_metrics_series.h  those of them that are set at a scrape
//
// Series whose labels are known are made at the start, so that each exists, at 0, before its first event. A
// request only adds to numbers that it finds by index. A histogram locks a mutex when it is added to, so call
// observe() after the state's lock is released.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace winnow::http {

struct Counters;

}  // namespace winnow::http

namespace winnow {

class LiveMetrics;
class RuleSeries;
class VerbSeries;
struct RequestRecord;
struct DeviceFigures;
struct StateFigures;

/// All series of the process. Thread-safe.
class Metrics {
 public:
  /// @param version, revision  of this build.
  Metrics(std::string_view version, std::string_view revision);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void observe(const RequestRecord& record);
  /// The series of a verb. They are made at the first call, and live as long as this object.
  /// @param label  not empty.
  /// @param computes  whether the verb also has series of passes and nodes.
  const VerbSeries* verb(std::string_view label, bool computes);
  /// The series of a configuration's predicates. Equal names share their series.
  std::shared_ptr<const RuleSeries> rules(std::span<const std::string> names);
  LiveMetrics& live();
  void set_state(const StateFigures& figures);
  /// Of all classes: those that are not named have no series any more.
  void set_devices(std::span<const DeviceFigures> figures);
  /// Sets the listener's series. @param counters  each time a later snapshot of one server.
  void set_http(const http::Counters& counters);

  /// The page, with the process' figures as of now. Families are sorted by name, series by labels. Its
  /// content type is kMetricsContentType.
  std::string render() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace winnow
