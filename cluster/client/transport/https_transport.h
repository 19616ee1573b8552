// Requests to API servers over HTTP/1.1, with the user's credentials.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "cluster/client/access/client_config.h"
#include "cluster/client/access/credentials.h"
#include "cluster/client/access/server_url.h"
#include "cluster/client/transport/connection_pool.h"
#include "cluster/client/transport/sockets.h"
#include "cluster/client/transport/transport.h"
#include "cluster/memory_budget.h"
#include "cluster/mutex.h"

namespace winnow::live {

struct HttpsLimits {
  std::size_t connections = 32;  ///< The most for call() a server; streams use their own.
  /// The longest answer of one object. An API server takes none of more than 3 MiB. Dozens may come at once.
  std::size_t object_bytes = std::size_t{4} << 20;
  /// The longest answer that is wanted whole. A dozen lists may come at once.
  std::size_t body_bytes = share_of_memory(32, std::size_t{16} << 20, std::size_t{256} << 20);
  std::chrono::milliseconds connect = std::chrono::seconds(10);  ///< For look-up, socket and handshake.
  std::chrono::milliseconds prune = std::chrono::seconds(10);    ///< Between prunings of kept connections.
  std::chrono::milliseconds slow = ApiTransport::kSlow;
};

/// The transport over real sockets. Connection verifies certificates; Credentials has the token and the
/// client certificate. Over http:// no credentials are sent at all, as in client-go. Answers are requested
/// without compression, as kube-scheduler does: within a data centre it costs more than it saves. Redirects
/// are never followed.
///
/// call(): if a kept connection fails before any byte of the answer, a GET is sent once more over a new
/// connection. Other requests are sent again only if nothing of them was sent. A caller that finds all
/// connections in use waits within its limit, and then gets kUnreachable. Every ten seconds a call
/// also closes kept connections that cannot be used again, of all servers.
///
/// stream(): once an answer has begun, only a silence longer than `idle` ends it early. When the certificates
/// change, it ends in order between two lines, because the handshake was made with the old ones.
class HttpsTransport final : public ApiTransport {
 public:
  /// Reads the files that the configuration names. @param clock  outlives this; tokens age by it.
  /// @return the transport, or an error in one line without secrets.
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
    std::uint64_t connections = 0;   ///< Connections made, with their handshakes.
    std::uint64_t failures = 0;      ///< Connections that could not be made.
    std::uint64_t resent = 0;        ///< Requests sent again because a kept connection was gone.
    std::uint64_t unauthorized = 0;  ///< Answers 401.
    std::uint64_t forbidden = 0;     ///< Answers 403.
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

  HttpsTransport(std::unique_ptr<Credentials> credentials, std::string name, Clock& clock, HttpsLimits limits)
      : credentials_(std::move(credentials)), name_(std::move(name)), clock_(clock), limits_(limits) {}
  std::expected<std::shared_ptr<Server>, TransportError> find(const std::string& server);
  void prune_sometimes();
  HttpTarget target(const Server& server);
  Exchange try_call(Server& server, const ApiRequest& request, bool again, Deadline& deadline);
  Exchange send(HttpClient& client, const ServerUrl& url, const ApiRequest& request,
                const Streaming* streaming, Deadline& deadline);

  std::unique_ptr<Credentials> credentials_;
  const std::string name_;  ///< The name in servers' certificates; "": the URL's host.
  Clock& clock_;
  const HttpsLimits limits_;
  Resolver resolver_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Server>> servers_ WINNOW_GUARDED_BY(mutex_);  ///< By URL.
  Deadline::Time pruned_ WINNOW_GUARDED_BY(mutex_){};
  std::atomic<std::uint64_t> connections_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<std::uint64_t> resent_ = 0;
  std::atomic<std::uint64_t> unauthorized_ = 0;
  std::atomic<std::uint64_t> forbidden_ = 0;
};

}  // namespace winnow::live
