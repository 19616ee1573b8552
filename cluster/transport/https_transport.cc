#include "cluster/transport/https_transport.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>
#include <vector>

namespace winnow::live {
namespace {

using Kind = TransportError::Kind;

TransportError unreachable(std::string message) { return {Kind::kUnreachable, std::move(message)}; }

/// Whether the text can stand in a request line. A space or a line end would forge another request.
bool is_path(std::string_view path) {
  return path.starts_with('/') &&
         std::ranges::all_of(path, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '#'; });
}

std::string request_text(const ServerUrl& url, const ApiRequest& request, const std::string& authorization) {
  std::string text = std::format(
      "{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: winnow\r\nAccept: application/json\r\n"
      "Accept-Encoding: identity\r\n",
      request.method, url.path, request.path, url.authority());
  if (!authorization.empty()) text += std::format("Authorization: {}\r\n", authorization);
  if (!request.body.empty()) text += "Content-Type: application/json\r\n";
  if (!request.body.empty() || request.method != "GET")
    text += std::format("Content-Length: {}\r\n", request.body.size());
  return text + "\r\n" + request.body;
}

/// The same, with the server in front of the message.
template <class Outcome>
Outcome named(const std::string& server, Outcome outcome) {
  if (!outcome) outcome.error().message = std::format("{}: {}", server, outcome.error().message);
  return outcome;
}

Deadline::Time in(std::chrono::milliseconds limit) { return std::chrono::steady_clock::now() + limit; }

}  // namespace

std::expected<std::unique_ptr<HttpsTransport>, std::string> HttpsTransport::make(ClientConfig config,
                                                                                 Clock& clock,
                                                                                 HttpsLimits limits) {
  std::string name = config.tls_server_name;
  auto credentials = Credentials::load(std::move(config), clock);
  if (!credentials) return std::unexpected(credentials.error());
  return std::unique_ptr<HttpsTransport>(
      new HttpsTransport(std::move(*credentials), std::move(name), clock, limits));
}

// Prunes the pools of all servers. A server that nobody asks any more closes its connections, and without
// this its pool would hold them for ever.
void HttpsTransport::prune_sometimes() {
  std::vector<std::shared_ptr<Server>> servers;
  {
    const MutexLock lock(mutex_);
    const Deadline::Time now = std::chrono::steady_clock::now();
    if (now - pruned_ < limits_.prune) return;
    pruned_ = now;
    for (const auto& [url, server] : servers_) servers.push_back(server);
  }
  for (const auto& server : servers) server->pool.prune();
}

auto HttpsTransport::find(const std::string& server)
    -> std::expected<std::shared_ptr<Server>, TransportError> {
  prune_sometimes();
  const MutexLock lock(mutex_);
  if (const auto found = servers_.find(server); found != servers_.end()) return found->second;
  auto url = parse_server_url(server);
  if (!url) return std::unexpected(unreachable(url.error()));
  auto made = std::make_shared<Server>(std::move(*url), limits_.connections);
  return servers_.emplace(server, std::move(made)).first->second;
}

auto HttpsTransport::connect(const ServerUrl& url, Deadline& deadline) -> Connected {
  const Deadline::Time until = deadline.until();
  deadline.set_until(std::min(until, in(limits_.connect)));
  auto connected = Connection::open(url, url.tls ? credentials_->tls() : nullptr, name_, resolver_, deadline);
  deadline.set_until(until);
  ++(connected ? connections_ : failures_);
  if (!connected && connected.error().handshake_failed) credentials_->certificate_refused();
  return connected;
}

Exchange HttpsTransport::send(Connection& connection, const ServerUrl& url, const ApiRequest& request,
                              const Streaming* streaming, Deadline& deadline) {
  const Clock::Time begun = clock_.now();
  const std::string authorization = url.tls ? credentials_->authorization() : "";
  Exchange done = exchange(connection, request_text(url, request, authorization), limits_.body_bytes,
                           streaming, deadline);
  if (done.answer && done.answer->status == 401) credentials_->token_refused(begun);
  if (done.answer && done.answer->status == 401) ++unauthorized_;
  if (done.answer && done.answer->status == 403) ++forbidden_;
  if (!done.answer && done.answer.error().kind == Kind::kUnreachable) credentials_->certificate_refused();
  return done;
}

/// @param again  this is the second attempt, which uses no kept connection.
/// @param may_repeat  set if the attempt failed in a way that allows a second one.
Exchange HttpsTransport::try_call(Server& server, const ApiRequest& request, bool again, bool& may_repeat,
                                  Deadline& deadline) {
  const auto tls = server.url.tls ? credentials_->tls() : nullptr;
  auto taken = server.pool.take(tls.get(), again, deadline);
  if (!taken && taken.error() == Deadline::End::kStopped)
    return {std::unexpected(TransportError{Kind::kStopped, "stopped"})};
  if (!taken) return {std::unexpected(unreachable("all connections are in use"))};
  const bool kept = *taken != nullptr;
  Connected connection = kept ? Connected(std::move(*taken)) : connect(server.url, deadline);
  if (!connection) {
    server.pool.give_back(nullptr);
    return {std::unexpected(connection.error())};
  }
  const std::uint64_t sent_before = (*connection)->bytes_sent();
  Exchange done = send(**connection, server.url, request, nullptr, deadline);
  const bool unsent = (*connection)->bytes_sent() == sent_before;
  may_repeat = kept && !done.answer && !done.heard && done.answer.error().kind == Kind::kBroken &&
               (request.method == "GET" || unsent);
  server.pool.give_back(done.reusable ? std::move(*connection) : nullptr);
  return done;
}

std::expected<ApiResponse, TransportError> HttpsTransport::call(const std::string& server,
                                                                const ApiRequest& request,
                                                                std::chrono::milliseconds limit,
                                                                const std::stop_token& stop) {
  const auto found = find(server);
  if (!found) return std::unexpected(found.error());
  if (!is_path(request.path)) return std::unexpected(unreachable("not a path: it must be escaped"));
  Deadline deadline(in(limit), stop);
  bool may_repeat = false;
  Exchange done = try_call(**found, request, false, may_repeat, deadline);
  if (std::exchange(may_repeat, false)) {
    ++resent_;
    done = try_call(**found, request, true, may_repeat, deadline);
  }
  return named(server, std::move(done.answer));
}

std::expected<ApiResponse, TransportError> HttpsTransport::stream(
    const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
    std::chrono::milliseconds idle, const OnPiece& on_piece, const std::stop_token& stop) {
  const auto found = find(server);
  if (!found) return std::unexpected(found.error());
  if (!is_path(request.path)) return std::unexpected(unreachable("not a path: it must be escaped"));
  Deadline deadline(in(limit), stop);
  const auto connection = connect((*found)->url, deadline);
  if (!connection) return named(server, Answer(std::unexpected(connection.error())));
  const TlsContext* const tls = (*connection)->tls().get();
  const OnPiece while_certificates_last = [&](std::string_view piece) {
    if (!on_piece(piece)) return false;
    return tls == nullptr || !piece.ends_with('\n') || credentials_->tls().get() == tls;
  };
  const Streaming streaming{while_certificates_last, idle};
  return named(server, send(**connection, (*found)->url, request, &streaming, deadline).answer);
}

HttpsTransport::Counts HttpsTransport::counts() const {
  return {connections_, failures_, resent_, unauthorized_, forbidden_};
}

}  // namespace winnow::live
