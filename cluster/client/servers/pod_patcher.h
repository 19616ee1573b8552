// The patcher of waiting pods, which writes their nominations and removes Winnow's scheduling gate.
//
// The idea is PodWrite's: each patch carries the pod's UID, so that a new pod of the same name is never hit,
// and an unclear answer is not believed. A nomination carries the pod's resource version too. So whatever
// somebody else has written meanwhile makes ours fail, and is looked at before anything is written again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/api/pod.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/load_balancer_rr.h"
#include "cluster/client/servers/pod_write.h"

namespace winnow::live {

class ApiServers;

/// The name under which Winnow's nominations stand in the pods' managedFields.
inline constexpr std::string_view kNominationManager = kWinnowNominates;

/// A pod as the watch has shown it.
struct PodIdentity {
  std::string ns, name, uid;     ///< Never empty.
  std::string resource_version;  ///< "": unknown.
};

enum class PatchOutcome : std::uint8_t {
  kWritten,    ///< By this call.
  kAlreadySo,  ///< The pod is as it was to be, by whomever: it has that nomination, or not that gate.
  kBound,      ///< The pod has a node now: PatchResult::node.
  kGone,       ///< There is no such pod, it is another by its UID, it is being deleted, or it has ended.
  kOverruled,  ///< It has somebody else's nomination, PatchResult::node: left alone.
  kRefused,    ///< The API server refused with a final status, such as 422; a retry would not help.
  kDenied,     ///< Every API server refuses our credentials (401), or one does not allow this patch (403).
  kUnknown,    ///< No answer in time, or no reliable one: it may or may not be written.
};
inline constexpr std::size_t kPatchOutcomes = 8;
std::string_view to_string(PatchOutcome outcome);  ///< As a metric's label has it: "already_so".

struct PatchResult {
  PatchOutcome outcome = PatchOutcome::kUnknown;
  std::string error;             ///< Empty for kWritten and kAlreadySo; one line otherwise.
  std::string node;              ///< kBound: where the pod is. kOverruled: the nomination that it has.
  std::string resource_version;  ///< The pod's, as this call has last seen it: that of its own write, or a
                                 ///< later one. "": not seen.
  bool unchanged = false;  ///< kUnknown: servers have failed all requests, and the pod was seen without the
                           ///< patch afterwards. No request of this call is carried out any more.

  /// The pod is as the caller wants it.
  bool done() const { return outcome <= PatchOutcome::kAlreadySo; }
};

/// Patches pods. Servers that fail are left for others as PodWrite says. One that answers with a Retry-After
/// is left alone by all calls; if all servers are, calls wait, but none beyond its deadline. Thread-safe;
/// calls block; many at once share the transport's connections. Who patches the status of a bound pod, or
/// names another UID, is answered 422.
/// Upstream: ValidatePodStatusUpdate of pkg/apis/core/validation/validation.go v1.37.0.
class PodPatcher {
 public:
  /// All of them outlive this.
  PodPatcher(ApiServers& servers, ApiTransport& transport, Clock& clock);
  PodPatcher(const PodPatcher&) = delete;
  PodPatcher& operator=(const PodPatcher&) = delete;

  /// Writes `node` to the pod's status.nominatedNodeName. It is written only to the version that `pod` names,
  /// or to one that was read afterwards, has no node, and has no nomination or one of our own. A nomination
  /// is our own if it is `instead_of`, and the pod's managedFields do not name somebody else. So another
  /// Winnow's is left alone, as where two lead at once.
  /// @param node  "": the nomination is taken away, if it is our own.
  /// @param instead_of  the nomination that this one replaces, written by us before; "": none is known.
  /// @param deadline  returns by then, whatever the servers do.
  PatchResult nominate(const PodIdentity& pod, const std::string& node, const std::string& instead_of,
                       Clock::Time deadline, const std::stop_token& stop);

  /// Removes one of the pod's spec.schedulingGates; others stay. Any version of the pod is patched. The
  /// outcome is never kOverruled. It is kAlreadySo where the gate was gone in the version that `pod` names,
  /// or was seen to be gone.
  PatchResult remove_gate(const PodIdentity& pod, std::string_view gate, Clock::Time deadline,
                          const std::stop_token& stop);

  /// The reason why all patches of one kind are denied, as Denials::why() has it.
  std::string denied() const;

 private:
  const WriteParts parts_;
  RestingServers resting_;
  Denials nominations_denied_;
  Denials removals_denied_;
  Denials looks_denied_;
};

}  // namespace winnow::live
