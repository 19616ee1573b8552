// A server on loopback that does what a test wants, with TLS or without.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/cluster/client/transport/certificates.h"

struct ssl_st;
struct ssl_ctx_st;

namespace winnow::live::test {

/// A request as it came.
struct Request {
  std::string head;  ///< With the empty line at its end.
  std::string body;
  std::string client;  ///< The common name of the client's certificate; "" without one.
  bool has(std::string_view line) const {
    return head.contains(std::string("\r\n") + std::string(line) + "\r\n");
  }
};

/// An answer of status 200 with a Content-Length.
std::string answer(std::string_view body, std::string_view status = "200 OK", std::string_view headers = "");

/// One accepted connection. Calls block.
class Peer {
 public:
  std::optional<Request> read_request();
  void write(std::string_view bytes);
  /// Until the client closes the connection, or the server ends. @return whether it did in time.
  bool wait_for_close(std::chrono::milliseconds limit);
  /// Cuts the connection by RST.
  void reset();

 private:
  friend class TlsServer;
  bool read_more();
  int fd_ = -1;
  ssl_st* session_ = nullptr;  ///< Null without TLS.
  std::string buffer_;
};

/// The server. One thread accepts, and each connection has a thread. All threads end with the server.
class TlsServer {
 public:
  struct Options {
    std::optional<Identity> identity;  ///< None: plain HTTP.
    std::string client_authority;      ///< Not empty: client certificates are required.
    std::string address = "127.0.0.1";
  };
  /// Called for each request. @return false: the connection is closed.
  using Handler = std::function<bool(Peer&, const Request&)>;

  /// @param handler  none: each request is answered by "{}".
  explicit TlsServer(Options options, Handler handler = nullptr);
  ~TlsServer();

  std::string url(std::string_view host = "") const;
  int connections() const { return connections_; }  ///< Accepted, with their handshakes.
  int open() const { return open_; }                ///< Of those, still there.
  std::vector<Request> requests() const;
  /// Changes the certificate for later connections.
  void set_identity(const Identity& identity);
  /// Closes the open connections. New ones are accepted.
  void close_connections();

 private:
  void accept_all();
  void serve(int fd);

  const Options options_;
  const Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<int> open_ = 0;
  mutable std::mutex mutex_;
  ssl_ctx_st* context_ = nullptr;
  std::set<int> fds_;
  std::vector<Request> requests_;
  std::vector<std::jthread> threads_;
  std::atomic<bool> ending_ = false;
  std::jthread acceptor_;
};

}  // namespace winnow::live::test
