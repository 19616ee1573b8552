// One write to a pod, tried over several API servers until its deadline.
//
// The idea: whether a write was carried out must be known, although answers get lost. So a write carries the
// pod's UID as a precondition, and can be sent again, and to another server. An answer that is not clear is
// not believed: the pod itself is read, and tells. Binder and PodPatcher decide what is sent and what the pod
// tells. Here is what they share: which server is asked, how long one request may last, and the pauses
// between them.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/api/pod.h"
#include "cluster/client/transport/transport.h"
#include "cluster/clock.h"

namespace winnow::live {

class ApiServers;
class RestingServers;

/// What many writes share; all of it outlives them.
struct WriteParts {
  ApiServers& servers;
  ApiTransport& transport;
  Clock& clock;
  std::string_view purpose;           ///< "bind": in the names of the balancer's clients.
  RestingServers* resting = nullptr;  ///< Null: a Retry-After concerns the write alone that got it.
};

/// The outcome of reading the pod.
struct PodReadResult {
  bool seen = false;                   ///< An API server has told whether there is such a pod.
  std::optional<Pod> pod;              ///< Nothing although seen: there is none.
  std::string error;                   ///< Without a pod: why, in one line.
  std::optional<ApiResponse> refusal;  ///< Not seen, for this final answer: 401 of all servers, 403.
};

/// A server that fails, or answers 429, is left for another one. Pauses grow with each try. A server that
/// answers 401 is left without a pause: the credentials are read again in between. So is one that denies the
/// right to write: an API server that has just started knows no roles yet. One thread uses it.
class PodWrite {
 public:
  using Answer = std::expected<ApiResponse, TransportError>;
  /// Kept free before the deadline, for the answer to our caller.
  static constexpr std::chrono::milliseconds kMargin{100};

  /// @param stop  outlives this, as do `parts`.
  PodWrite(const WriteParts& parts, std::string_view ns, std::string_view name, Clock::Time deadline,
           const std::stop_token& stop);

  /// The pod's path, with its names escaped.
  const std::string& path() const { return path_; }
  /// What is left until shortly before the deadline. Not above zero: nothing more is sent.
  std::chrono::milliseconds left() const;
  /// Sends one request. After a failure the next one goes to another server.
  Answer call(const ApiRequest& request);
  /// Reads the pod, until there is an answer or no time is left. last_error() stays as it was.
  PodReadResult look();
  /// The answer to the last call is not what an API server says of this pod: the next goes to another server.
  void distrust(const ApiResponse& answer);
  /// Waits before the next request, as the answer to the last one asks for.
  void pause(const Answer& answer);

  /// Whether the stop token has ended the request.
  static bool is_stopped(const Answer& answer);
  /// Whether no API server has begun to process the request.
  static bool is_turned_away(const Answer& answer);
  /// Whether the answer settles the request: to send it again, or to another server, would not help.
  bool is_settled(const ApiResponse& answer) const;

  /// What went wrong with the last request that failed, in one line; "": none did.
  const std::string& last_error() const { return last_error_; }

 private:
  static bool is_final(int status);
  /// A server refuses our credentials, or denies a right.
  static bool is_denied(const ApiResponse& answer);
  /// Each server has refused our credentials, one of them after they were read again; or denies the right.
  bool is_refused_everywhere(const ApiResponse& answer) const;
  void leave_server();
  bool find_awake_server();
  Answer no_server_awake();
  PodReadResult look_until_seen();

  const WriteParts& parts_;
  const Clock::Time deadline_;
  const std::stop_token& stop_;
  const std::string name_;
  const std::string path_;
  const std::string client_;
  std::string server_;
  std::string last_error_;
  std::chrono::milliseconds pause_;
  std::size_t unauthorized_ = 0;  ///< Answers 401.
  std::size_t forbidden_ = 0;     ///< Answers that deny a right.
  bool moved_ = false;            ///< The last request failed, and the next one goes to another server.
};

}  // namespace winnow::live
