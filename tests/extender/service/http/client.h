// A blocking HTTP client for tests of the server. It sends exactly the bytes that a test gives it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "cluster/function_ref.h"
#include "extender/service/http/server.h"

namespace winnow::http::test {

/// The response; status 0 when the connection ended first.
struct Answer {
  int status = 0;
  std::string head;
  std::string body;
};

class Client {
 public:
  explicit Client(std::uint16_t port, int receive_buffer = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval deadline{60, 0};
    const int on = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~Client() {
    if (fd_ >= 0) ::close(fd_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_), rest_(std::move(other.rest_)) {}

  bool connected() const { return connected_; }

  /// @return false when the server has closed meanwhile.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;  // A fuzz target has a timer.
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish_sending() { ::shutdown(fd_, SHUT_WR); }

  /// Reads one response, by its Content-Length. @param head_only for the answer to a HEAD, and for 100.
  Answer receive(bool head_only = false) {
    Answer answer;
    while (!rest_.contains("\r\n\r\n")) {
      if (!more()) return answer;
    }
    const auto end = rest_.find("\r\n\r\n") + 4;
    answer.head = rest_.substr(0, end);
    rest_.erase(0, end);
    std::size_t length = 0;
    if (const auto at = answer.head.find("Content-Length: "); at != std::string::npos && !head_only) {
      length = std::stoul(answer.head.substr(at + 16));
    }
    while (rest_.size() < length) {
      if (!more()) return answer;
    }
    answer.body = rest_.substr(0, length);
    rest_.erase(0, length);
    answer.status = std::stoi(answer.head.substr(9, 3));
    return answer;
  }
  Answer ask(std::string_view request) {
    send(request);
    return receive();
  }
  /// Whether the server closes and sends nothing before it.
  bool sees_end() { return rest_.empty() && !more() && rest_.empty(); }

 private:
  bool more() {
    char buffer[65536];
    ssize_t got = 0;
    do got = ::recv(fd_, buffer, sizeof buffer, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    rest_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int fd_;
  bool connected_ = false;
  std::string rest_;
};

/// Answers with "method path?query type:body-length", as text.
inline void describe(Request& request, Response& response) {
  response.content_type = "text/plain";
  response.body = request.method + " " + request.path + "?" + request.query + " " + request.content_type +
                  ":" + std::to_string(request.body.size());
}

/// A server on a free port of 127.0.0.1, stopped at the end.
struct Running {
  /// @param add_routes adds what the handler does not answer.
  explicit Running(Handler handler = describe, Limits limits = {}, FunctionRef<void(Server&)> add_routes = {})
      : server(limits, std::move(handler)) {
    if (add_routes) add_routes(server);
    port = server.listen("127.0.0.1", 0).value_or(0);
    server.start();
  }
  ~Running() { server.stop(std::chrono::milliseconds(200)); }
  std::uint64_t refused(Cause cause) const {
    return server.counters().refused[static_cast<std::size_t>(cause)];
  }

  Server server;
  std::uint16_t port = 0;
};

inline std::string post(std::string_view body, std::string_view more_headers = "") {
  return "POST /filter HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more_headers) + "\r\n" + std::string(body);
}

/// Waits until the condition holds, with a generous limit.
inline bool eventually(FunctionRef<bool()> so) {
  for (int i = 0; i < 12'000; ++i) {
    if (so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace winnow::http::test
