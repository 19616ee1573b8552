#include "cluster/client/servers/binder.h"

#include <optional>

#include "cluster/text/go_format.h"
#include "cluster/text/json.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;

ApiRequest binding_request(const std::string& pod_path, const Binding& binding) {
  std::string body = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)";
  append_quoted(body, binding.name);
  append_quoted(body += R"(,"namespace":)", binding.ns);
  append_quoted(body += R"(,"uid":)", binding.uid);
  append_quoted(body += R"(},"target":{"apiVersion":"v1","kind":"Node","name":)", binding.node);
  return {"POST", pod_path + "/binding", body + "}}"};
}

/// The binding's result by the pod that the API server has. Nothing: the pod can still be bound.
std::optional<BindResult> judge(const Pod& pod, const Binding& binding) {
  const std::string name = binding.ns + "/" + binding.name;
  if (!binding.uid.empty() && pod.metadata.uid != binding.uid)
    return BindResult{BindOutcome::kConflict, "pod " + name + " is another pod now: its UID is " +
                                                  pod.metadata.uid + ", not " + binding.uid};
  if (pod.spec.node_name == binding.node) return BindResult{BindOutcome::kAlreadyBound, ""};
  if (!pod.spec.node_name.empty())
    return BindResult{BindOutcome::kConflict,
                      "pod " + name + " is already assigned to node " + go_quote(pod.spec.node_name)};
  if (pod.metadata.deleting)
    return BindResult{BindOutcome::kConflict,
                      "pod " + name + " is being deleted, cannot be assigned to a host"};
  return std::nullopt;
}

}  // namespace

std::string_view to_string(BindOutcome outcome) {
  constexpr std::string_view kTexts[kBindOutcomes] = {"bound",   "already_bound", "conflict", "not_found",
                                                      "refused", "denied",        "unknown"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

/// One call of bind(): what was tried so far.
class Binder::Attempt {
 public:
  Attempt(Binder& binder, const Binding& binding, Clock::Time deadline, const std::stop_token& stop)
      : denials_(binder.denials_),
        binding_(binding),
        write_(binder.parts_, binding.ns, binding.name, deadline, stop) {}

  BindResult run() {
    const ApiRequest post = binding_request(write_.path(), binding_);
    while (write_.left() > milliseconds(0)) {
      const PodWrite::Answer answer = write_.call(post);
      if (PodWrite::is_stopped(answer)) break;
      if (answer && answer->status / 100 == 2) return bound();
      if (answer && write_.is_settled(*answer)) return refusal(*answer);
      if (!PodWrite::is_turned_away(answer)) {
        // A conflict, a server in trouble, or no answer: the pod itself tells.
        const PodReadResult sight = write_.look();
        if (const auto result = result_of(sight)) return *result;
        // Unless the pod was seen, the conflict may be with this call's own binding, whose answer was lost.
        if (answer && answer->status == 409)
          return {sight.seen ? BindOutcome::kConflict : BindOutcome::kUnknown, write_.last_error()};
        in_doubt_ = !sight.seen;
      }
      write_.pause(answer);
    }
    const std::string& error = write_.last_error();
    return {BindOutcome::kUnknown, error.empty() ? "no API server has answered in time" : error};
  }

 private:
  /// Nothing: the pod was not seen, or can still be bound.
  std::optional<BindResult> result_of(const PodReadResult& sight) const {
    if (!sight.seen) return std::nullopt;
    if (!sight.pod) return BindResult{BindOutcome::kNotFound, sight.error};
    return judge(*sight.pod, binding_);
  }

  BindResult bound() const {
    denials_.let_through();
    return {BindOutcome::kBound, ""};
  }

  BindResult refusal(const ApiResponse& answer) const {
    if (answer.status == 404) return {BindOutcome::kNotFound, write_.last_error()};
    denials_.refused(answer);
    if (in_doubt_) return {BindOutcome::kUnknown, write_.last_error()};
    const bool denied = answer.status == 401 || answer.status == 403;
    return {denied ? BindOutcome::kDenied : BindOutcome::kRefused, write_.last_error()};
  }

  Denials& denials_;
  const Binding& binding_;
  PodWrite write_;
  bool in_doubt_ = false;  ///< A binding may have been carried out, and nothing has settled it since.
};

BindResult Binder::bind(const Binding& binding, Clock::Time deadline, const std::stop_token& stop) {
  return Attempt(*this, binding, deadline, stop).run();
}

}  // namespace winnow::live
