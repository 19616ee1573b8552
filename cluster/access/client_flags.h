// From the command line to a ClientConfig.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/access/client_config.h"

namespace winnow::live {

/// What the command line says of the API servers.
struct ClientFlags {
  std::string kubeconfig;            ///< --kubeconfig
  std::string context;               ///< --context; "": the file's current one.
  std::vector<std::string> masters;  ///< --master URL, repeatable: instead of the servers that are found.
};

/// Takes the kubeconfig if one is named. Otherwise the service account, in a pod (KUBERNETES_SERVICE_HOST is
/// set). Otherwise the masters without credentials, as for a kubectl proxy. Upstream: BuildConfigFromFlags of
/// client-go's clientcmd, which sends no credentials to a master in a pod. Here they go there, under TLS as
/// always.
/// @return or one line: the file or flag, the field, what was expected.
std::expected<ClientConfig, std::string> find_client_config(const ClientFlags& flags);

}  // namespace winnow::live
