// The bytes of a connection: a socket now; a TLS session would stand here, over the same socket, with its
// handshake inside read() and write().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace winnow::http {

/// The outcome of one call that never blocks.
struct Io {
  enum class Kind : std::uint8_t { kDone, kWantRead, kWantWrite, kClosed };
  Kind kind = Kind::kClosed;
  std::size_t bytes = 0;  ///< with kDone, at least 1
  bool drained = false;   ///< read() only: the next read() would very likely say kWantRead
};

/// Owned by its connection; one thread at a time.
class Transport {
 public:
  virtual ~Transport() = default;
  /// The descriptor to wait on.
  virtual int fd() const = 0;
  virtual Io read(std::span<char> into) = 0;
  /// Writes the two one after the other, as far as they go, in one system call.
  virtual Io write(std::string_view first, std::string_view second) = 0;
  /// Tells the peer that nothing more will come.
  virtual void finish_writing() = 0;
};

/// Takes over a connected, non-blocking socket and closes it in the end.
std::unique_ptr<Transport> make_plain_transport(int fd);

}  // namespace winnow::http
