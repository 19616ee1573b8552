// Sockets: the resolver of host names with a time limit, TCP connections, and the OpenSSL BIO of a socket.
#pragma once

#include <sys/socket.h>

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/mutex.h"

namespace winnow::live {

class Deadline;
struct ServerUrl;

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

/// Looks names up with the system's resolver, which cannot be interrupted. So each look-up has a thread of
/// its own. Callers that ask for the same name at the same time share it, and leave it behind when their
/// deadlines pass. Results are not cached. Thread-safe.
class Resolver {
 public:
  /// @return the addresses in the order to try them, or an error in one line. When the deadline has passed or
  /// the caller has stopped it, deadline.check() tells which.
  std::expected<std::vector<SocketAddress>, std::string> resolve(const std::string& host, std::uint16_t port,
                                                                 const Deadline& deadline);

 private:
  struct Lookup;
  struct Shared {
    Mutex mutex;
    std::condition_variable_any done;
    std::map<std::string, std::shared_ptr<Lookup>> running WINNOW_GUARDED_BY(mutex);
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  ///< Outlives the resolver in its threads.
};

// TCP connections.

/// Connects to the first of the host's addresses that accepts. Each address gets its share of the deadline.
/// The socket is non-blocking and has TCP_NODELAY. The kernel gives it up within 45 s after the peer
/// vanished.
/// @return the socket, which the caller closes, or an error in one line; deadline.check() tells whether the
/// caller has stopped it.
std::expected<int, std::string> connect_socket(const ServerUrl& url, Resolver& resolver, Deadline& deadline);

}  // namespace winnow::live

// The OpenSSL BIO of a socket.

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
