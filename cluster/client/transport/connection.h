// One connection to a server: a socket, under TLS or plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/client/access/tls_context.h"
#include "cluster/client/transport/sockets.h"
#include "cluster/client/transport/transport.h"

struct ssl_st;

namespace winnow::live {

struct ServerUrl;

/// Calls block as long as their Deadline allows. One thread at a time uses it.
///
/// The server's certificate must have its name, or its address, in a subject alternative name; the common
/// name never counts. A server that has vanished is noticed within 45 s, whether anything is being sent or
/// not: the kernel sends probes after 15 s of silence, every 5 s, and gives up after 40 s without an answer.
/// Once a call has ended with kTimeout or kStopped, no byte of it leaves this machine any more after the end
/// of the connection, so that a request that was given up does not arrive when a cut network is whole again.
class Connection {
 public:
  enum class Fault : std::uint8_t {
    kEnd,      ///< The server has closed the connection in order.
    kBroken,   ///< The connection was cut.
    kRefused,  ///< The server sent a TLS alert instead of an answer: it refuses the handshake.
    kTimeout,  ///< The deadline has passed, or the kernel has given up a peer that does not answer.
    kStopped,
  };

  /// @param tls  null for http.  @param name  the name in the certificate; "": the URL's host.
  /// @return the connection, or kUnreachable or kStopped; the message does not have the server's URL.
  static std::expected<std::unique_ptr<Connection>, TransportError> open(
      const ServerUrl& url, std::shared_ptr<const TlsContext> tls, const std::string& name,
      Resolver& resolver, Deadline& deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Reads at least one byte.
  std::expected<std::size_t, Fault> read(char* into, std::size_t size, const Deadline& deadline);
  /// Writes all bytes.
  std::expected<void, Fault> write(std::string_view bytes, const Deadline& deadline);

  /// Whether an unused connection can be used again: the server has neither closed it nor said anything.
  bool alive();
  /// Bytes that the kernel has taken, those of TLS included.
  std::uint64_t bytes_sent() const { return socket_.bytes_sent; }
  const std::shared_ptr<const TlsContext>& tls() const { return tls_; }
  int fd() const { return socket_.fd; }

 private:
  explicit Connection(std::shared_ptr<const TlsContext> tls) : tls_(std::move(tls)) {}
  std::expected<void, TransportError> shake_hands(const std::string& name, const Deadline& deadline);
  // Each makes one attempt. It gives the number of bytes moved; 0: it has waited, and the caller tries again.
  void note(Fault fault);
  std::expected<std::size_t, Fault> wait(short events, const Deadline& deadline) const;
  std::expected<std::size_t, Fault> after_tls(int result, const Deadline& deadline);
  std::expected<std::size_t, Fault> try_read(char* into, std::size_t size, const Deadline& deadline);
  std::expected<std::size_t, Fault> try_write(std::string_view bytes, const Deadline& deadline);

  Socket socket_;
  std::shared_ptr<const TlsContext> tls_;
  ssl_st* session_ = nullptr;  ///< Owned; null for http.
  bool heard_ = false;         ///< The server has sent data.
  bool given_up_ = false;      ///< What the kernel has not delivered is dropped at the end.
};

}  // namespace winnow::live
