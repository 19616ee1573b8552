// The record of one request, as metrics count it, and the series that requests add to.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/mutex.h"
#include "extender/engine/engine.h"

namespace winnow {

/// The end of a request. kError: status 200 with an Error for kube-scheduler.
enum class Result : std::uint8_t {
  kOk,
  kError,
  kBadRequest,
  kNotFound,
  kMethodNotAllowed,
  kShed,  ///< Refused with 503: it had waited, or computed, too long.
  kInternal,
};
inline constexpr std::size_t kResults = 7;

/// The result as a metric's label and in the log: "bad_request".
constexpr std::string_view to_string(Result result) {
  constexpr auto kTexts = std::to_array<std::string_view>(
      {"ok", "error", "bad_request", "not_found", "method_not_allowed", "shed", "internal"});
  static_assert(kTexts.size() == kResults);
  return kTexts[static_cast<std::size_t>(result)];
}

class VerbSeries;  ///< The series of one verb; see Metrics::verb.
class RuleSeries;  ///< The rejections of some rules; see Metrics::rules.

/// The counts of one request. Negative: does not apply, and is not counted.
struct RequestRecord {
  const VerbSeries* verb;
  Result result = Result::kOk;
  double seconds = 0;
  /// Indexed by Pass. Only verbs that compute have series of passes and of nodes.
  std::array<double, kPasses> pass_seconds = PassTimes().seconds();
  std::int64_t nodes = -1;  ///< Nodes asked about.
  std::int64_t feasible = -1;
  std::uint64_t unknown_nodes = 0;
  /// The number of nodes that each of `rules` rejected; may be shorter. Read during the call only.
  std::span<const std::uint32_t> rejected = {};
  const RuleSeries* rules = nullptr;  ///< Null: rejections are not counted.
};

// Internal to extender/service/metrics: the series that requests add to. Only .cc files include this.

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
