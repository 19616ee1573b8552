// A pod's service account to a ClientConfig.
#pragma once

#include <expected>
#include <string>

#include "cluster/access/client_config.h"

namespace winnow::live {

/// The folder that a pod finds its service account in.
inline constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The server is https://KUBERNETES_SERVICE_HOST:KUBERNETES_SERVICE_PORT, the token and the certificate
/// authority are the files `token` and `ca.crt` of the folder. Upstream: InClusterConfig of client-go's
/// rest/config.go v0.37.0; a missing certificate authority, which it only logs, is an error here: a token is
/// never sent to a server that is not verified.
std::expected<ClientConfig, std::string> load_service_account(
    const std::string& folder = kServiceAccountFolder);

}  // namespace winnow::live
