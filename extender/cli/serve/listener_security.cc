#include "extender/cli/serve/listener_security.h"

#include <algorithm>
#include <format>
#include <utility>
#include <vector>

#include "cluster/client/access/server_url.h"
#include "cluster/text/source.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/service/authorization/token_guard.h"
#include "extender/service/extender.h"
#include "extender/service/http/server.h"
#include "extender/service/http/transport.h"
#include "extender/service/log/log.h"

namespace winnow {

void set_door(http::Server& server, const TlsFlags& flags, const TlsFiles* tls, TokenAccess* tokens) {
  if (tls != nullptr)
    server.set_transport([tls](int fd) { return http::make_tls_transport(fd, tls->current()); });
  http::Guard guard = flags.client_ca_file.empty() ? http::Guard() : client_guard(flags);
  if (tokens != nullptr) guard = token_guard(*tokens, flags.anonymous_paths, std::move(guard));
  if (guard) server.set_guard(std::move(guard));
}

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

http::Admission refuse(http::Response& response, int status, std::string line) {
  response = http::line_response(status, std::move(line));
  return http::Admission::kRefused;
}

}  // namespace

http::Guard client_guard(const TlsFlags& flags) {
  return [anonymous = flags.anonymous_paths, allowed = flags.allowed_client_names](
             const http::Request& request, http::Response& response, const auto&) {
    if (std::ranges::contains(anonymous, request.path)) return http::Admission::kPass;
    if (!request.client_names) return refuse(response, 401, "a client certificate is required");
    const bool known = allowed.empty() || std::ranges::any_of(*request.client_names, [&](const auto& name) {
                         return std::ranges::contains(allowed, name);
                       });
    return known
               ? http::Admission::kPass
               : refuse(response, 403, "the client certificate has none of the names that are allowed here");
  };
}

std::expected<std::unique_ptr<TlsFiles>, std::string> TlsFiles::open(const TlsFlags& flags) {
  std::unique_ptr<TlsFiles> made(new TlsFiles(flags));
  auto material = made->read();
  if (!material) return std::unexpected(std::move(material).error());
  Context context = made->make(*material);
  if (!context) return std::unexpected(std::move(context).error());
  made->seen_ = std::move(*material);
  const MutexLock lock(made->mutex_);
  made->current_ = std::move(*context);
  return made;
}

std::shared_ptr<const http::TlsContext> TlsFiles::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

void TlsFiles::look() {
  auto material = read();
  if (!material) return refuse(material.error());
  if (*material == seen_) return;
  // While kubelet exchanges the files, one may be the old and another the new: only what stays is taken.
  if (const auto again = read(); !again || *again != *material) return;
  seen_ = std::move(*material);
  Context context = make(seen_);
  if (!context) return refuse(context.error());
  refused_.clear();
  log_info("certificate taken for new connections", {{"file", flags_.cert_file}});
  const MutexLock lock(mutex_);
  current_ = std::move(*context);
}

std::expected<http::TlsMaterial, std::string> TlsFiles::read() const {
  http::TlsMaterial material;
  const std::pair<const std::string&, std::string&> parts[] = {
      {flags_.cert_file, material.certificate},
      {flags_.key_file, material.key},
      {flags_.client_ca_file, material.client_authority},
  };
  for (const auto& [file, text] : parts) {
    if (file.empty()) continue;
    auto got = read_source(file, kMaxBytes);
    if (!got) return std::unexpected(std::format("{}: {}", file, got.error()));
    // An empty client authority would let everybody in.
    if (got->empty()) return std::unexpected(std::format("{}: the file is empty", file));
    text = std::move(*got);
  }
  return material;
}

TlsFiles::Context TlsFiles::make(const http::TlsMaterial& material) const {
  auto made = http::TlsContext::make(material, {flags_.only_tls13, flags_.cipher_suites});
  if (!made)
    return std::unexpected(std::format("--tls-cert-file {}, --tls-private-key-file {}: {}", flags_.cert_file,
                                       flags_.key_file, made.error()));
  return std::move(*made);
}

// One line for each error, and not one at each look.
void TlsFiles::refuse(const std::string& error) {
  if (error == refused_) return;
  refused_ = error;
  log_error("certificate refused: the old one stays in force", {{"error", error}});
}

namespace {

/// Small limits, because the listener may be open to a whole network.
http::Limits health_limits() {
  http::Limits limits;
  limits.body_bytes = 64UL << 10;
  limits.buffered_bytes = 32UL << 20;
  limits.handler_bytes = 64UL << 20;
  limits.connections = 128;
  limits.workers = 2;
  return limits;
}

/// Without a host, listens on all addresses of both families, or of IPv4 if the machine has no IPv6.
std::expected<std::uint16_t, std::string> listen(http::Server& server, const ListenAddress& where) {
  if (!where.host.empty()) return server.listen(where.host, where.port);
  const auto port = server.listen("::", where.port);
  return port ? port : server.listen("0.0.0.0", where.port);
}

}  // namespace

bool is_loopback_listener(const std::string& where) {
  const auto parsed = parse_listen_address(where);
  return parsed && *parsed && live::is_loopback((*parsed)->host);
}

std::expected<std::unique_ptr<http::Server>, std::string> open_health_listener(const std::string& where,
                                                                               Extender& service) {
  const auto parsed = parse_listen_address(where);
  if (!parsed) return std::unexpected("--metrics-bind-address: " + parsed.error());
  if (!*parsed) return nullptr;
  auto server = std::make_unique<http::Server>(health_limits(),
                                               [&service](http::Request& request, http::Response& response) {
                                                 service.handle(request, response, Listener::kHealth);
                                               });
  service.add_routes(*server, Listener::kHealth);
  const auto port = listen(*server, **parsed);
  if (!port) return std::unexpected("--metrics-bind-address: " + port.error());
  log_info("serving health and metrics", {{"address", (*parsed)->host.empty() ? "every" : (*parsed)->host},
                                          {"port", std::to_string(*port)}});
  return server;
}

}  // namespace winnow
