#include "extender/http/transport/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace winnow::http {
namespace {

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int fd) : fd_(fd) {}
  ~PlainTransport() override { ::close(fd_); }
  PlainTransport(const PlainTransport&) = delete;
  PlainTransport& operator=(const PlainTransport&) = delete;

  int fd() const override { return fd_; }

  Io read(std::span<char> into) override {
    while (true) {
      const auto got = ::recv(fd_, into.data(), into.size(), 0);
      if (got > 0) {
        const auto bytes = static_cast<std::size_t>(got);
        return {Io::Kind::kDone, bytes, bytes < into.size()};
      }
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {Io::Kind::kWantRead};
      return {Io::Kind::kClosed};
    }
  }

  Io write(std::string_view bytes) override {
    while (true) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) return {Io::Kind::kDone, static_cast<std::size_t>(sent)};
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {Io::Kind::kWantWrite};
      return {Io::Kind::kClosed};
    }
  }

  void finish_writing() override { ::shutdown(fd_, SHUT_WR); }

 private:
  int fd_;
};

}  // namespace

std::unique_ptr<Transport> make_plain_transport(int fd) { return std::make_unique<PlainTransport>(fd); }

}  // namespace winnow::http
