// A socket as OpenSSL reads and writes it.
#pragma once

#include <cstdint>

struct bio_st;

namespace winnow::live {

/// A non-blocking socket.
struct Socket {
  int fd = -1;
  std::uint64_t bytes_sent = 0;  ///< Ours that the kernel has taken.
  int error = 0;                 ///< errno of the last reading or writing that failed.
};

/// Unlike OpenSSL's own it raises no SIGPIPE, and it counts. The socket outlives it. Null when out of memory.
bio_st* make_socket_bio(Socket& socket);

}  // namespace winnow::live
