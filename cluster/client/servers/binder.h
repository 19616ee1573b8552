// The binder of pods, which posts Bindings to the API servers.
//
// The idea is PodWrite's: an answer that is not clear is not believed. Such are a lost connection, a 5xx, and
// a conflict that may be with our own binding. The pod's node then says what happened. If nobody tells until
// the deadline, the outcome is kUnknown, and the caller keeps the pod assumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/pod_write.h"

namespace winnow::live {

class ApiServers;

struct Binding {
  std::string ns, name, uid, node;
};

enum class BindOutcome : std::uint8_t {
  kBound,         ///< By this call.
  kAlreadyBound,  ///< To that node, by an earlier call: a success too.
  kConflict,      ///< The pod is on another node, is another pod, or is being deleted.
  kNotFound,      ///< There is no such pod.
  kRefused,       ///< The API server refused with another final status; a retry would not help.
  kDenied,        ///< Every API server refuses our credentials (401), or one does not allow this bind (403).
  kUnknown,       ///< No answer in time, or no reliable one: the pod may or may not be bound. After a binding
                  ///< was sent again, a refusal says nothing about the first.
};
inline constexpr std::size_t kBindOutcomes = 7;
std::string_view to_string(BindOutcome outcome);  ///< As a metric's label has it: "already_bound".

struct BindResult {
  BindOutcome outcome = BindOutcome::kUnknown;
  std::string error;  ///< Empty for a success; one line, in the API server's words where it has said any.

  bool bound() const { return outcome <= BindOutcome::kAlreadyBound; }
};

/// Posts Bindings with the pod's UID as a precondition, so that a binding can safely be sent again, and to
/// another server. After an unclear answer the binder reads the pod before it decides.
///
/// Servers are left for others as PodWrite says. When all have answered 401, and one of them twice, the bind
/// has failed: the credentials were read again in between. It has failed too when each server has denied the
/// right to bind. Thread-safe; calls block.
/// Upstream: pkg/registry/core/pod/storage/storage.go BindingREST v1.37.0.
class Binder {
 public:
  /// All of them outlive this.
  Binder(ApiServers& servers, ApiTransport& transport, Clock& clock)
      : parts_{.servers = servers, .transport = transport, .clock = clock, .purpose = "bind"},
        denials_(clock, "binding of pods", R"(cannot create resource "pods/binding")") {}

  /// Binds a pod. Returns by `deadline`, whatever the servers do.
  BindResult bind(const Binding& binding, Clock::Time deadline, const std::stop_token& stop);

  /// The reason why all binds are denied, as Denials::why() has it.
  std::string denied() const { return denials_.why(); }

 private:
  class Attempt;

  const WriteParts parts_;
  Denials denials_;
};

}  // namespace winnow::live
