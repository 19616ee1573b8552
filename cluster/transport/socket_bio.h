// The OpenSSL BIO of a socket.
#pragma once

#include <cstdint>

struct bio_st;

namespace winnow::live {

/// A non-blocking socket.
struct Socket {
  int fd = -1;
  std::uint64_t bytes_sent = 0;  ///< Bytes that the kernel has taken for sending.
  int error = 0;                 ///< The errno of the last read or write that failed.
};

/// Makes the BIO. Unlike OpenSSL's own it raises no SIGPIPE, and it counts the bytes sent. The socket
/// outlives it. @return null when memory is exhausted.
bio_st* make_socket_bio(Socket& socket);

}  // namespace winnow::live
