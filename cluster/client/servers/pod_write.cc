#include "cluster/client/servers/pod_write.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "cluster/api/decode.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/text/encoding.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};  ///< Between tries. Each pause is twice the one before.
constexpr milliseconds kLongestPause{800};
/// Writes share a few clients of the balancer. It would remember a client of each pod long after the write.
constexpr std::size_t kClients = 16;

std::string client_of(std::string_view purpose, std::string_view ns, std::string_view name) {
  const std::size_t hash = std::hash<std::string>()(std::string(ns).append("/").append(name));
  return std::string(purpose) + '-' + std::to_string(hash % kClients);
}

/// Names come from requests, so they are escaped.
std::string path_of(std::string_view ns, std::string_view name) {
  return "/api/v1/namespaces/" + percent_encoded(ns) + "/pods/" + percent_encoded(name);
}

std::string status_message(const ApiResponse& answer) {
  const auto status = read_status(answer.body);
  const std::string words = status ? status->message : "";
  if (answer.status == 401)
    return "the API server refuses Winnow's credentials: 401 " + (words.empty() ? "Unauthorized" : words);
  if (words.empty()) return "the API server answered " + std::to_string(answer.status);
  return answer.status == 403 ? "not allowed: " + words : words;
}

/// A 403 in the words of RBAC: about a right of Winnow's, and not about this pod.
bool lacks_right(const ApiResponse& answer) {
  if (answer.status != 403) return false;
  const std::string words = failure_of(answer).message;
  return words.contains("\" cannot ") && words.contains(" resource \"pods");
}

}  // namespace

PodWrite::PodWrite(const WriteParts& parts, std::string_view ns, std::string_view name, Clock::Time deadline,
                   const std::stop_token& stop)
    : parts_(parts),
      deadline_(std::max(deadline, Clock::Time{}) - kMargin),  // Others are long past, too.
      stop_(stop),
      name_(name),
      path_(path_of(ns, name)),
      client_(client_of(parts.purpose, ns, name)),
      server_(parts.servers.choose(client_)),
      pause_(kFirstPause) {}

milliseconds PodWrite::left() const {
  return std::chrono::duration_cast<milliseconds>(deadline_ - parts_.clock.now());
}

PodWrite::Answer PodWrite::call(const ApiRequest& request) {
  if (parts_.resting != nullptr && !find_awake_server()) return no_server_awake();
  // Half of the time that is left: the rest is for another server, and for reading the pod.
  Answer answer = parts_.transport.call(server_, request, left() / 2 + kFirstPause, stop_);
  if (!answer) last_error_ = server_ + ": " + answer.error().message;
  if (answer && answer->status / 100 != 2) last_error_ = status_message(*answer);
  if (answer && answer->status == 401) ++unauthorized_;
  if (answer && lacks_right(*answer)) ++forbidden_;
  if (answer && parts_.resting != nullptr) parts_.resting->heard(server_, *answer);
  moved_ = false;
  if (answer && answer->status < 500 && answer->status != 429 && !is_denied(*answer))
    parts_.servers.renew(client_);
  else
    leave_server();
  return answer;
}

void PodWrite::leave_server() {
  const std::string left = std::exchange(server_, parts_.servers.choose_another(client_, server_));
  moved_ = server_ != left;
}

void PodWrite::distrust(const ApiResponse& answer) {
  last_error_ = server_ + ": answered " + std::to_string(answer.status) + " with what is not the pod";
  leave_server();
}

PodReadResult PodWrite::look() {
  const std::string before = last_error_;
  PodReadResult sight = look_until_seen();
  sight.error = std::exchange(last_error_, before);
  return sight;
}

PodReadResult PodWrite::look_until_seen() {
  while (left() > milliseconds(0)) {
    const Answer answer = call({"GET", path_, ""});
    if (answer && answer->status == 404) return {.seen = true};
    if (answer && answer->status == 200) {
      auto pod = decode_pod(answer->body);
      if (pod && pod->metadata.name == name_ && !pod->metadata.uid.empty())
        return {.seen = true, .pod = std::move(*pod)};
      distrust(*answer);
    }
    if (is_stopped(answer)) return {};
    if (answer && is_settled(*answer)) return {.refusal = *answer};
    pause(answer);
  }
  return {};
}

void PodWrite::pause(const Answer& answer) {
  // The next request has other credentials, or goes to another server.
  if (answer && is_denied(*answer)) return;
  milliseconds wanted = pause_;
  // A server that asked for a pause gets it where no other can be asked, but never all of the time left.
  if (answer && answer->retry_after && !moved_)
    wanted = std::max(wanted, std::min(milliseconds(*answer->retry_after), left() / 2));
  pause_ = std::min(2 * pause_, kLongestPause);
  parts_.clock.sleep(std::clamp(wanted, milliseconds(1), std::max(left(), milliseconds(1))), stop_);
}

/// Moves to a server that does not rest. If all do, waits for the first that does no more. @return false: no
/// time is left.
bool PodWrite::find_awake_server() {
  while (left() > milliseconds(0) && !stop_.stop_requested()) {
    Clock::Time first = Clock::Time::max();
    for (std::size_t all = parts_.servers.servers().size(); all > 0; --all) {
      const Clock::Time until = parts_.resting->until(server_);
      if (until <= parts_.clock.now()) return true;
      first = std::min(first, until);
      server_ = parts_.servers.choose_another(client_, server_);
    }
    const auto rest = std::chrono::ceil<milliseconds>(first - parts_.clock.now());
    parts_.clock.sleep(std::clamp(rest, milliseconds(1), std::max(left(), milliseconds(1))), stop_);
  }
  return stop_.stop_requested();  // The transport then says so.
}

PodWrite::Answer PodWrite::no_server_awake() {
  if (last_error_.empty())
    last_error_ = server_ + ": it has asked for patience for longer than there is time";
  return std::unexpected(TransportError{TransportError::Kind::kUnreachable, last_error_});
}

bool PodWrite::is_stopped(const Answer& answer) {
  return !answer && answer.error().kind == TransportError::Kind::kStopped;
}

bool PodWrite::is_final(int status) {
  return status / 100 == 4 && status != 409 && status != 429 && status != 408;
}

bool PodWrite::is_denied(const ApiResponse& answer) { return answer.status == 401 || lacks_right(answer); }

bool PodWrite::is_turned_away(const Answer& answer) {
  if (!answer) return answer.error().kind == TransportError::Kind::kUnreachable;
  return is_denied(*answer) || answer->status == 429;
}

bool PodWrite::is_refused_everywhere(const ApiResponse& answer) const {
  const std::size_t servers = parts_.servers.servers().size();
  return answer.status == 401 ? unauthorized_ > servers : lacks_right(answer) && forbidden_ >= servers;
}

bool PodWrite::is_settled(const ApiResponse& answer) const {
  return is_denied(answer) ? is_refused_everywhere(answer) : is_final(answer.status);
}

}  // namespace winnow::live
