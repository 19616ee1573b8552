// The byte stream of a connection: a plain socket here, a TLS session in tls_transport.h.
//
// extender/http/transport holds what is below HTTP. tls_context.h has the certificates of TLS sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::http {

/// The common name and the DNS names of a client's certificate. Absent: the client has shown none, or there
/// is no TLS.
using ClientNames = std::optional<std::vector<std::string>>;

/// The outcome of one read or write. Neither blocks.
struct Io {
  enum class Kind : std::uint8_t {
    kDone,
    kWantRead,   ///< Nothing can be done until the descriptor can be read.
    kWantWrite,  ///< The same, until it can be written.
    kClosed,     ///< The peer has closed, or the connection is broken.
    kRefused,    ///< The handshake has failed.
  };
  Kind kind = Kind::kClosed;
  std::size_t bytes = 0;  ///< at least 1 with kDone
  bool drained = false;   ///< read() only: the next read() would very likely give kWantRead
};

/// A connected byte stream. Its connection owns it. One thread at a time uses it.
class Transport {
 public:
  virtual ~Transport() = default;
  /// The descriptor to wait on.
  virtual int fd() const = 0;
  virtual Io read(std::span<char> into) = 0;
  /// Writes as much as the socket takes at once. After kWantRead or kWantWrite the caller comes with the same
  /// bytes again, perhaps at another address.
  virtual Io write(std::string_view bytes) = 0;
  /// Ends the writing side (shutdown): the peer reads end of file.
  virtual void finish_writing() = 0;
  /// Whether requests can come. Until then read() and write() carry on with the handshake.
  virtual bool established() const { return true; }
  /// Whether read() has bytes although the descriptor may not become ready.
  virtual bool has_pending() const { return false; }
  /// The names in the client's certificate, once established.
  virtual ClientNames client_names() const { return {}; }
};

/// Makes the transport of a connected, non-blocking socket, which it owns from then on.
using MakeTransport = std::function<std::unique_ptr<Transport>(int fd)>;

/// A plain transport over a connected, non-blocking socket, which it owns from then on.
std::unique_ptr<Transport> make_plain_transport(int fd);

}  // namespace winnow::http
