// What an API server says of one pod now: a consistent read, in doubt about what the watch has shown.
//
// A quiet watch tells nothing: neither that a pod still waits, nor that there is none. So the pod is listed
// by its name. The list needs no right that the watch of pods does not need too. It has no resource version,
// so it is as new as etcd.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/api/pod.h"
#include "cluster/clock.h"

namespace winnow::live {

class ApiServers;
class ApiTransport;

/// What is true of a pod, by its UID.
enum class PodFound : std::uint8_t {
  kUnknown,  ///< No API server has said: none answers, or the right is missing.
  kGone,     ///< There is no such pod, its name belongs to another one, or it has ended.
  kUnbound,  ///< It has no node.
  kBound,    ///< It has the node PodLookedUp::node.
};

struct PodLookedUp {
  PodFound found = PodFound::kUnknown;
  std::string node;              ///< If bound.
  std::optional<Pod> pod;        ///< The pod of that UID, if there is one, ended or not.
  std::string resource_version;  ///< Of the list: what is told here was true then.
  std::string error;             ///< If unknown: why, in one line.
};

/// Looks pods up, one by one. Server errors are retried on other servers until the deadline, as PodWrite
/// does. Thread-safe; calls block, so that no call of kube-scheduler may wait for one.
class PodLookUp {
 public:
  /// All of them outlive this.
  PodLookUp(ApiServers& servers, ApiTransport& transport, Clock& clock)
      : servers_(servers), transport_(transport), clock_(clock) {}

  /// Returns by `deadline`, whatever the servers do.
  /// @param uid  not empty; a pod of another UID is another pod.
  PodLookedUp look_up(std::string_view ns, std::string_view name, std::string_view uid, Clock::Time deadline,
                      const std::stop_token& stop) const;

 private:
  ApiServers& servers_;
  ApiTransport& transport_;
  Clock& clock_;
};

}  // namespace winnow::live
