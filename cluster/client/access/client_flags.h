// The flags that name the API servers, resolved to a ClientConfig.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/access/client_config.h"

namespace winnow::live {

class ExecPlugins;

/// The command-line flags about the API servers.
struct ClientFlags {
  std::string kubeconfig;            ///< --kubeconfig
  std::string context;               ///< --context; "": the file's current-context.
  std::vector<std::string> masters;  ///< --master URL, repeatable: replaces the servers found.
  /// Without a kubeconfig, those that kubectl would read are used, if there are any: see kubectl_files().
  bool as_kubectl = false;
  /// Runs the credential plugins that the kubeconfig's user has. Null, as for a service: they are refused.
  std::shared_ptr<ExecPlugins> plugins = nullptr;
  /// The kubeconfigs that are used without --kubeconfig, as one: see load_kubeconfigs(). Empty: none.
  std::vector<std::string> files = {};
};

/// Uses the kubeconfig if one is named, by the flag or as one of `files`. Otherwise it uses the service
/// account, if in a pod (KUBERNETES_SERVICE_HOST is set). Otherwise it uses the masters without credentials,
/// as for a kubectl proxy. Upstream: BuildConfigFromFlags of client-go's clientcmd. It sends no credentials
/// to a master from a pod. Winnow does, but only over TLS, as always. A credential plugin is run only if the
/// user has no other credentials and a server has TLS.
/// @return the config, or one line with the file or flag, the field and what was expected.
std::expected<ClientConfig, std::string> find_client_config(const ClientFlags& flags);

/// The namespace of the context that find_client_config() uses; "": it has none, or no kubeconfig is used.
std::string context_namespace(const ClientFlags& flags);

}  // namespace winnow::live
