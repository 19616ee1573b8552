// An HTTP/1.1 server for a service whose good clients must not wait for bad ones.
//
// A few threads share one epoll set. Every socket in it is non-blocking and armed for one event, so the
// thread that takes an event owns that connection until it parks it again: it reads, and when the request
// has arrived whole it runs the handler and writes the response, with no hand-over to another thread on the
// way (a wake-up costs more than the rest). At most Limits::workers threads run handlers and there is one
// thread more than that, so one is always left to read, to accept and to keep the deadlines; requests that
// find no handler free wait in line. Clients that are idle, that drip or that do not read hold no thread.
//
//   message.h     what the handler sees, limits, counters
//   head.*        the request line and the headers, strictly
//   chunked.*     chunked bodies, as they come
//   reply.*       the bytes of a response
//   transport.*   a socket, and the place where TLS would go
//   connection.*  the life of one connection, without threads
//   registry.*    which thread owns which connection, and the deadlines
//   server.*      the threads
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "extender/http/message.h"

namespace winnow::http {

/// Thread safe, except that listen(), start() and stop() are for one caller. Used once: after stop() it
/// does not start again.
class Server {
 public:
  Server(Limits limits, Handler handler);
  /// Stops at once if stop() was not called; what is in flight then gets no answer, but handlers are awaited.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds and listens; connections wait in the backlog until start().
  /// @param address an IPv4 or IPv6 address in digits ("::" takes both); no names.
  /// @param port 0 for any.
  /// @return the port, or a line for people, such as that another process has the port.
  std::expected<std::uint16_t, std::string> listen(const std::string& address, std::uint16_t port);

  /// Starts the threads and returns.
  void start();

  /// Accepts no more, closes what is idle, lets requests whose first byte has come be finished and answered
  /// (with Connection: close) until `drain` has passed, cuts the rest, and returns when all threads have
  /// ended.
  void stop(std::chrono::milliseconds drain);

  Counters counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace winnow::http
