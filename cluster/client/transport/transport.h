// The interface of requests to API servers, injected so that a test can cause any fault, and their limits.
//
// cluster/client/transport sends requests over HTTP/1.1. https_transport.h implements this interface. Its
// parts are sockets.h (names and sockets), connection.h (TLS), http_client.h and wire.h (requests and
// answers, by cpp-httplib) and connection_pool.h (kept connections). This header also has Deadline: limits
// and stop requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/function_ref.h"

namespace winnow::live {

/// What a request asks for, and so how long its answer may be.
enum class AnswerOf : std::uint8_t {
  kObject,  ///< One object at most: all that writes, and look-ups by name.
  kList,    ///< As many objects as there are.
};

struct ApiRequest {
  std::string method = "GET";
  std::string path;  ///< From the first "/", with the query: "/api/v1/pods?limit=500".
  std::string body;  ///< JSON; empty: none.
  /// Called by ApiTransport::call(), in its thread, if the answer is not whole after kSlow. Once for each
  /// time that the request is sent. It must not throw. Null: nobody is told.
  /// @param bytes  of the answer's body so far.
  std::function<void(std::size_t bytes)> on_slow = nullptr;
  /// Of the body. A text that lives as long as the program.
  std::string_view content_type = "application/json";
  /// An answer that is longer is cut, even if it would never end; see TransportError::Kind::kOversized.
  AnswerOf answer = AnswerOf::kObject;
};

struct ApiResponse {
  int status = 0;
  std::string body;  ///< Empty for a stream answered 200, whose pieces were handed out.
  std::optional<std::chrono::seconds> retry_after;
};

/// The reason for which there is no answer, or no complete one.
struct TransportError {
  enum class Kind : std::uint8_t {
    kUnreachable,  ///< No connection (refused, no route, TLS not agreed): the server has not seen the
                   ///< request.
    kBroken,       ///< The connection ended before the answer did; the request may have been carried out.
    kTimeout,      ///< No (more) answer in time; the request may have been carried out.
    kOversized,    ///< The answer is larger than the limit.
    kStopped,      ///< The caller's stop token has asked to stop.
  };
  Kind kind = Kind::kBroken;
  std::string message;  ///< One line; nothing secret.
  /// With kUnreachable: one side has refused the other's certificate, or may have.
  bool handshake_failed = false;
};

/// Sends requests with the user's credentials. Servers are named by URL: "https://10.0.0.1:6443",
/// "https://[fd00::1]:6443", with or without a path in front of the API's. Thread-safe; calls block.
class ApiTransport {
 public:
  virtual ~ApiTransport() = default;

  /// See ApiRequest::on_slow.
  static constexpr std::chrono::seconds kSlow{10};

  /// Sends a request and waits for the whole answer, over a connection that is kept for the next one.
  /// @param limit  the time for the whole call.
  virtual std::expected<ApiResponse, TransportError> call(const std::string& server,
                                                          const ApiRequest& request,
                                                          std::chrono::milliseconds limit,
                                                          const std::stop_token& stop) = 0;

  /// Receives a piece of a stream, cut anywhere. An empty piece comes first, when the head of a 200 is there;
  /// a watch may then be silent for a long time. @return false to end the stream.
  using OnPiece = FunctionRef<bool(std::string_view)>;

  /// Sends a request whose answer comes in pieces for a long time (a watch). An answer other than 200 comes
  /// whole, as from call(). @return the answer when the stream has ended in order, or on_piece has ended it.
  /// @param limit  the time until the answer's head is there.
  /// @param idle  the longest silence between pieces.
  virtual std::expected<ApiResponse, TransportError> stream(
      const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
      std::chrono::milliseconds idle, const OnPiece& on_piece, const std::stop_token& stop) = 0;
};

// The limit of one blocking call: a moment in time, and a stop request of the caller.

/// One thread uses it, except that any thread may request the stop. It uses real time, because sockets do.
class Deadline {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class End : std::uint8_t { kReady, kTimeout, kStopped };

  Deadline(Time until, std::stop_token stop);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  Time until() const { return until_; }
  void set_until(Time until) { until_ = until; }
  const std::stop_token& stop() const { return stop_; }
  /// Has wait() call a function once at that time, and wait on; null: none.
  void set_reminder(Time at, std::function<void()> remind) {
    remind_at_ = at;
    remind_ = std::move(remind);
  }

  /// kReady while there is time left.
  End check() const;
  /// Waits for the events of poll() on a descriptor; an error on it counts as ready.
  End wait(int fd, short events) const;

 private:
  void remind() const;

  Time until_;
  std::stop_token stop_;
  int wake_ = -1;  ///< An eventfd that the stop request makes readable; -1: there can be none.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  Time remind_at_{};
  mutable std::function<void()> remind_;  ///< Null when it was called.
};

}  // namespace winnow::live
