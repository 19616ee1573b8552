// Figures for metrics: what becomes of nominations, what is kept elsewhere, and tables of their series.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/metrics/metrics_provider.h"
#include "cluster/state/assumed_pods.h"

namespace winnow {

/// The end of one nomination: of a node that Winnow decided for a waiting pod. Each nomination has one end.
enum class NominationOutcome : std::uint8_t {
  kFollowed,      ///< The pod is bound to the node.
  kElsewhere,     ///< The pod is bound to another node.
  kRefused,       ///< kube-scheduler has tried the pod, and taken the nomination away.
  kUnfollowed,    ///< kube-scheduler has given the pod up, and does not try it again.
  kCleared,       ///< Somebody has taken the nomination away.
  kOverruled,     ///< The pod has a nomination by somebody else.
  kPodChanged,    ///< The pod has changed in what rules read.
  kPodGone,       ///< The pod is deleted, or has ended.
  kNoLongerFits,  ///< The node is gone, or the pod does not fit there any more.
  kRejected,      ///< The API server has refused to write it.
  kDenied,        ///< Winnow may not write it.
  kNotLeading,    ///< Winnow lost the lease before it was written.
  kLeftOut,       ///< The pod is one that gets no nomination: see WhyNotNominated.
};
inline constexpr std::size_t kNominationOutcomes = 13;
std::string_view to_string(NominationOutcome outcome);  ///< The metric's label value, such as "pod_gone".

/// Why a waiting pod gets no nomination: the rules cannot judge it, or kube-scheduler does not try it. Its
/// place would be held for nobody.
enum class WhyNotNominated : std::uint8_t {
  kSchedulingGates,  ///< Others have gates on it.
  kPodGroup,         ///< It is in a group, which kube-scheduler places as a whole.
  // The cluster tells these, the others the pod.
  kResourceClaims,  ///< It has spec.resourceClaims, and no rule judges devices.
  kDevices,         ///< A DeviceClass provides a resource that it requests, and no rule judges devices.
  kClaimMissing,    ///< A PersistentVolumeClaim of it does not exist.
  kVolumeMissing,   ///< A claim of it is bound to a PersistentVolume that does not exist.
};
inline constexpr std::size_t kWhysNotNominated = 6;
std::string_view to_string(WhyNotNominated why);  ///< The metric's label value, such as "pod_group".

// Figures that are kept elsewhere, and written to their series at a scrape. The members have no defaults, so
// that the compiler refuses an initializer in verbs/zpages.cc that leaves one out.

/// Figures of the cache.
struct StateFigures {
  std::uint64_t nodes;
  std::uint64_t pods;  ///< Bound to a node.
  std::uint64_t pending_pods;
  std::uint64_t groups;   ///< Pods grouped by namespace and labels.
  std::uint64_t classes;  ///< Selectors whose pods are counted.
  double age_seconds;     ///< Since the cache last changed.
};

/// Devices of a DeviceClass, each in one state.
struct DeviceFigures {
  std::string device_class;
  std::uint64_t allocated;
  std::uint64_t tainted;
  std::uint64_t free;
};

/// Figures of the assumed pods. `outcomes` and `overdue_total` only grow, until another cache is in force.
/// Then they may restart, all together; the counters in /metrics still go on.
struct AssumedFigures {
  std::size_t pods;
  double oldest_seconds;
  std::array<std::uint64_t, kAssumedOutcomes> outcomes;
  std::uint64_t overdue_total;
};

/// Figures of the places that are held for pods that are not there; see cluster/state/held_places.h.
struct PlacesFigures {
  std::size_t nominations, other_nominations, assumptions;
  double untried_seconds;
};

/// Figures of the pods that were refused and not asked about since.
struct RefusalFigures {
  std::size_t pods;
  std::size_t would_fit;     ///< Pods that fit by now.
  std::uint64_t told_total;  ///< Pods that the log has named; only grows.
  std::uint64_t
      doubts_total;         ///< Refusals with the remark that the watch may be late; the number only grows.
  double lateness_seconds;  ///< The usual delay of the watch.
};

/// Figures of the nominations.
struct NominationFigures {
  std::size_t queued, fit_nowhere, left, nominated;       ///< See WaitingFigures in extender/nominate.
  std::array<std::uint64_t, kWhysNotNominated> left_out;  ///< The same.
  bool leads;
};

/// Figures of the recording. Both only grow.
struct RecordingFigures {
  std::uint64_t lines;
  std::uint64_t lost_lines;  ///< Since it has ended early, or in a file that is gone.
};

/// Figures of a shadow: its decisions by result, and those that it could not make. These only grow.
struct ShadowFigures {
  std::uint64_t same, tie, other, refused, nowhere;  ///< See DecisionResult.
  std::uint64_t dropped;                             ///< It was too late, or had no room for them.
  std::uint64_t too_long;                            ///< The pod takes too long to be judged.
  std::uint64_t failed;                              ///< The rules failed.
  std::size_t queued;
  double lag_seconds;  ///< How long the oldest one in the queue has waited.
  bool on;             ///< This process is a shadow.
};

/// Figures of the transport to the API servers. All but the last only grow.
struct TransportFigures {
  std::uint64_t connections, connect_failures, resent_requests;
  std::uint64_t token_reloads, authority_reloads, client_certificate_reloads;
  std::uint64_t token_failures, certificate_failures;  ///< Failures to read them again.
  std::uint64_t unauthorized, forbidden;               ///< Requests denied with 401 and with 403.
  bool insecure_skip_tls_verify;
};

/// Figures of what is measured of nodes (--node-metrics).
struct NodeMetricsFigures {
  struct Source {
    std::string name;
    std::size_t nodes;                                    ///< With a measurement in use.
    std::array<std::uint64_t, live::kPollResults> polls;  ///< By result; these only grow.
  };
  std::vector<Source> sources;  ///< Those that are asked.
  double oldest_seconds;        ///< Of the oldest usage in use; 0: none is.
};

/// Figures of the watch of one resource.
struct WatchFigures {
  std::string resource;
  bool synced;
  double age_seconds;  ///< Since ReflectorStatus::last_word.
  std::uint64_t resource_version;
  bool stale;    ///< Calls count the cache as stale for its silence; see CacheSource::stale().
  bool unread;   ///< Winnow does without: none of the figures above counts.
  bool missing;  ///< That is a lack; see ReflectorStatus::missing_right.
};

// Internal to extender/service/metrics: tables of series, one row for each member of a struct of figures.

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;

inline CounterFamily& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
inline GaugeFamily& gauges(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

/// Counters that follow totals which are kept elsewhere. When a total is less than before, all totals of the
/// call have restarted at 0: their values are then added to the counters. One thread at a time.
class Totals {
 public:
  struct Total {
    prometheus::Counter* counter;
    std::uint64_t now;
  };
  void set(std::span<const Total> totals) {
    if (std::ranges::any_of(totals, [&](const Total& total) { return total.now < last_[total.counter]; }))
      last_.clear();
    for (const auto& [counter, now] : totals)
      counter->Increment(static_cast<double>(now - std::exchange(last_[counter], now)));
  }

 private:
  std::map<prometheus::Counter*, std::uint64_t> last_;
};

/// A gauge, and the figure that is its value: `&figure<&StateFigures::nodes>`.
template <class Figures>
struct GaugeRow {
  const char* name;
  const char* help;
  double (*value)(const Figures&);
};
template <auto kMember, class Figures>
double figure(const Figures& figures) {
  return static_cast<double>(figures.*kMember);
}

/// The gauges of a table. One thread at a time.
template <class Figures>
class GaugeTable {
 public:
  /// @param rows  outlive this, as the registry does.
  GaugeTable(prometheus::Registry& registry, std::span<const GaugeRow<Figures>> rows) : rows_(rows) {
    for (const GaugeRow<Figures>& row : rows)
      gauges_.push_back(&gauges(registry, row.name, row.help).Add({}));
  }
  void set(const Figures& figures) {
    for (std::size_t i = 0; i < rows_.size(); ++i) gauges_[i]->Set(rows_[i].value(figures));
  }

 private:
  std::span<const GaugeRow<Figures>> rows_;
  std::vector<prometheus::Gauge*> gauges_;  ///< By row.
};

/// A counter, and the total that it follows. Rows of equal names have equal helps, and differ in the label.
template <class Figures>
struct TotalRow {
  const char* name;
  const char* help;
  std::uint64_t Figures::* value;
  const char* label = "";  ///< "": no label.
  const char* label_value = "";
};

/// The counters of a table, whose totals restart together (Totals). One thread at a time.
template <class Figures>
class TotalTable {
 public:
  /// @param rows  outlive this, as the registry does.
  TotalTable(prometheus::Registry& registry, std::span<const TotalRow<Figures>> rows) : rows_(rows) {
    for (const TotalRow<Figures>& row : rows) {
      const prometheus::Labels labels =
          *row.label == '\0' ? prometheus::Labels() : prometheus::Labels{{row.label, row.label_value}};
      counters_.push_back(&counters(registry, row.name, row.help).Add(labels));
    }
  }
  void set(const Figures& figures) {
    std::vector<Totals::Total> totals;
    for (std::size_t i = 0; i < rows_.size(); ++i) totals.push_back({counters_[i], figures.*rows_[i].value});
    totals_.set(totals);
  }

 private:
  std::span<const TotalRow<Figures>> rows_;
  std::vector<prometheus::Counter*> counters_;  ///< By row.
  Totals totals_;
};

}  // namespace winnow
