// What an election is about, who takes part, and how long things may last.
#pragma once

#include <chrono>
#include <string>

#include "cluster/access/service_account.h"

namespace winnow::live {

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
