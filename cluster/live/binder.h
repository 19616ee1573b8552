// Binds pods through the API servers.
#pragma once

#include <chrono>
#include <expected>
#include <mutex>
#include <string>

#include "cluster/live/api_servers.h"
#include "cluster/live/transport.h"

namespace winnow::live {

struct Binding {
  std::string ns, name, uid, node;
};

enum class BindOutcome : std::uint8_t {
  kBound,         ///< By this call.
  kAlreadyBound,  ///< To that node, by an earlier call: a success too.
  kConflict,      ///< The pod is on another node, is another pod, or is being deleted.
  kNotFound,      ///< There is no such pod.
  kRefused,       ///< The API server said no, and will again.
  kDenied,        ///< Every API server refuses our credentials (401), or one does not allow this bind (403).
  kUnknown,       ///< No answer in time, or none that can be relied on (a binding was sent again, and nobody
                  ///< says whether the first was carried out): the pod may or may not be bound.
};
inline constexpr std::size_t kBindOutcomes = 7;
std::string_view to_string(BindOutcome outcome);  ///< As a metric's label has it: "already_bound".

struct BindResult {
  BindOutcome outcome = BindOutcome::kUnknown;
  std::string error;  ///< Empty for a success; one line, in the API server's words where it has said any.

  bool bound() const { return outcome <= BindOutcome::kAlreadyBound; }
};

/// Posts Bindings with the pod's UID as a precondition, so that a binding may be sent again and to another
/// server: after anything but a clear answer it looks at the pod before it answers. Who fails, or asks for
/// patience (429), is left for another server; pauses grow with each try. Who refuses our credentials (401)
/// is left at once, and when all have, one of them twice (they were read again by then), the bind has failed.
/// Thread-safe; calls block. Upstream: pkg/registry/core/pod/storage/storage.go BindingREST v1.37.0.
class Binder {
 public:
  /// All of them outlive this.
  Binder(ApiServers& servers, ApiTransport& transport, Clock& clock)
      : servers_(servers), transport_(transport), clock_(clock) {}

  /// Answers by `deadline`, whatever the servers do.
  BindResult bind(const Binding& binding, Clock::Time deadline, const std::stop_token& stop);

  /// Time after which nobody knows whether binds are denied still.
  static constexpr std::chrono::seconds kDeniedFor{60};
  /// Why no bind is let through, in one line (see denial()): the last one was denied, for a reason that holds
  /// for every pod. "": nothing is in the way, or there was no bind for kDeniedFor.
  std::string denied() const;

 private:
  class Attempt;
  void note(std::string denied);

  ApiServers& servers_;
  ApiTransport& transport_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::string denied_;       ///< Guarded by mutex_,
  Clock::Time denied_at_{};  ///< and so is this.
};

}  // namespace winnow::live
