// A request to one API server: injected, so that a test can put any fault between.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace winnow::live {

struct ApiRequest {
  std::string method = "GET";
  std::string path;  ///< From the first "/", with the query: "/api/v1/pods?limit=500".
  std::string body;  ///< JSON; empty: none.
};

struct ApiResponse {
  int status = 0;
  std::string body;  ///< Of a stream that was answered 200: empty, its pieces were handed out.
  std::optional<std::chrono::seconds> retry_after;
};

/// Why there is no answer, or not all of it.
struct TransportError {
  enum class Kind : std::uint8_t {
    kUnreachable,  ///< No connection (refused, no route, TLS not agreed): the server has not seen the
                   ///< request.
    kBroken,       ///< The connection ended before the answer did; the request may have been carried out.
    kTimeout,      ///< No (more) answer in time; the request may have been carried out.
    kOversized,    ///< The answer is larger than what is taken in.
    kStopped,      ///< The caller's stop token.
  };
  Kind kind = Kind::kBroken;
  std::string message;  ///< One line; nothing secret.
  /// With kUnreachable: one side did not take the other's certificate, or might not have.
  bool handshake_failed = false;
};

/// Sends requests with the user's credentials. Servers are named by URL: "https://10.0.0.1:6443",
/// "https://[fd00::1]:6443", with or without a path in front of the API's. Thread-safe; calls block.
class ApiTransport {
 public:
  virtual ~ApiTransport() = default;

  /// One request and its whole answer, over a connection that is kept for the next one.
  /// @param limit  for everything.
  virtual std::expected<ApiResponse, TransportError> call(const std::string& server,
                                                          const ApiRequest& request,
                                                          std::chrono::milliseconds limit,
                                                          const std::stop_token& stop) = 0;

  /// A piece of a stream, cut anywhere. False: enough, end the stream. An empty piece comes first, when the
  /// head of a 200 is there: a watch may then be silent for a long time.
  using OnPiece = std::function<bool(std::string_view)>;

  /// A request whose answer comes in pieces for a long time (a watch). An answer other than 200 comes whole,
  /// as from call(). @return the answer when the stream has ended as it should, or was ended by on_piece.
  /// @param limit  until the answer's head is there.  @param idle  the longest silence between pieces.
  virtual std::expected<ApiResponse, TransportError> stream(
      const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
      std::chrono::milliseconds idle, const OnPiece& on_piece, const std::stop_token& stop) = 0;
};

}  // namespace winnow::live
