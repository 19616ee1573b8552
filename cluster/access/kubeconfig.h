// A kubeconfig file to a ClientConfig.
#pragma once

#include <expected>
#include <string>

#include "cluster/access/client_config.h"

namespace winnow::live {

/// Reads one file, YAML or JSON. Upstream: client-go's tools/clientcmd v0.37.0. As there: …-data beats a
/// file, relative paths start in the kubeconfig's folder, unknown fields are ignored, tokenFile beats token,
/// a user may be missing (then nothing is sent). Refused with a reason: proxy-url, impersonation (as…),
/// auth-provider and exec, since no program is run for a user. Files that it names are not read here (see
/// Credentials).
/// @param context  "": current-context.
/// @return or one line: the file, the field, what was expected; never a secret's text.
std::expected<ClientConfig, std::string> load_kubeconfig(const std::string& file, const std::string& context);

}  // namespace winnow::live
