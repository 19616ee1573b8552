// Something for http_driver to drive: the HTTP server with a handler that answers a fixed text, or, with
// --bare, the least that could answer at all (one thread, epoll, no parsing) as the floor to compare with.
//
//   http_echo [--bare] [--response-bytes 64] [--seconds 60]      prints "port N pid N"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "extender/service/http/server.h"

namespace {

using Clock = std::chrono::steady_clock;

void announce(int port) {
  std::printf("port %d pid %d\n", port, static_cast<int>(::getpid()));
  std::fflush(stdout);
}

int serve(std::size_t response_bytes, std::chrono::seconds time) {
  const std::string body(response_bytes, 'x');
  const auto echo = [&](winnow::http::Request&, winnow::http::Response& response) { response.body = body; };
  winnow::http::Server server({}, echo);
  server.route("POST", "/filter", echo);
  const auto port = server.listen("127.0.0.1", 0);
  if (!port) return 1;
  server.start();
  announce(*port);
  std::this_thread::sleep_for(time);
  server.stop(std::chrono::seconds(1));
  return 0;
}

// Counts bytes: the length of every request is that of the first, told by its Content-Length.
void serve_bare(int listener, std::string_view answer, Clock::time_point until) {
  const int ep = ::epoll_create1(0);
  epoll_event event{EPOLLIN, {.fd = listener}};
  ::epoll_ctl(ep, EPOLL_CTL_ADD, listener, &event);
  std::vector<char> buffer(1 << 20);
  std::map<int, std::size_t> got_so_far;
  std::size_t whole = 0;
  while (Clock::now() < until) {
    if (::epoll_wait(ep, &event, 1, 1000) != 1) continue;
    int fd = event.data.fd;
    if (fd == listener) {
      fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      event = {EPOLLIN, {.fd = fd}};
      ::epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
      continue;
    }
    const auto got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      ::close(fd);
      got_so_far.erase(fd);
      continue;
    }
    if (whole == 0) {
      const std::string_view seen(buffer.data(), static_cast<std::size_t>(got));
      const auto at = seen.find("Content-Length: ");
      if (at == std::string_view::npos) continue;
      whole = seen.find("\r\n\r\n") + 4 + std::strtoull(seen.data() + at + 16, nullptr, 10);
    }
    std::size_t& total = got_so_far[fd];
    total += static_cast<std::size_t>(got);
    if (total < whole) continue;
    total = 0;
    [[maybe_unused]] const auto sent = ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
  }
}

int run_bare(std::size_t response_bytes, std::chrono::seconds time) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof where;
  auto* address = reinterpret_cast<sockaddr*>(&where);
  if (::bind(listener, address, length) != 0 || ::listen(listener, 128) != 0) return 1;
  ::getsockname(listener, address, &length);
  announce(ntohs(where.sin_port));
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(response_bytes) +
                             "\r\n\r\n" + std::string(response_bytes, 'x');
  serve_bare(listener, answer, Clock::now() + time);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool bare = false;
  std::size_t response_bytes = 64;
  std::chrono::seconds time{60};
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--bare")
      bare = true;
    else if (word == "--response-bytes" && i + 1 < argc)
      response_bytes = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--seconds" && i + 1 < argc)
      time = std::chrono::seconds(std::strtol(argv[++i], nullptr, 10));
    else
      return 2;
  }
  return bare ? run_bare(response_bytes, time) : serve(response_bytes, time);
}
