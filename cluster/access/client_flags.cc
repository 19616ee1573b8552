#include "cluster/access/client_flags.h"

#include <cstdlib>
#include <format>

#include "cluster/access/kubeconfig.h"
#include "cluster/access/server_url.h"
#include "cluster/access/service_account.h"

namespace winnow::live {
namespace {

std::expected<ClientConfig, std::string> before_masters(const ClientFlags& flags) {
  if (!flags.kubeconfig.empty()) return load_kubeconfig(flags.kubeconfig, flags.context);
  if (flags.as_kubectl)
    if (const auto files = kubectl_files(); !files.empty()) return load_kubeconfigs(files, flags.context);
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

}  // namespace

std::expected<ClientConfig, std::string> find_client_config(const ClientFlags& flags) {
  for (const std::string& master : flags.masters)
    if (const auto url = parse_server_url(master); !url) return std::unexpected("--master: " + url.error());
  auto config = before_masters(flags);
  if (!config) return config;
  if (!flags.masters.empty()) config->servers = flags.masters;
  for (const std::string& server : config->servers)
    if (server.starts_with("http:") && has_credentials(*config))
      config->warnings.push_back(std::format("{}: no credentials are sent over http", server));
  return config;
}

}  // namespace winnow::live
