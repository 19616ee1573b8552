// cpp-httplib's client over connections of our own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "cluster/client/transport/transport.h"

namespace winnow::live {

class Resolver;
class TlsContext;
struct ServerUrl;

/// The server of a client. What it refers to outlives the client.
struct HttpTarget {
  const ServerUrl& url;
  const std::string& name;  ///< The name in the server's certificate; "": the URL's host.
  Resolver& resolver;
  std::chrono::milliseconds connect;  ///< The most for look-up, socket and handshake.
  std::chrono::milliseconds slow;     ///< The time after which ApiRequest::on_slow is called.
};

/// The receiver of an answer that comes in pieces.
struct Streaming {
  const ApiTransport::OnPiece& on_piece;
  std::chrono::milliseconds idle;  ///< The deadline is renewed to this with each piece.
};

/// One request, and what came of it.
struct Exchange {
  enum class Over : std::uint8_t {
    kNothing,  ///< No connection could be made.
    kNew,      ///< A connection made for this request.
    kKept,     ///< A connection that an earlier request has left.
  };
  std::expected<ApiResponse, TransportError> answer;
  Over over = Over::kNothing;
  bool sent = false;   ///< The kernel has taken bytes of the request.
  bool heard = false;  ///< A byte of the answer has come.
};

/// Sends requests one after the other, over one connection that is kept between them. One thread at a time
/// uses it. cpp-httplib writes requests, reads answers, and decides when to connect and when to close.
/// Redirects are answers like any other. Nothing is sent a second time.
class HttpClient {
 public:
  /// Does not connect yet. @param tls  null for http.
  HttpClient(const HttpTarget& target, std::shared_ptr<const TlsContext> tls);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Connects where no connection is kept, sends the request and reads the answer.
  /// @param authorization  the header's value; "": none is sent.
  /// @param most  the longest body in bytes, except that of a stream answered 200, which is not kept.
  /// @param streaming  null: the answer is wanted whole.
  Exchange send(const ApiRequest& request, const std::string& authorization, std::size_t most,
                const Streaming* streaming, Deadline& deadline);

  /// Whether a connection is kept.
  bool is_open() const;
  /// Whether a connection is kept, and the server has neither closed it nor said anything.
  bool alive();
  const std::shared_ptr<const TlsContext>& tls() const;

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace winnow::live
