// The byte stream of a connection: a plain socket or a TLS session; and the settings that sessions share.
//
// It is what is below HTTP. TlsContext has the certificates of TLS sessions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
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

/// When a certificate expires. Absent: there is none, or it does not say.
using CertificateEnd = std::optional<std::chrono::sys_seconds>;

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
  /// When the certificate expires that has these names.
  virtual CertificateEnd client_certificate_end() const { return {}; }
};

/// Makes the transport of a connected, non-blocking socket, which it owns from then on.
using MakeTransport = std::function<std::unique_ptr<Transport>(int fd)>;

/// A plain transport over a connected, non-blocking socket, which it owns from then on.
std::unique_ptr<Transport> make_plain_transport(int fd);

}  // namespace winnow::http

// The TLS settings that all connections with one certificate share.

struct ssl_ctx_st;

namespace winnow::http {

/// The PEM texts of a context.
struct TlsMaterial {
  std::string certificate;       ///< the server's, with its chain
  std::string key;               ///< without a password
  std::string client_authority;  ///< "": no client is asked for a certificate
  bool operator==(const TlsMaterial&) const = default;
};

struct TlsSettings {
  bool only_tls13 = false;  ///< otherwise TLS 1.2 too
  /// IANA's names, by preference. Empty: those that Go takes by default. As in Go they are for TLS 1.2; names
  /// of TLS 1.3 are accepted, and change nothing.
  std::vector<std::string> cipher_suites;
};

/// An OpenSSL context of a server, without renegotiation and resumption. A client's certificate is asked for,
/// but not required. One that is shown must be of the client authority, for clients, and with one common name
/// at most. Immutable; any thread.
class TlsContext {
 public:
  /// @return the context, or an error of one line without any of the material's text.
  static std::expected<std::shared_ptr<const TlsContext>, std::string> make(const TlsMaterial& material,
                                                                            const TlsSettings& settings);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* get() const { return context_; }
  /// When the server's certificate expires.
  CertificateEnd certificate_end() const;

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* context_;  ///< Owned.
};

// TLS as the byte stream of a connection.

/// A TLS session over a connected, non-blocking socket, which it owns. The handshake is a part of read() and
/// write(), and so holds no thread. A client that has sent nothing costs no session.
std::unique_ptr<Transport> make_tls_transport(int fd, std::shared_ptr<const TlsContext> context);

}  // namespace winnow::http
