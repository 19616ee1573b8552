#include "cluster/client/servers/pod_patcher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/api/decode.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;

/// Those of a pod whose status changes quickly, as that of a new one does. They are tried again at once.
constexpr int kConflictsWithoutPause = 3;

/// What is to be written to a pod, and what a pod tells about it.
class Patch {
 public:
  explicit Patch(const PodIdentity& pod) : pod_(pod) {}
  virtual ~Patch() = default;
  Patch(const Patch&) = delete;
  Patch& operator=(const Patch&) = delete;

  /// Whether enough is known of the pod for the first request.
  virtual bool is_ready() const { return true; }
  virtual ApiRequest request(const std::string& pod_path) const = 0;

  /// The result by the pod as it was read. Nothing: the patch is still to be written, to this version.
  /// @param sent  a request of ours may have been carried out.
  std::optional<PatchResult> judge(const Pod& pod, bool sent);
  /// The result by the answer to a patch, of a status that says success. Nothing: it is not the patched pod,
  /// as where something else than an API server has answered.
  std::optional<PatchResult> carried_out(const ApiResponse& answer) const;

 protected:
  virtual std::optional<PatchResult> judge_waiting(const Pod& pod, bool sent) = 0;
  /// Whether the pod has what was to be written.
  virtual bool is_written(const Pod& pod) const = 0;

  ApiRequest patch_request(std::string path, std::string body) const {
    path.append("?fieldManager=").append(kNominationManager);
    return {.method = "PATCH",
            .path = std::move(path),
            .body = std::move(body),
            .content_type = "application/strategic-merge-patch+json"};
  }
  const PodIdentity& identity() const { return pod_; }

 private:
  std::optional<PatchResult> judge_state(const Pod& pod) const;

  const PodIdentity& pod_;
};

/// What holds for all patches: the pod must be the same, and waiting.
std::optional<PatchResult> Patch::judge_state(const Pod& pod) const {
  const std::string name = "pod " + pod_.ns + "/" + pod_.name;
  if (pod.metadata.uid != pod_.uid)
    return PatchResult{PatchOutcome::kGone,
                       name + " is another pod now: its UID is " + pod.metadata.uid + ", not " + pod_.uid};
  if (!pod.spec.node_name.empty())
    return PatchResult{PatchOutcome::kBound, name + " is assigned to node " + go_quote(pod.spec.node_name),
                       pod.spec.node_name};
  if (pod.metadata.deleting) return PatchResult{PatchOutcome::kGone, name + " is being deleted"};
  if (has_ended(pod)) return PatchResult{PatchOutcome::kGone, name + " has ended: " + pod.status.phase};
  return std::nullopt;
}

std::optional<PatchResult> Patch::judge(const Pod& pod, bool sent) {
  auto result = judge_state(pod);
  if (!result) result = judge_waiting(pod, sent);
  if (result && pod.metadata.uid == pod_.uid) result->resource_version = pod.metadata.resource_version;
  return result;
}

std::optional<PatchResult> Patch::carried_out(const ApiResponse& answer) const {
  const auto pod = decode_pod(answer.body);
  if (!pod || pod->metadata.name != pod_.name || pod->metadata.uid != pod_.uid) return std::nullopt;
  auto result = judge_state(*pod);
  if (!result && !is_written(*pod)) return std::nullopt;
  // A patch that changes nothing makes no new version.
  const bool same = pod->metadata.resource_version == pod_.resource_version;
  if (!result) result = PatchResult{same ? PatchOutcome::kAlreadySo : PatchOutcome::kWritten};
  result->resource_version = pod->metadata.resource_version;
  return result;
}

class Nomination final : public Patch {
 public:
  Nomination(const PodIdentity& pod, const std::string& node, const std::string& instead_of)
      : Patch(pod), node_(node), instead_of_(instead_of), version_(pod.resource_version) {}

  bool is_ready() const override { return !version_.empty(); }

  ApiRequest request(const std::string& pod_path) const override {
    std::string body = R"({"metadata":{"uid":)";
    append_quoted(body, identity().uid);
    append_quoted(body += R"(,"resourceVersion":)", version_);
    append_quoted(body += R"(},"status":{"nominatedNodeName":)", node_);
    return patch_request(pod_path + "/status", body + "}}");
  }

