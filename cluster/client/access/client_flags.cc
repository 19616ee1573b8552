#include "cluster/client/access/client_flags.h"

#include <algorithm>
#include <cstdlib>
#include <format>
#include <optional>
#include <utility>

#include "cluster/client/access/client_config.h"
#include "cluster/client/access/exec_credential.h"
#include "cluster/client/access/kubeconfig.h"
#include "cluster/client/access/server_url.h"

namespace winnow::live {
namespace {

std::expected<ClientConfig, std::string> before_masters(const ClientFlags& flags) {
  if (!flags.kubeconfig.empty()) return load_kubeconfig(flags.kubeconfig, flags.context);
  const auto files = flags.as_kubectl ? kubectl_files() : flags.files;
  if (!files.empty()) return load_kubeconfigs(files, flags.context);
  if (!flags.context.empty())
    return std::unexpected("--context: there is no --kubeconfig that it could be in");
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) return load_service_account();
  if (!flags.masters.empty()) return ClientConfig{};
  if (flags.as_kubectl)
    return std::unexpected(
        "no cluster: name a kubeconfig by --kubeconfig or KUBECONFIG, or write ~/.kube/config");
  return std::unexpected("no cluster: name one by --kubeconfig or --master, or run in a pod");
}

bool has_credentials(const ClientConfig& config) {
  return !(config.token.empty() && config.token_file.empty() && config.username.empty() &&
           config.client_certificate.empty());
}

/// Replaces the plugin by what it prints. Upstream: UpdateTransportConfig of client-go's
/// plugin/pkg/client/auth/exec/exec.go v0.37.0, which does not run it beside other credentials either.
std::expected<void, std::string> use_plugin(const ClientFlags& flags, ClientConfig& config) {
  const std::optional<ExecPlugin> plugin = std::exchange(config.exec, std::nullopt);
  const bool tls = std::ranges::any_of(
      config.servers, [](const std::string& server) { return server.starts_with("https:"); });
  if (!plugin || has_credentials(config) || !tls) return {};
  if (flags.plugins == nullptr)
    return std::unexpected(
        plugin->where +
        ": a service runs no credential plugin; use a kubeconfig of a service account, whose user has a "
        "tokenFile (kubectl create token) or a client certificate");
  auto credential = flags.plugins->credential(*plugin, config);
  if (!credential) return std::unexpected(std::move(credential).error());
  config.token = std::move(credential->token);
  config.client_certificate.data = std::move(credential->certificate);
  config.client_key.data = std::move(credential->key);
  return {};
}

}  // namespace

std::expected<ClientConfig, std::string> find_client_config(const ClientFlags& flags) {
  for (const std::string& master : flags.masters)
    if (const auto url = parse_server_url(master); !url) return std::unexpected("--master: " + url.error());
  auto config = before_masters(flags);
  if (!config) return config;
  if (!flags.masters.empty()) config->servers = flags.masters;
  for (const std::string& server : config->servers)
    if (server.starts_with("http:") && (has_credentials(*config) || config->exec))
      config->warnings.push_back(std::format("{}: no credentials are sent over http", server));
  if (const auto used = use_plugin(flags, *config); !used) return std::unexpected(used.error());
  return config;
}

std::string context_namespace(const ClientFlags& flags) {
  auto config = before_masters(flags);
  return config ? std::move(config->context_namespace) : "";
}

}  // namespace winnow::live
