// The stream over which cpp-httplib sends a request and reads its answer.
#pragma once

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/client/transport/connection.h"

namespace winnow::live {

/// The stream of one request. The request leaves in one piece, when its answer is first read. Its first line
/// is the caller's, and not the library's. A head with a line of more than 4 KiB is no answer.
class Wire final : public httplib::Stream {
 public:
  /// @param request_line  without its line end.
  Wire(std::string request_line, Deadline& deadline)
      : request_line_(std::move(request_line)), deadline_(deadline) {}
  /// Must come before the first read. @param connection  outlives the last one.
  void use(Connection& connection) { connection_ = &connection; }

  ssize_t read(char* into, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  bool is_readable() const override { return true; }
  bool wait_readable() const override { return true; }
  bool wait_writable() const override { return true; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return connection_->fd(); }
  time_t duration() const override { return 0; }

  /// From this call on, lines may be of any length.
  void end_head() { in_head_ = false; }
  /// From this call on, the deadline is renewed whenever bytes arrive.
  void renew_by(std::chrono::milliseconds idle);

  /// Why no more can be read.
  std::optional<Connection::Fault> fault() const { return fault_; }
  /// Whether the kernel has taken bytes of the request.
  bool sent() const { return sent_; }
  /// Whether a byte of the answer has come.
  bool heard() const { return heard_; }
  /// Whether the request has left whole, and the answer has ended by itself and was all that came.
  bool clean() const { return written_ && !fault_ && at_ == filled_; }

 private:
  void send_request();
  bool fill();
  bool is_short_line(std::string_view bytes);

  const std::string request_line_;
  Deadline& deadline_;
  Connection* connection_ = nullptr;
  std::string unsent_;
  std::optional<std::chrono::milliseconds> idle_;
  std::optional<Connection::Fault> fault_;
  bool asked_ = false;    ///< Sending was tried.
  bool written_ = false;  ///< It has succeeded.
  bool sent_ = false;
  bool heard_ = false;
  bool in_head_ = true;
  std::size_t line_ = 0;  ///< The length of the head's line so far.
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  char buffer_[16 * 1024];
};

}  // namespace winnow::live
