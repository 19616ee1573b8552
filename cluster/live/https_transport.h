// Requests to API servers over HTTP/1.1, with the user's credentials.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/live/client_config.h"
#include "cluster/live/clock.h"
#include "cluster/live/connection_pool.h"
#include "cluster/live/credentials.h"
#include "cluster/live/http_exchange.h"
#include "cluster/live/resolver.h"
#include "cluster/live/transport.h"

namespace winnow::live {

struct HttpsLimits {
  std::size_t connections = 32;                     ///< Kept for call(), a server; streams have their own.
  std::size_t body_bytes = std::size_t{256} << 20;  ///< Of an answer that is wanted whole.
  std::chrono::milliseconds connect = std::chrono::seconds(10);  ///< For address, socket and handshake.
  std::chrono::milliseconds prune = std::chrono::seconds(10);    ///< Between looks at kept connections.
};

/// Verification is Connection's, credentials are Credentials'. Over http:// no credentials are sent at all
/// (as client-go does), whatever the host. Answers are asked for uncompressed, as kube-scheduler does:
/// between neighbours the packing costs more than it saves. Redirects are never followed.
///
/// call(): when a kept connection fails before any byte of the answer, a GET is sent once more, over a new
/// connection; anything else only if nothing of it was sent. A caller that finds all connections in use waits
/// within its limit, and is told kUnreachable at its end. Kept connections that will not be used again, those
/// of servers that nobody asks any more too, are closed when anybody calls anything. stream(): of an answer
/// that begins, everything but a silence longer than `idle` is patience's. It ends in order, between two
/// lines, when the certificates have changed: to the server we are who the handshake said.
class HttpsTransport final : public ApiTransport {
 public:
  /// Reads the files that the configuration names. The clock outlives this; it is what tokens age by.
  /// @return or one line, nothing secret.
  static std::expected<std::unique_ptr<HttpsTransport>, std::string> make(ClientConfig config, Clock& clock,
                                                                          HttpsLimits limits = {});

  std::expected<ApiResponse, TransportError> call(const std::string& server, const ApiRequest& request,
                                                  std::chrono::milliseconds limit,
                                                  const std::stop_token& stop) override;
  std::expected<ApiResponse, TransportError> stream(const std::string& server, const ApiRequest& request,
                                                    std::chrono::milliseconds limit,
                                                    std::chrono::milliseconds idle, const OnPiece& on_piece,
                                                    const std::stop_token& stop) override;

  struct Counts {
    std::uint64_t connections = 0;   ///< Made, with their handshakes.
    std::uint64_t failures = 0;      ///< To make one.
    std::uint64_t resent = 0;        ///< Requests sent again because a kept connection was gone.
    std::uint64_t unauthorized = 0;  ///< Answers 401,
    std::uint64_t forbidden = 0;     ///< and 403.
  };
  Counts counts() const;
  Credentials::Counts credential_counts() const { return credentials_->counts(); }
  /// See Credentials.
  void on_credential_failure(std::function<void(const std::string&)> told) {
    credentials_->on_failure(std::move(told));
  }

 private:
  struct Server {
    Server(ServerUrl url_, std::size_t connections) : url(std::move(url_)), pool(connections) {}
    const ServerUrl url;
    ConnectionPool pool;
  };
  using Connected = std::expected<std::unique_ptr<Connection>, TransportError>;
  using Answer = std::expected<ApiResponse, TransportError>;

  HttpsTransport(std::unique_ptr<Credentials> credentials, std::string name, Clock& clock, HttpsLimits limits)
      : credentials_(std::move(credentials)), name_(std::move(name)), clock_(clock), limits_(limits) {}
  std::expected<std::shared_ptr<Server>, TransportError> find(const std::string& server);
  void prune_sometimes();
  Connected connect(const ServerUrl& url, Patience& patience);
  Exchange try_call(Server& server, const ApiRequest& request, bool again, bool& may_repeat,
                    Patience& patience);
  Exchange send(Connection& connection, const ServerUrl& url, const ApiRequest& request,
                const Streaming* streaming, Patience& patience);

  std::unique_ptr<Credentials> credentials_;
  const std::string name_;  ///< To be in certificates; "": the URL's host.
  Clock& clock_;
  const HttpsLimits limits_;
  Resolver resolver_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Server>> servers_;  ///< Guarded by mutex_. By URL.
  Patience::Time pruned_{};                                 ///< Guarded by mutex_.
  std::atomic<std::uint64_t> connections_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<std::uint64_t> resent_ = 0;
  std::atomic<std::uint64_t> unauthorized_ = 0;
  std::atomic<std::uint64_t> forbidden_ = 0;
};

}  // namespace winnow::live
