// One connection to a server: a socket, under TLS or plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/live/patience.h"
#include "cluster/live/resolver.h"
#include "cluster/live/server_url.h"
#include "cluster/live/socket_bio.h"
#include "cluster/live/tls_context.h"
#include "cluster/live/transport.h"

struct ssl_st;

namespace winnow::live {

/// Calls block as long as their Patience allows. One thread at a time.
///
/// The server's certificate must hold its name, or its address, in a subject alternative name; the common
/// name never counts. A server that vanished without a word is found out within 45 s, whether anything is
/// being sent or not: the kernel asks after 15 s of silence, every 5 s, and gives up after 40 s without an
/// answer.
class Connection {
 public:
  enum class Fault : std::uint8_t {
    kEnd,      ///< The server has closed it in order.
    kBroken,   ///< Cut off.
    kRefused,  ///< Instead of an answer the server sent a TLS alert: it did not take the handshake.
    kTimeout,  ///< Of our patience, or the kernel's: nobody is there any more.
    kStopped,
  };

  /// @param tls  null for http.  @param name  to be in the certificate; "": the URL's host.
  /// @return or kUnreachable or kStopped, the message without the server's URL.
  static std::expected<std::unique_ptr<Connection>, TransportError> open(
      const ServerUrl& url, std::shared_ptr<const TlsContext> tls, const std::string& name,
      Resolver& resolver, Patience& patience);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// At least one byte.
  std::expected<std::size_t, Fault> read(char* into, std::size_t size, const Patience& patience);
  /// All of it.
  std::expected<void, Fault> write(std::string_view bytes, const Patience& patience);

  /// Whether an unused connection can be used again: the server has neither closed it nor said anything.
  bool alive();
  /// Bytes that the kernel has taken, those of TLS included.
  std::uint64_t bytes_sent() const { return socket_.bytes_sent; }
  const std::shared_ptr<const TlsContext>& tls() const { return tls_; }
  int fd() const { return socket_.fd; }

 private:
  Connection(int fd, std::shared_ptr<const TlsContext> tls) : socket_{fd}, tls_(std::move(tls)) {}
  std::expected<void, TransportError> shake_hands(const std::string& name, const Patience& patience);
  // Each a single attempt: the bytes that it moved, or 0 when it has waited for its next chance.
  std::expected<std::size_t, Fault> wait(short events, const Patience& patience) const;
  std::expected<std::size_t, Fault> after_tls(int result, const Patience& patience);
  std::expected<std::size_t, Fault> try_read(char* into, std::size_t size, const Patience& patience);
  std::expected<std::size_t, Fault> try_write(std::string_view bytes, const Patience& patience);

  Socket socket_;
  std::shared_ptr<const TlsContext> tls_;
  ssl_st* session_ = nullptr;  ///< Owned; null for http.
  bool heard_ = false;         ///< The server has sent data.
};

}  // namespace winnow::live
