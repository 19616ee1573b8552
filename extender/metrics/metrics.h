// What /metrics shows, in Prometheus' text format 0.0.4.
//
//   metrics.*       the series, fed by the service
//   live_metrics.*  those of a live cluster, fed by the watch and by binding
//   process.*       this process as the kernel sees it
//
// All series are made at the start, so that each is there, at 0, before anything happens, and a request only
// adds to numbers that it finds by index. Adding to a histogram takes its lock: call observe() after the
// state's lock is released.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "extender/engine/passes.h"
#include "extender/http/message.h"
#include "extender/metrics/live_metrics.h"

namespace winnow {

enum class Verb : std::uint8_t { kFilter, kPrioritize, kExplain, kPreempt, kOther };
inline constexpr std::size_t kVerbs = 5;

/// How a request ended. kError: 200 with an Error for kube-scheduler.
enum class Result : std::uint8_t {
  kOk,
  kError,
  kBadRequest,
  kNotFound,
  kMethodNotAllowed,
  kShed,  ///< Not answered: it had waited too long.
  kInternal,
};
inline constexpr std::size_t kResults = 7;

std::string_view to_string(Verb verb);
std::string_view to_string(Result result);

class RuleSeries;  ///< The rejections of some rules.

/// One request. Negative: does not apply, and is not counted.
struct RequestRecord {
  Verb verb = Verb::kOther;
  Result result = Result::kOk;
  double seconds = 0;
  std::array<double, kPasses> pass_seconds = [] {  ///< By Pass; not for kOther.
    std::array<double, kPasses> none;
    none.fill(-1);
    return none;
  }();
  std::int64_t nodes = -1;  ///< Asked about; not for kOther.
  std::int64_t feasible = -1;
  std::uint64_t unknown_nodes = 0;
  /// Nodes that each of `rules` rejected; may be shorter. Read during the call only.
  std::span<const std::uint32_t> rejected = {};
  const RuleSeries* rules = nullptr;  ///< Null: those that the metrics were made with.
};

/// The picture of the cluster at the time of a scrape.
struct StateFigures {
  std::uint64_t nodes = 0;
  std::uint64_t pods = 0;  ///< That are bound.
  std::uint64_t pending_pods = 0;
  std::uint64_t groups = 0;   ///< Label sets of pods that are told apart.
  std::uint64_t classes = 0;  ///< Selectors whose pods are counted.
  double age_seconds = 0;     ///< Since the picture last changed.
};

/// Any thread may call anything.
class Metrics {
 public:
  /// @param version, revision of this build.
  /// @param rules the names of the configuration's predicates, in its order.
  Metrics(std::string_view version, std::string_view revision, std::span<const std::string> rules);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void observe(const RequestRecord& record);
  /// The series of another configuration's predicates; those of equal names are the same.
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
