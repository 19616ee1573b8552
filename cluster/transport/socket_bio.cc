#include "cluster/transport/socket_bio.h"

#include <openssl/bio.h>
#include <sys/socket.h>

#include <cerrno>

namespace winnow::live {
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
