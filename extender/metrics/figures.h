// Figures that are kept elsewhere, and written to their series at a scrape. The members have no defaults, so
// that the compiler refuses an initializer in show_metrics.cc that leaves one out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cluster/state/assumed_pods.h"
#include "extender/metrics/nomination_outcome.h"

namespace winnow {

/// Figures of the picture.
struct StateFigures {
  std::uint64_t nodes;
  std::uint64_t pods;  ///< Bound to a node.
  std::uint64_t pending_pods;
  std::uint64_t groups;   ///< Pods grouped by namespace and labels.
  std::uint64_t classes;  ///< Selectors whose pods are counted.
  double age_seconds;     ///< Since the picture last changed.
};

/// Figures of the assumed pods. `outcomes` and `overdue_total` only grow, until another picture is in force.
/// Then they may restart, all together; the counters in /metrics still go on.
struct AssumedFigures {
  std::size_t pods;
  double oldest_seconds;
  std::array<std::uint64_t, kAssumedOutcomes> outcomes;
  std::uint64_t overdue_total;
};

/// Figures of the places that are held for pods that are not there; see held_places.h.
struct PlacesFigures {
  std::size_t nominations, other_nominations, assumptions;
  double untried_seconds;
};

/// Figures of the pods that were refused and not asked about since.
struct RefusalFigures {
  std::size_t pods;
  std::size_t would_fit;       ///< Pods that fit by now.
  std::uint64_t told_total;    ///< Pods that the log has named; only grows.
  std::uint64_t doubts_total;  ///< Refusals with the remark that the watch may be late; only grows.
  double lateness_seconds;     ///< The usual delay of the watch.
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

/// Figures of the watch of one resource.
struct WatchFigures {
  std::string resource;
  bool synced;
  double age_seconds;  ///< Since ReflectorStatus::last_word.
  std::uint64_t resource_version;
  bool stale;  ///< Calls count the picture as stale for its silence; see PictureSource::stale().
};

}  // namespace winnow
