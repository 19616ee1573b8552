#include "cluster/transport/http_exchange.h"

#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <format>
#include <optional>
#include <string>

namespace winnow::live {
namespace {

using Fault = Connection::Fault;

constexpr std::size_t kMaxHeadLine = 4096;

/// The stream from which cpp-httplib reads the answer. Its writes are dropped, because the request was sent
/// already. The library's own requests would use Expect: 100-continue for larger bodies, and rewrite queries.
class Wire final : public httplib::Stream {
 public:
  Wire(Connection& connection, Deadline& deadline) : connection_(connection), deadline_(deadline) {}

  ssize_t read(char* into, std::size_t size) override {
    if (at_ == filled_ && !fill()) return fault_ == Fault::kEnd ? 0 : -1;
    const std::size_t bytes = std::min(size, filled_ - at_);
    std::copy_n(buffer_ + at_, bytes, into);
    at_ += bytes;
    if (in_head_ && !is_short_line({into, bytes})) return -1;
    return static_cast<ssize_t>(bytes);
  }
  ssize_t write(const char*, std::size_t size) override { return static_cast<ssize_t>(size); }
  bool is_readable() const override { return true; }
  bool wait_readable() const override { return true; }
  bool wait_writable() const override { return true; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return connection_.fd(); }
  time_t duration() const override { return 0; }

  void end_head() { in_head_ = false; }
  /// From this call on, the deadline is renewed whenever bytes arrive.
  void renew_by(std::chrono::milliseconds idle) {
    idle_ = idle;
    deadline_.set_until(std::chrono::steady_clock::now() + idle);
  }
  std::optional<Fault> fault() const { return fault_; }
  bool heard() const { return heard_; }
  bool drained() const { return at_ == filled_; }

 private:
  /// Bounds the lines of the head: the library matches them by regular expressions that recurse for each
  /// character.
  bool is_short_line(std::string_view bytes) {
    for (const char byte : bytes) line_ = byte == '\n' ? 0 : line_ + 1;
    return line_ <= kMaxHeadLine;
  }

  bool fill() {
    if (fault_) return false;
    const auto got = connection_.read(buffer_, sizeof buffer_, deadline_);
    if (!got) {
      fault_ = got.error();
      return false;
    }
    heard_ = true;
    at_ = 0;
    filled_ = *got;
    if (idle_) renew_by(*idle_);
    return true;
  }

  Connection& connection_;
  Deadline& deadline_;
  std::optional<std::chrono::milliseconds> idle_;
  std::optional<Fault> fault_;
  bool heard_ = false;
  bool in_head_ = true;
  std::size_t line_ = 0;  ///< The length of the head's line so far.
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  char buffer_[16 * 1024];
};

/// The library's client without its sockets.
class Parser final : public httplib::ClientImpl {
 public:
  Parser() : ClientImpl("localhost") {}
  using ClientImpl::process_request;
};

TransportError error_of(Fault fault) {
  using Kind = TransportError::Kind;
  switch (fault) {
    case Fault::kTimeout:
      return {Kind::kTimeout, "no answer in time"};
    case Fault::kStopped:
      return {Kind::kStopped, "stopped"};
    case Fault::kRefused:
      return {Kind::kUnreachable, "the server refused the TLS handshake (is a client certificate missing?)"};
    case Fault::kEnd:
    case Fault::kBroken:
      break;
  }
  return {Kind::kBroken, "the connection ended before the answer"};
}

/// Receives the body. A stream's pieces go to its receiver; other bodies are collected.
class Body {
 public:
  Body(std::size_t most, const Streaming* streaming, Wire& wire)
      : most_(most), streaming_(streaming), wire_(wire) {}

  void begin(const httplib::Response& head) {
    wire_.end_head();
    flowing_ = streaming_ != nullptr && head.status == 200;
    if (!flowing_) return;
    wire_.renew_by(streaming_->idle);
    enough_ = !streaming_->on_piece({});
  }
  bool take(const char* bytes, std::size_t size) {
    if (flowing_) return enough_ = !streaming_->on_piece({bytes, size}), !enough_;
    if (size > most_ - text_.size()) return too_large_ = true, false;
    text_.append(bytes, size);
    return true;
  }

  bool enough() const { return enough_; }
  bool too_large() const { return too_large_; }
  std::string text() { return std::move(text_); }

 private:
  const std::size_t most_;
  const Streaming* const streaming_;
  Wire& wire_;
  std::string text_;
  bool flowing_ = false;
  bool enough_ = false;
  bool too_large_ = false;
};

/// Whole seconds; the other form, a date, is not what API servers send.
std::optional<std::chrono::seconds> retry_after(const httplib::Response& head) {
  const std::string text = head.get_header_value("Retry-After");
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// Whether the server keeps the connection, and the answer's end was marked by itself.
bool is_kept(const httplib::Response& head) {
  const bool ends = head.has_header("Content-Length") || head.has_header("Transfer-Encoding") ||
                    head.status == 204 || head.status == 304;
  return ends && head.version == "HTTP/1.1" &&
         !httplib::detail::case_ignore::equal(head.get_header_value("Connection"), "close");
}

TransportError why_no_answer(const Wire& wire, const Body& body, std::size_t most) {
  if (body.too_large())
    return {TransportError::Kind::kOversized, std::format("the answer is larger than {} bytes", most)};
  if (wire.fault()) return error_of(*wire.fault());
  return {TransportError::Kind::kBroken, "the answer is not HTTP"};
}

}  // namespace

Exchange exchange(Connection& connection, std::string_view request, std::size_t most,
                  const Streaming* streaming, Deadline& deadline) {
  Wire wire(connection, deadline);
  const auto written = connection.write(request, deadline);
  // A server that refuses a request may say so and close before it has read it all.
  if (!written && written.error() != Fault::kBroken) return {std::unexpected(error_of(written.error()))};

  Parser parser;
  Body body(most, streaming, wire);
  httplib::Request asked;
  asked.method = "GET";
  asked.path = "/";
  asked.response_handler = [&](const httplib::Response& head) { return body.begin(head), !body.enough(); };
  asked.content_receiver = [&](const char* bytes, std::size_t size, std::size_t, std::size_t) {
    return body.take(bytes, size);
  };
  httplib::Response head;
  httplib::Error ignored{};
  const bool whole = parser.process_request(wire, asked, head, false, ignored);
  if (!whole && !body.enough())
    return {std::unexpected(why_no_answer(wire, body, most)), wire.heard(), false};
  return {ApiResponse{head.status, body.text(), retry_after(head)}, true,
          whole && written && wire.drained() && is_kept(head)};
}

}  // namespace winnow::live
