#include "cluster/servers/binder.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "cluster/decode/decode.h"
#include "cluster/servers/api_status.h"
#include "cluster/text/json/json_string.h"
#include "cluster/text/percent_encoding.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMargin{100};     ///< Kept free before the deadline, for the answer to our caller.
constexpr milliseconds kFirstPause{50};  ///< Between attempts. Each pause is twice the one before.
constexpr milliseconds kLongestPause{800};
/// Binds share a few clients of the balancer. It would remember a client of each bind long after the bind.
constexpr std::size_t kClients = 16;

/// Names come from the request, so they are escaped.
std::string pod_path(const Binding& binding) {
  return "/api/v1/namespaces/" + percent_encoded(binding.ns) + "/pods/" + percent_encoded(binding.name);
}

ApiRequest binding_request(const Binding& binding) {
  std::string body = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)";
  append_quoted(body, binding.name);
  append_quoted(body += R"(,"namespace":)", binding.ns);
  append_quoted(body += R"(,"uid":)", binding.uid);
  append_quoted(body += R"(},"target":{"apiVersion":"v1","kind":"Node","name":)", binding.node);
  return {"POST", pod_path(binding) + "/binding", body + "}}"};
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
                      "pod " + name + " is already assigned to node \"" + pod.spec.node_name + "\""};
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
      : binder_(binder),
        binding_(binding),
        deadline_(deadline - kMargin),
        stop_(stop),
        client_("bind-" +
                std::to_string(std::hash<std::string>()(binding.ns + '/' + binding.name) % kClients)),
        server_(binder.servers_.choose(client_)) {}

  BindResult run() {
    const ApiRequest post = binding_request(binding_);
    while (left() > milliseconds(0)) {
      const Answer answer = call(post);
      if (is_stopped(answer)) break;
      if (answer && answer->status / 100 == 2) return bound();
      if (answer && (is_final(answer->status) || is_refused_everywhere(*answer))) return refusal(*answer);
      if (!is_turned_away(answer)) {
        // A conflict, a server in trouble, or no answer: the pod itself tells.
        const Sight sight = look();
        if (sight.result) return *sight.result;
        // Unless the pod was seen, the conflict may be with this call's own binding, whose answer was lost.
        if (answer && answer->status == 409)
          return {sight.seen ? BindOutcome::kConflict : BindOutcome::kUnknown, last_error_};
        in_doubt_ = !sight.seen;
      }
      pause(answer);
    }
    return {BindOutcome::kUnknown, last_error_.empty() ? "no API server has answered in time" : last_error_};
  }

 private:
  using Answer = std::expected<ApiResponse, TransportError>;

  /// The outcome of reading the pod.
  struct Sight {
    bool seen = false;                 ///< False: no API server has answered.
    std::optional<BindResult> result;  ///< Nothing although seen: the pod can still be bound.
  };

  static bool is_stopped(const Answer& answer) {
    return !answer && answer.error().kind == TransportError::Kind::kStopped;
  }
  static bool is_final(int status) {
    return status / 100 == 4 && status != 409 && status != 429 && status != 408 && status != 401;
  }
  /// Whether no API server has begun to process the request.
  static bool is_turned_away(const Answer& answer) {
    if (!answer) return answer.error().kind == TransportError::Kind::kUnreachable;
    return answer->status == 401 || answer->status == 429;
  }

  /// Each server has refused our credentials, one of them after they were read again.
  bool is_refused_everywhere(const ApiResponse& answer) const {
    return answer.status == 401 && unauthorized_ > binder_.servers_.servers().size();
  }

  BindResult bound() const {
    binder_.note("");
    return {BindOutcome::kBound, ""};
  }

  BindResult refusal(const ApiResponse& answer) const {
    if (answer.status == 404) return {BindOutcome::kNotFound, last_error_};
    note(answer);
    if (in_doubt_) return {BindOutcome::kUnknown, last_error_};
    const bool denied = answer.status == 401 || answer.status == 403;
    return {denied ? BindOutcome::kDenied : BindOutcome::kRefused, last_error_};
  }

  /// A 403 with these words is about a right that Winnow lacks. Any other may be about this pod alone, as one
  /// of an admission plugin is.
  void note(const ApiResponse& answer) const {
    const bool for_all =
        answer.status == 401 || last_error_.contains(R"(cannot create resource "pods/binding")");
    binder_.note(for_all ? denial(answer.status, "binding of pods", failure_of(answer).message) : "");
  }

  /// Asks for the pod until there is an answer.
  Sight look() {
    const std::string before = last_error_;
    Sight sight = look_until_seen();
    last_error_ = before;
    return sight;
  }

  Sight look_until_seen() {
    while (left() > milliseconds(0)) {
      const Answer answer = call({"GET", pod_path(binding_), ""});
      if (answer && answer->status == 404) return {true, BindResult{BindOutcome::kNotFound, last_error_}};
      if (answer && answer->status == 200)
        if (const auto pod = decode_pod(answer->body)) return {true, judge(*pod, binding_)};
      if (is_stopped(answer)) return {};
      if (answer && (is_final(answer->status) || is_refused_everywhere(*answer))) return {};
      pause(answer);
    }
    return {};
  }

  /// One request; after a failure the next one goes to another server.
  Answer call(const ApiRequest& request) {
    // Half of the time that is left: the rest is for another server, and for reading the pod.
    Answer answer = binder_.transport_.call(server_, request, left() / 2 + kFirstPause, stop_);
    if (!answer) last_error_ = server_ + ": " + answer.error().message;
    if (answer && answer->status / 100 != 2) last_error_ = status_message(*answer);
    if (answer && answer->status == 401) ++unauthorized_;
    moved_ = false;
    if (answer && answer->status < 500 && answer->status != 429 && answer->status != 401) {
      binder_.servers_.renew(client_);
    } else {
      const std::string failed = std::exchange(server_, binder_.servers_.choose_another(client_, server_));
      moved_ = server_ != failed;
    }
    return answer;
  }

  static std::string status_message(const ApiResponse& answer) {
    const auto status = read_status(answer.body);
    const std::string words = status ? status->message : "";
    if (answer.status == 401)
      return "the API server refuses Winnow's credentials: 401 " + (words.empty() ? "Unauthorized" : words);
    if (words.empty()) return "the API server answered " + std::to_string(answer.status);
    return answer.status == 403 ? "not allowed: " + words : words;
  }

  milliseconds left() const {
    return std::chrono::duration_cast<milliseconds>(deadline_ - binder_.clock_.now());
  }

  void pause(const Answer& answer) {
    // The next request has other credentials, or goes to another server.
    if (answer && answer->status == 401) return;
    milliseconds wanted = pause_;
    // A server that asked for a pause gets it where no other can be asked, but never all of the time left.
    if (answer && answer->retry_after && !moved_)
      wanted = std::max(wanted, std::min(milliseconds(*answer->retry_after), left() / 2));
    pause_ = std::min(2 * pause_, kLongestPause);
    binder_.clock_.sleep(std::clamp(wanted, milliseconds(1), std::max(left(), milliseconds(1))), stop_);
  }

  Binder& binder_;
  const Binding& binding_;
  const Clock::Time deadline_;
  const std::stop_token& stop_;
  const std::string client_;
  std::string server_;
  std::string last_error_;
  milliseconds pause_ = kFirstPause;
  std::size_t unauthorized_ = 0;  ///< Answers 401.
  bool moved_ = false;            ///< The last request failed, and the next one goes to another server.
  bool in_doubt_ = false;         ///< A binding may have been carried out, and nothing has settled it since.
};

BindResult Binder::bind(const Binding& binding, Clock::Time deadline, const std::stop_token& stop) {
  return Attempt(*this, binding, deadline, stop).run();
}

void Binder::note(std::string denied) {
  const MutexLock lock(mutex_);
  denied_ = std::move(denied);
  denied_at_ = clock_.now();
}

std::string Binder::denied() const {
  const MutexLock lock(mutex_);
  return clock_.now() - denied_at_ < kDeniedFor ? denied_ : "";
}

}  // namespace winnow::live
