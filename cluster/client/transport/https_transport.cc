#include "cluster/client/transport/https_transport.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>
#include <vector>

namespace winnow::live {
namespace {

using Kind = TransportError::Kind;

TransportError unreachable_server(std::string message) { return {Kind::kUnreachable, std::move(message)}; }

/// Whether the text can stand in a request line. A space or a line end would forge another request.
bool is_request_path(std::string_view path) {
  return path.starts_with('/') &&
         std::ranges::all_of(path, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '#'; });
}

/// Whether a request that failed may be sent once more, over a new connection.
bool may_repeat(const ApiRequest& request, const Exchange& done) {
  return done.over == Exchange::Over::kKept && !done.heard && !done.answer &&
         done.answer.error().kind == Kind::kBroken && (request.method == "GET" || !done.sent);
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
  if (!url) return std::unexpected(unreachable_server(url.error()));
  auto made = std::make_shared<Server>(std::move(*url), limits_.connections);
  return servers_.emplace(server, std::move(made)).first->second;
}

HttpTarget HttpsTransport::target(const Server& server) {
  return {server.url, name_, resolver_, limits_.connect, limits_.slow};
}

Exchange HttpsTransport::send(HttpClient& client, const ServerUrl& url, const ApiRequest& request,
                              const Streaming* streaming, Deadline& deadline) {
  const Clock::Time begun = clock_.now();
  const std::string authorization = url.tls ? credentials_->authorization() : "";
  const std::size_t most = request.answer == AnswerOf::kList
                               ? limits_.body_bytes
                               : std::min(limits_.object_bytes, limits_.body_bytes);
  Exchange done = client.send(request, authorization, most, streaming, deadline);
  if (done.over == Exchange::Over::kNew) ++connections_;
  if (done.over == Exchange::Over::kNothing) ++failures_;
  if (done.answer && done.answer->status == 401) credentials_->token_refused(begun);
  if (done.answer && done.answer->status == 401) ++unauthorized_;
  if (done.answer && done.answer->status == 403) ++forbidden_;
  if (!done.answer && done.answer.error().handshake_failed) credentials_->certificate_refused();
  return done;
}

/// @param again  this is the second attempt, which uses no kept connection.
Exchange HttpsTransport::try_call(Server& server, const ApiRequest& request, bool again, Deadline& deadline) {
  auto tls = server.url.tls ? credentials_->tls() : nullptr;
  auto taken = server.pool.take(tls.get(), again, deadline);
  if (!taken && taken.error() == Deadline::End::kStopped)
    return {std::unexpected(TransportError{Kind::kStopped, "stopped"})};
  if (!taken) return {std::unexpected(unreachable_server("all connections are in use"))};
  std::unique_ptr<HttpClient> client = std::move(*taken);
  std::optional<Exchange> done;
  try {
    if (client == nullptr) client = std::make_unique<HttpClient>(target(server), std::move(tls));
    done = send(*client, server.url, request, nullptr, deadline);
  } catch (...) {  // Out of memory.
    server.pool.give_back(nullptr);
    throw;
  }
  server.pool.give_back(client->is_open() ? std::move(client) : nullptr);
  return *std::move(done);
}

std::expected<ApiResponse, TransportError> HttpsTransport::call(const std::string& server,
                                                                const ApiRequest& request,
                                                                std::chrono::milliseconds limit,
                                                                const std::stop_token& stop) {
  const auto found = find(server);
  if (!found) return std::unexpected(found.error());
  if (!is_request_path(request.path))
    return std::unexpected(unreachable_server("not a path: it must be escaped"));
  Deadline deadline(in(limit), stop);
  Exchange done = try_call(**found, request, false, deadline);
  if (may_repeat(request, done)) {
    ++resent_;
    done = try_call(**found, request, true, deadline);
  }
  return named(server, std::move(done.answer));
}

std::expected<ApiResponse, TransportError> HttpsTransport::stream(
    const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
    std::chrono::milliseconds idle, const OnPiece& on_piece, const std::stop_token& stop) {
  const auto found = find(server);
  if (!found) return std::unexpected(found.error());
  if (!is_request_path(request.path))
    return std::unexpected(unreachable_server("not a path: it must be escaped"));
  Deadline deadline(in(limit), stop);
  const ServerUrl& url = (*found)->url;
  HttpClient client(target(**found), url.tls ? credentials_->tls() : nullptr);
  const auto while_certificates_last = [&](std::string_view piece) {
    if (!on_piece(piece)) return false;
    return client.tls() == nullptr || !piece.ends_with('\n') || credentials_->tls() == client.tls();
  };
  const Streaming streaming{while_certificates_last, idle};
  return named(server, send(client, url, request, &streaming, deadline).answer);
}

HttpsTransport::Counts HttpsTransport::counts() const {
  return {connections_, failures_, resent_, unauthorized_, forbidden_};
}

}  // namespace winnow::live
