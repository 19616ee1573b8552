// A port at which nobody listens.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace winnow::live::test {

/// Takes a port of loopback and refuses connections to it. A port that is merely free may become another
/// process's.
class Nobody {
 public:
  Nobody() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    static_cast<void>(bind(fd_, reinterpret_cast<sockaddr*>(&address), size));
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Nobody() { close(fd_); }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_);
  }

 private:
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
};

}  // namespace winnow::live::test
