// The byte stream of a connection: a plain socket. A TLS session would be another implementation, over the
// same socket, with its handshake inside read() and write().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace winnow::http {

/// The outcome of one read or write. Neither blocks.
struct Io {
  enum class Kind : std::uint8_t { kDone, kWantRead, kWantWrite, kClosed };
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
};

/// A transport over a connected, non-blocking socket, which it owns from then on.
std::unique_ptr<Transport> make_plain_transport(int fd);

}  // namespace winnow::http
