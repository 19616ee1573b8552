// The Leases that nominators hold: who writes nominations in a cluster.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "extender/doctor/api_answers.h"
#include "extender/doctor/doctor.h"

namespace winnow {

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
