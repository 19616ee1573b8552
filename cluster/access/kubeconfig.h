// A kubeconfig file, read into a ClientConfig.
#pragma once

#include <expected>
#include <string>

#include "cluster/access/client_config.h"

namespace winnow::live {

/// Reads one file, YAML or JSON. Upstream: client-go's tools/clientcmd v0.37.0. As there, inline …-data takes
/// precedence over a file, and tokenFile over token. Relative paths start in the kubeconfig's folder, and
/// unknown fields are ignored. A context may have no user; then no credentials are sent. These are refused
/// with a reason: proxy-url, impersonation (as…), auth-provider and exec, as no program is run for a user.
/// Files that the kubeconfig names are not read here (see Credentials).
/// @param context  "": current-context.
/// @return the config, or one line with the file, the field and what was expected; never a secret.
std::expected<ClientConfig, std::string> load_kubeconfig(const std::string& file, const std::string& context);

}  // namespace winnow::live
