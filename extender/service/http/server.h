// An HTTP/1.1 server in which bad clients do not delay good ones.
//
// cpp-httplib parses requests, finds their routes, decodes bodies and writes answers (router.*). Its own
// listener is not used: there a thread belongs to a connection until the client is done, its time-outs begin
// anew with each byte, and nothing bounds all connections together. What it lacks is here.
//
// All threads share one epoll set. Every socket in it is non-blocking and armed for one event. The thread
// that takes an event owns the connection until it parks it again. It reads, and checks where the request
// ends. When the request has arrived whole, it gives the bytes to the library, which calls the handler. The
// request does not change threads on the way, unless it had to wait: a wake-up costs more than the rest.
//
// Each route has a class (Cost), and each class has handler slots of its own. A request that finds none of
// its class free waits in line. There is a thread for each slot, and one more. So no class waits for another,
// and one thread is always free to read, to accept and to keep deadlines. Those of light routes need no slot.
// Clients that are idle, send slowly or do not read hold no thread.
//
//   message.h        requests, responses, limits, counters, and answers to what does not reach the library
//   framing.*        the strict check of heads: where does the request end?
//                    and the same for chunked bodies
//   router.*         the library
//   listener.*       the listening sockets
//   transport.*      the socket
//                    and TLS over it, with the certificates and settings
//   connection.*     the state machine of one connection, without threads
//   registry.*       the owners and deadlines of all connections
//   pending_guards.* the connections whose guards decide later
//   server.*         the threads
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "extender/service/http/message.h"
#include "extender/service/http/transport.h"

namespace winnow::http {

/// What a route costs.
enum class Cost : std::uint8_t {
  kLong,  ///< The handler takes seconds, and little else: one of two slots for such, which nobody else waits
          ///< for.
  kSlot,  ///< The handler takes one of Limits::workers slots, or waits for one.
  kRead,  ///< The same, with the slots of Limits::readers: nobody of kSlot waits for it.
  kScrape,  ///< The same, with a single slot.
  kLight,   ///< The handler is short. It runs at once, whatever other handlers do.
};

/// The HTTP server. Thread-safe, except that one thread calls set_…(), route(), listen(), start() and stop().
/// It cannot be started again after stop().
class Server {
 public:
  /// @param otherwise answers what no route takes, by path or by method.
  /// @param cost  of what no route takes; kSlot or kRead.
  Server(Limits limits, Handler otherwise, Cost cost = Cost::kSlot);
  /// Stops without a drain if stop() was not called. Handlers that run are awaited.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Adds a route. Called before start().
  /// @param method "GET", which takes HEAD too, or "POST".
  /// @param path compared as sent, without percent-decoding; begins with '/'.
  /// @param share of the memory for handlers.
  void route(std::string_view method, std::string_view path, Handler handler, Cost cost = Cost::kSlot,
             Share share = Share::kHalf);

  /// Sets the prefix behind which the routes are. Handlers and guards see paths without it. Called before
  /// route().
  void set_prefix(PathPrefix prefix);

  /// Sets who is asked before each handler. Called before start().
  void set_guard(Guard guard);

  /// Sets how the byte streams of new connections are made. Without it they are plain. Called before start().
  void set_transport(MakeTransport make);

  /// Binds and listens. Connections wait in the kernel's backlog until start().
  /// @param address a numeric IPv4 or IPv6 address, no name; "::" takes both families.
  /// @param port 0 for any free port.
  /// @return the port, or one line for the operator, for example that another process has the port.
  std::expected<std::uint16_t, std::string> listen(const std::string& address, std::uint16_t port);

  /// Starts the threads and returns.
  void start();

  /// Ends the server. Accepts no more connections, and closes idle ones. Requests of which a byte has come
  /// are read and answered (with Connection: close) until `drain` has passed. Then their connections are cut,
  /// and Request::client_gone says so to handlers. Returns when all handlers and threads have ended.
  void stop(std::chrono::milliseconds drain);

  Counters counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace winnow::http
