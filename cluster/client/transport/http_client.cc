#include "cluster/client/transport/http_client.h"

#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <format>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "cluster/client/access/server_url.h"
#include "cluster/client/transport/connection.h"
#include "cluster/client/transport/wire.h"

// The connections are ours: over those of the library's SSLClient, which is final, this cannot be promised.
// - A head line of 30,000 bytes does not end the process; see wire.cc. Nothing can stand before its parser.
// - A request that may have been carried out is not sent again. SSLClient sends one again when the server
//   closes the connection as soon as it has the request.
// - Limits are for the whole call, and a stop request ends it at once. SSLClient's limits are for each wait,
//   its stop() waits for the handshake, and closing a connection waits for the server.
// - The error says why there is no connection. The library has one error for all reasons.
namespace winnow::live {
namespace {

using Fault = Connection::Fault;
using Kind = TransportError::Kind;

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
  std::size_t size() const { return text_.size(); }
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

// The library sends a body of 1 KiB only after "100 Continue", or a second later, if the request does not say
// what it expects itself. So it does, and write_headers() leaves that out.
constexpr const char* kExpect = "Expect";

ssize_t write_headers(httplib::Stream& stream, httplib::Headers& headers) {
  headers.erase(kExpect);
  std::string text;
  for (const auto& [name, value] : headers) text.append(name).append(": ").append(value).append("\r\n");
  text += "\r\n";
  return stream.write(text.data(), text.size());
}

httplib::Request library_request(const ServerUrl& url, const ApiRequest& request,
                                 const std::string& authorization) {
  httplib::Request made;
  made.method = request.method;
  made.path = url.path + request.path;
  made.body = request.body;
  made.headers = {{"Host", url.authority()},
                  {"User-Agent", "winnow"},
                  {"Accept", "application/json"},
                  {"Accept-Encoding", "identity"},
                  {kExpect, ""}};
  if (!authorization.empty()) made.headers.emplace("Authorization", authorization);
  if (!request.body.empty()) made.headers.emplace("Content-Type", request.content_type);
  return made;
}

TransportError error_of(Fault fault) {
  switch (fault) {
    case Fault::kTimeout:
      return {Kind::kTimeout, "no answer in time"};
    case Fault::kStopped:
      return {Kind::kStopped, "stopped"};
    case Fault::kRefused:
      return {Kind::kUnreachable, "the server refused the TLS handshake (is a client certificate missing?)",
              /*handshake_failed=*/true};
    case Fault::kEnd:
    case Fault::kBroken:
      break;
  }
  return {Kind::kBroken, "the connection ended before the answer"};
}

/// Whole seconds; the other form, a date, is not what API servers send.
std::optional<std::chrono::seconds> retry_after(const httplib::Response& head) {
  const std::string text = head.get_header_value("Retry-After");
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

TransportError why_no_answer(const Wire& wire, const Body& body, std::size_t most, httplib::Error error) {
  if (body.too_large()) return {Kind::kOversized, std::format("the answer is larger than {} bytes", most)};
  if (wire.fault()) return error_of(*wire.fault());
  if (error == httplib::Error::InvalidHeaders)
    return {Kind::kUnreachable, "the request has a header that cannot be sent"};
  return {Kind::kBroken, "the answer is not HTTP"};
}

}  // namespace

/// The library's client. Its connections are Connections, which own their descriptors.
class HttpClient::Library final : public httplib::ClientImpl {
 public:
  Library(const HttpTarget& target, std::shared_ptr<const TlsContext> tls)
      : ClientImpl(target.url.host, target.url.port), target_(target), tls_(std::move(tls)) {
    set_keep_alive(true);
    set_path_encode(false);
    set_header_writer(write_headers);
  }
  ~Library() override { stop(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// @return whether the answer has come whole.
  bool send_over(Wire& wire, Deadline& deadline, httplib::Request& request, httplib::Response& head,
                 httplib::Error& error) {
    wire_ = &wire;
    deadline_ = &deadline;
    made_ = false;
    unreachable_.reset();
    return send(request, head, error);
  }

  const HttpTarget& target() const { return target_; }
  const std::shared_ptr<const TlsContext>& tls() const { return tls_; }
  Connection* connection() const { return connection_.get(); }
  bool made() const { return made_; }  ///< The last send_over() has made a connection.
  const std::optional<TransportError>& unreachable() const { return unreachable_; }  ///< Why it has not.

 private:
  // The library calls this when it sends a request and no connection is kept, or the server has closed it.
  bool ensure_socket_connection(Socket& socket, httplib::Error& error) override {
    const Deadline::Time until = deadline_->until();
    deadline_->set_until(std::min(until, std::chrono::steady_clock::now() + target_.connect));
    auto made = Connection::open(target_.url, tls_, target_.name, target_.resolver, *deadline_);
    deadline_->set_until(until);
    if (!made) {
      unreachable_ = std::move(made.error());
      error = httplib::Error::Connection;
      return false;
    }
    connection_ = std::move(*made);
    socket.sock = connection_->fd();
    made_ = true;
    return true;
  }
  bool process_socket(const Socket&, std::chrono::steady_clock::time_point,
                      std::function<bool(httplib::Stream&)> exchange) override {
    wire_->use(*connection_);
    return exchange(*wire_);
  }
  // The library calls this before it would close the descriptor itself.
  void shutdown_ssl(Socket& socket, bool) override {
    connection_.reset();
    socket.sock = INVALID_SOCKET;
  }

  const HttpTarget target_;
  const std::shared_ptr<const TlsContext> tls_;
  std::unique_ptr<Connection> connection_;
  std::optional<TransportError> unreachable_;
  bool made_ = false;
  Wire* wire_ = nullptr;
  Deadline* deadline_ = nullptr;
};

HttpClient::HttpClient(const HttpTarget& target, std::shared_ptr<const TlsContext> tls)
    : library_(std::make_unique<Library>(target, std::move(tls))) {}

HttpClient::~HttpClient() = default;

bool HttpClient::is_open() const { return library_->connection() != nullptr; }
bool HttpClient::alive() { return is_open() && library_->connection()->alive(); }
const std::shared_ptr<const TlsContext>& HttpClient::tls() const { return library_->tls(); }

Exchange HttpClient::send(const ApiRequest& request, const std::string& authorization, std::size_t most,
                          const Streaming* streaming, Deadline& deadline) {
  const ServerUrl& url = library_->target().url;
  Wire wire(std::format("{} {}{} HTTP/1.1", request.method, url.path, request.path), deadline);
  Body body(most, streaming, wire);
  httplib::Request asked = library_request(url, request, authorization);
  asked.response_handler = [&](const httplib::Response& head) { return body.begin(head), !body.enough(); };
  asked.content_receiver = [&](const char* bytes, std::size_t size, std::size_t, std::size_t) {
    return body.take(bytes, size);
  };
  httplib::Response head;
  httplib::Error error{};
  if (request.on_slow)
    deadline.set_reminder(std::chrono::steady_clock::now() + library_->target().slow,
                          [&] { request.on_slow(body.size()); });
  const bool whole = library_->send_over(wire, deadline, asked, head, error);
  deadline.set_reminder({}, nullptr);
  if (library_->unreachable()) return {std::unexpected(*library_->unreachable())};
  if (!wire.clean()) library_->stop();
  const auto over = library_->made() ? Exchange::Over::kNew : Exchange::Over::kKept;
  if (!whole && !body.enough())
    return {std::unexpected(why_no_answer(wire, body, most, error)), over, wire.sent(), wire.heard()};
  return {ApiResponse{head.status, body.text(), retry_after(head)}, over, wire.sent(), wire.heard()};
}

}  // namespace winnow::live
