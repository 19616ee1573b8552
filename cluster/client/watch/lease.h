// A Lease of coordination.k8s.io/v1, as far as elections need it, and the options of an election.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "cluster/client/access/client_config.h"

namespace winnow::live {

/// The spec's fields. Those that are absent, or not of the API's type, are empty.
/// Upstream: LeaderElectionRecord of client-go tools/leaderelection/resourcelock/interface.go v0.37.0.
struct LeaseRecord {
  std::string holder;                 ///< holderIdentity. "": nobody holds it, and anybody may take it.
  std::int64_t duration_seconds = 0;  ///< leaseDurationSeconds.
  std::string acquire_time;           ///< As written. By the holder's clock, so for people only.
  std::string renew_time;             ///< The same.
  std::int64_t transitions = 0;       ///< leaseTransitions: how often the holder has changed.

  bool operator==(const LeaseRecord&) const = default;
};

struct Lease {
  LeaseRecord record;
  std::string metadata;  ///< The object's, in JSON. An update sends it back, and with it the resourceVersion.
};

/// @return the Lease, or what the text is instead.
std::expected<Lease, std::string> read_lease(std::string_view json);
/// The object in JSON.
std::string lease_json(const Lease& lease);
/// The metadata of a Lease that is to be created.
std::string lease_metadata(std::string_view ns, std::string_view name);
/// The time as metav1.MicroTime writes it: "2026-02-03T04:05:06.000007Z".
std::string micro_time(std::chrono::system_clock::time_point time);

// What an election is about, who takes part, and how long things may last.

/// As kube-scheduler's flags --leader-elect-* have it.
/// Upstream: component-base config/v1alpha1/defaults.go v0.37.0.
struct LeaderElectionOptions {
  /// A Lease that was not seen to change for so long is free.
  std::chrono::milliseconds lease_duration{15'000};
  /// A leader that has not renewed for so long leads no more.
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};  ///< Between tries to take or renew.
  std::string resource_name = "winnow-nominator";
  std::string resource_namespace;  ///< Never empty in an election: election_namespace() has the default.
  std::string identity;            ///< Of this process, never empty in one: election_identity().
};

/// What is wrong with the durations and the name, in one line that names the flag; "": nothing.
/// Upstream: NewLeaderElector of client-go tools/leaderelection/leaderelection.go v0.37.0. Stricter: the
/// Lease holds whole seconds, so a lease lasts its whole seconds, at least one.
std::string problem_of(const LeaderElectionOptions& options);

/// The retry period times this is what a candidate waits at most beyond it, drawn at random.
inline constexpr double kElectionJitter = 1.2;

/// "HOSTNAME_UUID", another one at each call, as kube-scheduler has it.
std::string election_identity();
/// The namespace in a pod's service account; elsewhere kube-system.
std::string election_namespace(const std::string& folder = kServiceAccountFolder);

}  // namespace winnow::live
