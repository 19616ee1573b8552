// A Lease of coordination.k8s.io/v1, as far as elections need it.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

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

}  // namespace winnow::live
