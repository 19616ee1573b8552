// Internal to extender/operate: the checks of nominations in the cluster, and the Leases of nominators.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "extender/operate/api_answers.h"
#include "extender/operate/doctor.h"

namespace winnow {

class Diagnoses;

/// The cluster, as the checks of nominations see it.
struct CheckedCluster {
  const ClusterQuestions& asked;
  WallTime now;         ///< By the cluster's clock.
  std::string subject;  ///< Who Winnow is there.
};

/// Whether one Winnow nominates, and not two: by the Leases.
void check_nominators(const CheckedCluster& cluster, Diagnoses& found);
/// Whether nodes keep places, by Winnow's nominations, for pods that kube-scheduler does not try.
void check_held_places(const CheckedCluster& cluster, Diagnoses& found);
/// Whether pods wait for a gate that nobody removes.
void check_gated_pods(const CheckedCluster& cluster, Diagnoses& found);

// The Leases that nominators hold: who writes nominations in a cluster.

/// What the shipped Lease is called, and nearly every other one of a nominator.
inline constexpr std::string_view kNominatorLease = "winnow-nominator";

/// The Lease that a nominator is told of by its flags.
struct LeaseName {
  std::string ns, name;
};

struct HeldLeases {
  std::vector<LeaseSeen> leases;
  bool of_all = true;  ///< Of all names and namespaces, and not the named one alone.
};

/// The Leases that somebody still renews, and that are called like a nominator's. Where those of all
/// namespaces are not shown, as to Winnow's own role, the named one is looked at alone.
/// @param now  by the cluster's clock.
/// @return the Leases, or one line on why none is shown.
std::expected<HeldLeases, std::string> find_held_leases(const AskServer& ask, const LeaseName& named,
                                                        WallTime now);

/// "kube-system/winnow-nominator by HOLDER, …"
std::string to_text(const std::vector<LeaseSeen>& leases);

/// The body of an answer 200 to a GET, or one line.
std::expected<std::string, std::string> get_body(const AskServer& ask, std::string path);

}  // namespace winnow
