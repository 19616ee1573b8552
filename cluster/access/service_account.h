// A pod's service account, read into a ClientConfig.
#pragma once

#include <expected>
#include <string>

#include "cluster/access/client_config.h"

namespace winnow::live {

/// The folder of a pod's service account.
inline constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The config of a pod's service account. The server is
/// https://KUBERNETES_SERVICE_HOST:KUBERNETES_SERVICE_PORT. The token and the certificate authority are the
/// files `token` and `ca.crt` in the folder. Upstream: InClusterConfig of client-go's rest/config.go v0.37.0.
/// It only logs a missing certificate authority. Here that is an error: a token is never sent to a server
/// that is not verified.
std::expected<ClientConfig, std::string> load_service_account(
    const std::string& folder = kServiceAccountFolder);

}  // namespace winnow::live
