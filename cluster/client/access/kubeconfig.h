// A kubeconfig file, or several as kubectl reads them, read into a ClientConfig.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/client/access/client_config.h"

namespace winnow::live {

/// Reads one file, YAML or JSON. Upstream: client-go's tools/clientcmd v0.37.0. As there, inline …-data takes
/// precedence over a file, and tokenFile over token. Relative paths start in the kubeconfig's folder, and
/// unknown fields are ignored. An empty file has no contexts. A context may have no user; then no credentials
/// are sent. These are refused with a reason: proxy-url, impersonation (as…) and auth-provider. Files that
/// the kubeconfig names are not read here (see Credentials), and its credential plugin is not run (see
/// find_client_config()).
/// @param context  "": current-context.
/// @return the config, or one line with the file, the field and what was expected; never a secret.
std::expected<ClientConfig, std::string> load_kubeconfig(const std::string& file, const std::string& context);

/// The same for several files, read as one. Of current-context, and of each cluster, user and context, the
/// first file that has it counts. Relative paths start in the folder of the file that has them. Upstream:
/// ClientConfigLoadingRules.Load of client-go's tools/clientcmd/loader.go v0.37.0.
/// @param files  at least one.
std::expected<ClientConfig, std::string> load_kubeconfigs(const std::vector<std::string>& files,
                                                          const std::string& context);

/// The files of the list KUBECONFIG that exist.
std::vector<std::string> files_of_variable();

/// The files that kubectl reads without --kubeconfig: those of the list KUBECONFIG, else ~/.kube/config.
/// Files that do not exist are left out.
std::vector<std::string> kubectl_files();

/// The names of the contexts in these files; those that were read before an error.
std::vector<std::string> context_names(const std::vector<std::string>& files);

}  // namespace winnow::live
