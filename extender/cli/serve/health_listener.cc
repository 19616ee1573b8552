#include "extender/cli/serve/health_listener.h"

#include "cluster/access/server_url.h"
#include "extender/cli/flags/listen_address.h"
#include "extender/log/log.h"

namespace winnow {
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
