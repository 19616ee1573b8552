// An HTTP/1.1 server in which bad clients do not delay good ones.
//
// All threads share one epoll set. Every socket in it is non-blocking and armed for one event. The thread
// that takes an event owns the connection until it parks it again. It reads; when the request has arrived
// whole, it runs the handler and writes the response. The request does not change threads on the way, unless
// it had to wait: a wake-up costs more than the rest.
//
// At most Limits::workers threads run handlers, and there is one thread more. So one thread is always free to
// read, to accept and to keep deadlines. Requests that find no free handler slot wait in line. Clients that
// are idle, send slowly or do not read hold no thread.
//
//   message.h     requests, responses, limits and counters
//   head.*        the strict parser of the request line and the headers
//   chunked.*     the decoder of chunked bodies
//   reply.*       the head of a response
//   transport.*   the socket; TLS would go here
//   connection.*  the state machine of one connection, without threads
//   registry.*    the owners and deadlines of all connections
//   server.*      the threads
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "extender/http/message.h"

namespace winnow::http {

/// The HTTP server. Thread-safe, except that one thread calls listen(), start() and stop(). It cannot be
/// started again after stop().
class Server {
 public:
  Server(Limits limits, Handler handler);
  /// Stops without a drain if stop() was not called. Handlers that run are awaited.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds and listens. Connections wait in the kernel's backlog until start().
  /// @param address a numeric IPv4 or IPv6 address, no name; "::" takes both families.
  /// @param port 0 for any free port.
  /// @return the port, or one line for the operator, for example that another process has the port.
  std::expected<std::uint16_t, std::string> listen(const std::string& address, std::uint16_t port);

  /// Starts the threads and returns.
  void start();

  /// Ends the server. Accepts no more connections, and closes idle ones. Requests of which a byte has come
  /// are read and answered (with Connection: close) until `drain` has passed. Then their connections are cut.
  /// Returns when all threads have ended.
  void stop(std::chrono::milliseconds drain);

  Counters counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace winnow::http
