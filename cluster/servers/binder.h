// The binder of pods, which posts Bindings to the API servers.
//
// The idea: Winnow must know whether a pod was bound, although answers get lost. Each Binding carries the
// pod's UID as a precondition, so that it can be sent again, and to another server. An answer that is not
// clear is not believed: a lost connection, a 5xx, or a conflict that may be with our own binding. The pod
// itself is then read, and its node says what happened. If nobody tells until the deadline, the outcome is
// kUnknown, and the caller keeps the pod assumed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/mutex.h"
#include "cluster/servers/api_servers.h"
#include "cluster/transport/transport.h"

namespace winnow::live {

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
/// A server that fails, or answers 429, is left for another one. Pauses grow with each try. A server that
/// answers 401 is left without a pause. When all servers have answered 401, and one of them twice, the bind
/// has failed: the credentials were read again in between. Thread-safe; calls block.
/// Upstream: pkg/registry/core/pod/storage/storage.go BindingREST v1.37.0.
class Binder {
 public:
  /// All of them outlive this.
  Binder(ApiServers& servers, ApiTransport& transport, Clock& clock)
      : servers_(servers), transport_(transport), clock_(clock) {}

  /// Binds a pod. Returns by `deadline`, whatever the servers do.
  BindResult bind(const Binding& binding, Clock::Time deadline, const std::stop_token& stop);

  /// The time after which a denial is too old to be reported.
  static constexpr std::chrono::seconds kDeniedFor{60};
  /// The reason why all binds are denied, in one line (see denial()). "" if the last bind was not denied, or
  /// was denied for its pod alone, or is longer ago than kDeniedFor.
  std::string denied() const;

 private:
  class Attempt;
  void note(std::string denied);

  ApiServers& servers_;
  ApiTransport& transport_;
  Clock& clock_;
  mutable Mutex mutex_;
  std::string denied_ WINNOW_GUARDED_BY(mutex_);
  Clock::Time denied_at_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow::live
