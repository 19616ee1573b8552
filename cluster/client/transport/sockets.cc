#include "cluster/client/transport/sockets.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <format>
#include <memory>
#include <new>
#include <thread>

#include "cluster/client/access/server_url.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/go_format.h"

namespace winnow::live {
namespace {

using Answer = std::expected<std::vector<SocketAddress>, std::string>;

Answer look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0)
    return std::unexpected(std::format("no address for {}: {}", go_quote(host), ::gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
  }
  return addresses;
}

}  // namespace

struct Resolver::Lookup {
  bool finished = false;
  Answer answer;
};

Answer Resolver::resolve(const std::string& host, std::uint16_t port, const Deadline& deadline) {
  if (is_ip_address(host)) return look_up(host, port, AI_NUMERICHOST);
  const std::string key = std::format("{}:{}", host, port);
  const MutexLock lock(shared_->mutex);
  auto& running = shared_->running[key];
  if (running == nullptr) {
    try {
      running = std::make_shared<Lookup>();
      std::thread([shared = shared_, lookup = running, host, port, key] {
        Answer answer = std::unexpected("out of memory");
        try {
          answer = look_up(host, port, 0);
        } catch (const std::bad_alloc&) {  // That is what it says already.
        }
        const MutexLock guard(shared->mutex);
        lookup->answer = std::move(answer);
        lookup->finished = true;
        shared->running.erase(key);
        shared->done.notify_all();
      }).detach();
    } catch (const std::exception& error) {  // Of the system, or out of memory.
      shared_->running.erase(key);
      return std::unexpected(std::format("no thread to look up {}: {}", go_quote(host), error.what()));
    }
  }
  const std::shared_ptr<Lookup> lookup = running;
  shared_->done.wait_until(shared_->mutex, deadline.stop(), deadline.until(),
                           [&] { return lookup->finished; });
  if (!lookup->finished) return std::unexpected(std::format("no address for {} in time", go_quote(host)));
  return lookup->answer;
}

namespace {

// The kernel gives up a connection when the peer has acknowledged nothing for kUserTimeoutMs. An idle
// connection sends nothing, so keep-alive probes begin after kIdleSeconds.
constexpr int kIdleSeconds = 15;
constexpr int kIntervalSeconds = 5;
constexpr int kProbes = 6;
constexpr int kUserTimeoutMs = 40'000;

void set(int fd, int level, int option, int value) {
  // The options only speed up the detection of dead peers. A kernel without one of them still works.
  static_cast<void>(::setsockopt(fd, level, option, &value, sizeof value));
}

void set_options(int fd) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, kIntervalSeconds);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
}

/// 0, or the errno of the connection that was begun.
int outcome_of(int fd, const Deadline& deadline) {
  if (deadline.wait(fd, POLLOUT) != Deadline::End::kReady) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

std::expected<int, std::string> connect_to(const SocketAddress& address, const Deadline& deadline) {
  const int fd = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (fd < 0) return std::unexpected(std::string(std::strerror(errno)));
  set_options(fd);
  int error = 0;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0)
    error = errno == EINPROGRESS ? outcome_of(fd, deadline) : errno;
  if (error == 0) return fd;
  ::close(fd);
  return std::unexpected(std::string(std::strerror(error)));
}

}  // namespace

std::expected<int, std::string> connect_socket(const ServerUrl& url, Resolver& resolver, Deadline& deadline) {
  const auto addresses = resolver.resolve(url.host, url.port, deadline);
  if (!addresses) return std::unexpected(addresses.error());
  const Deadline::Time until = deadline.until();
  std::expected<int, std::string> connected = std::unexpected("no address");
  std::size_t left = addresses->size();
  for (const SocketAddress& address : *addresses) {
    // An address that never answers must leave time for the next one.
    const auto now = std::chrono::steady_clock::now();
    deadline.set_until(now + (until - now) / std::max<std::size_t>(left--, 1));
    connected = connect_to(address, deadline);
    deadline.set_until(until);
    if (connected || deadline.check() != Deadline::End::kReady) break;
  }
  return connected;
}

namespace {

int write(BIO* bio, const char* bytes, int size) {
  auto* const socket = static_cast<Socket*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const auto sent = ::send(socket->fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  socket->error = sent < 0 ? errno : 0;
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  if (sent > 0) socket->bytes_sent += static_cast<std::uint64_t>(sent);
  return static_cast<int>(sent);
}

int read(BIO* bio, char* into, int size) {
  auto* const socket = static_cast<Socket*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const auto got = ::recv(socket->fd, into, static_cast<std::size_t>(size), 0);
  socket->error = got < 0 ? errno : 0;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_method() {
  BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
  BIO_meth_set_write(method, write);
  BIO_meth_set_read(method, read);
  BIO_meth_set_ctrl(method, control);
  return method;
}

}  // namespace

BIO* make_socket_bio(Socket& socket) {
  static BIO_METHOD* const method = make_method();
  BIO* const bio = BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, &socket);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace winnow::live
