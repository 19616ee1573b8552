// Figures that are kept elsewhere, and shown at a scrape. They have no defaults: show_metrics.cc has the
// compiler refuse one that leaves a member out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cluster/state/assumed_pods.h"

namespace winnow {

/// The picture of the cluster.
struct StateFigures {
  std::uint64_t nodes;
  std::uint64_t pods;  ///< That are bound.
  std::uint64_t pending_pods;
  std::uint64_t groups;   ///< Label sets of pods that are told apart.
  std::uint64_t classes;  ///< Selectors whose pods are counted.
  double age_seconds;     ///< Since the picture last changed.
};

/// The pods on their way. What is an array or named `…_total` only grows, until another picture begins anew:
/// then all of it together. The counters go on.
struct AssumedFigures {
  std::size_t pods;
  double oldest_seconds;
  std::array<std::uint64_t, kAssumedOutcomes> outcomes;
  std::uint64_t overdue_total;
};

/// The pods that were refused and not asked about since.
struct RefusalFigures {
  std::size_t pods;
  std::size_t would_fit;       ///< By now.
  std::uint64_t told_total;    ///< Of how many people were told; only grows.
  std::uint64_t doubts_total;  ///< Refusals that said that the watch may be late; only grows.
  double lateness_seconds;     ///< How late the watch usually is.
};

/// The way to the API servers. All but the last only grow.
struct TransportFigures {
  std::uint64_t connections, connect_failures, resent_requests;
  std::uint64_t token_reloads, authority_reloads, client_certificate_reloads;
  std::uint64_t token_failures, certificate_failures;  ///< To read them again.
  std::uint64_t unauthorized, forbidden;               ///< Requests denied, by 401 and by 403.
  bool insecure_skip_tls_verify;
};

/// The watch of one resource.
struct WatchFigures {
  std::string resource;
  bool synced;
  double age_seconds;  ///< Since a server last had a word; see ReflectorStatus::last_word.
  std::uint64_t resource_version;
};

}  // namespace winnow