 private:
  std::optional<PatchResult> judge_waiting(const Pod& pod, bool sent) override {
    const std::string& nominated = pod.status.nominated_node_name;
    const bool ours = is_ours(pod.status);
    if (nominated == node_)
      return PatchResult{sent && ours ? PatchOutcome::kWritten : PatchOutcome::kAlreadySo};
    if (!nominated.empty() && !ours)
      return PatchResult{PatchOutcome::kOverruled, by_whom(pod.status), nominated};
    version_ = pod.metadata.resource_version;
    return std::nullopt;
  }

  bool is_written(const Pod& pod) const override { return pod.status.nominated_node_name == node_; }

  bool is_ours(const PodStatus& status) const {
    if (!status.nominated_by.empty() && status.nominated_by != kNominationManager) return false;
    return status.nominated_node_name == instead_of_ || status.nominated_node_name == node_;
  }

  std::string by_whom(const PodStatus& status) const {
    const std::string& manager = status.nominated_by;
    return "pod " + identity().ns + "/" + identity().name + " is nominated for node " +
           go_quote(status.nominated_node_name) + " by " +
           (manager.empty() ? "somebody else" : one_line(manager));
  }

  const std::string& node_;
  const std::string& instead_of_;
  std::string version_;  ///< The one that is patched; "": none is known.
};

class GateRemoval final : public Patch {
 public:
  GateRemoval(const PodIdentity& pod, std::string_view gate) : Patch(pod), gate_(gate) {}

  ApiRequest request(const std::string& pod_path) const override {
    std::string body = R"({"metadata":{"uid":)";
    append_quoted(body, identity().uid);
    append_quoted(body += R"(},"spec":{"schedulingGates":[{"$patch":"delete","name":)", gate_);
    return patch_request(pod_path, body + "}]}}");
  }

 private:
  std::optional<PatchResult> judge_waiting(const Pod& pod, bool sent) override {
    if (!is_written(pod)) return std::nullopt;
    return PatchResult{sent ? PatchOutcome::kWritten : PatchOutcome::kAlreadySo};
  }

  bool is_written(const Pod& pod) const override {
    return !std::ranges::contains(pod.spec.scheduling_gates, gate_);
  }

  const std::string_view gate_;
};

/// The tries of one patch.
class Attempt {
 public:
  Attempt(Patch& patch, PodWrite& write, Denials& denials, Denials& look_denials)
      : patch_(patch), write_(write), denials_(denials), look_denials_(look_denials) {}

  PatchResult run() {
    if (!patch_.is_ready()) {
      if (auto result = look()) return *result;
      if (sight_.refusal) return refusal(*sight_.refusal, look_denials_, sight_.error);
      if (!sight_.seen) return unknown(sight_.error);
    }
    while (write_.left() > milliseconds(0)) {
      const PodWrite::Answer answer = write_.call(patch_.request(write_.path()));
      if (PodWrite::is_stopped(answer)) return unknown(write_.last_error());
      if (auto result = settled_by(answer)) return *result;
      if (!PodWrite::is_turned_away(answer)) {
        sent_ = sent_ || !is_refusal(answer);
        lost_ = lost_ || !has_failed(answer);
        if (auto result = look()) return *result;
        unchanged_ = !lost_ && sight_.pod;
        if (auto result = refused_after_look(answer)) return *result;
        if (answer && answer->status == 409 && ++conflicts_ <= kConflictsWithoutPause) continue;
      }
      write_.pause(answer);
    }
    PatchResult result = unknown(write_.last_error());
    result.unchanged = unchanged_;
    return result;
  }

 private:
  /// The API server has ended the request without success, as where a webhook fails. Any other answer may be
  /// that of a proxy, or of a server that gave up waiting.
  static bool has_failed(const PodWrite::Answer& answer) {
    return is_refusal(answer) || (answer && answer->status == 500);
  }
  /// The API server has processed the request, and has not carried it out. What the pod is like says why.
  static bool is_refusal(const PodWrite::Answer& answer) {
    return answer && (answer->status == 409 || answer->status == 422);
  }

  std::optional<PatchResult> settled_by(const PodWrite::Answer& answer) {
    if (!answer) return std::nullopt;
    if (answer->status / 100 == 2) {
      auto result = patch_.carried_out(*answer);
      if (result)
        denials_.let_through();
      else
        write_.distrust(*answer);
      return result;
    }
    if (answer->status == 404) return PatchResult{PatchOutcome::kGone, write_.last_error()};
    if (is_refusal(answer)) return std::nullopt;
    if (write_.is_settled(*answer)) return refusal(*answer, denials_);
    return std::nullopt;
  }

  /// Reads the pod. Nothing: it is not as it is to be, or was not seen.
  std::optional<PatchResult> look() {
    sight_ = write_.look();
    if (sight_.seen && !sight_.pod) return PatchResult{PatchOutcome::kGone, sight_.error};
    if (sight_.pod) {
      look_denials_.let_through();
      in_doubt_ = false;
      return patch_.judge(*sight_.pod, sent_);
    }
    in_doubt_ = in_doubt_ || sent_;
    return std::nullopt;
  }

  /// After a refusal that the pod does not explain, or that nobody could look at.
  std::optional<PatchResult> refused_after_look(const PodWrite::Answer& answer) {
    if (!is_refusal(answer)) return std::nullopt;
    if (sight_.refusal) return refusal(*sight_.refusal, look_denials_, sight_.error);
    if (!sight_.seen) return unknown(write_.last_error());
    if (answer->status == 422) return refusal(*answer, denials_);
    return std::nullopt;
  }

  PatchResult refusal(const ApiResponse& answer, Denials& denials) {
    return refusal(answer, denials, write_.last_error());
  }
  PatchResult refusal(const ApiResponse& answer, Denials& denials, const std::string& error) {
    denials.refused(answer);
    if (in_doubt_) return {PatchOutcome::kUnknown, error};
    const bool denied = answer.status == 401 || answer.status == 403;
    return {denied ? PatchOutcome::kDenied : PatchOutcome::kRefused, error};
  }

  static PatchResult unknown(const std::string& error) {
    return {PatchOutcome::kUnknown, error.empty() ? "no API server has answered in time" : error};
  }

  Patch& patch_;
  PodWrite& write_;
  Denials& denials_;
  Denials& look_denials_;
  PodReadResult sight_;  ///< Of the last look.
  int conflicts_ = 0;
  bool sent_ = false;       ///< A request of this call may have been carried out.
  bool lost_ = false;       ///< A request of this call may still be carried out.
  bool unchanged_ = false;  ///< See PatchResult.
  bool in_doubt_ = false;   ///< The same as sent_, and the pod could not be seen since.
};

}  // namespace

std::string_view to_string(PatchOutcome outcome) {
  constexpr std::string_view kTexts[kPatchOutcomes] = {"written",   "already_so", "bound",  "gone",
                                                       "overruled", "refused",    "denied", "unknown"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

PodPatcher::PodPatcher(ApiServers& servers, ApiTransport& transport, Clock& clock)
    : parts_{.servers = servers,
             .transport = transport,
             .clock = clock,
             .purpose = "patch",
             .resting = &resting_},
      resting_(clock),
      nominations_denied_(clock, "nomination of pods", R"(cannot patch resource "pods/status")"),
      removals_denied_(clock, "removal of scheduling gates", R"(cannot patch resource "pods")"),
      looks_denied_(clock, "look at a pod", R"(cannot get resource "pods")") {}

PatchResult PodPatcher::nominate(const PodIdentity& pod, const std::string& node,
                                 const std::string& instead_of, Clock::Time deadline,
                                 const std::stop_token& stop) {
  PodWrite write(parts_, pod.ns, pod.name, deadline, stop);
  Nomination patch(pod, node, instead_of);
  return Attempt(patch, write, nominations_denied_, looks_denied_).run();
}

PatchResult PodPatcher::remove_gate(const PodIdentity& pod, std::string_view gate, Clock::Time deadline,
                                    const std::stop_token& stop) {
  PodWrite write(parts_, pod.ns, pod.name, deadline, stop);
  GateRemoval patch(pod, gate);
  return Attempt(patch, write, removals_denied_, looks_denied_).run();
}

std::string PodPatcher::denied() const {
  for (const Denials* denials : {&nominations_denied_, &removals_denied_, &looks_denied_})
    if (std::string why = denials->why(); !why.empty()) return why;
  return "";
}

}  // namespace winnow::live
