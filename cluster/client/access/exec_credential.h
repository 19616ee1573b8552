// Credentials that a plugin of the kubeconfig prints. See ExecPlugin in client_config.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cluster/client/access/client_config.h"

namespace winnow::live {

/// What a plugin has printed: a token, or a client certificate and its key, or all of them. Secrets.
struct ExecCredential {
  std::string token;
  std::string certificate;              ///< PEM, with its chain.
  std::string key;                      ///< PEM.
  std::optional<std::int64_t> expires;  ///< Seconds since 1970.
};

/// Reads an ExecCredential of that apiVersion, JSON or YAML.
/// @return the credential, or one line without any of its values.
std::expected<ExecCredential, std::string> read_exec_credential(std::string text,
                                                                const std::string& api_version);

/// The ExecCredential that a plugin gets in KUBERNETES_EXEC_INFO, in JSON. @param config  the cluster.
/// @return the text, or one line: the certificate authority's file cannot be read.
std::expected<std::string, std::string> exec_info(const ExecPlugin& plugin, const ClientConfig& config,
                                                  bool interactive);

/// Runs the plugins of a short command. Upstream: client-go's plugin/pkg/client/auth/exec/exec.go v0.37.0. As
/// there, a plugin that has run is not run again before its credential has expired, and so people log in
/// once. Unlike there it has a time limit, and a refused token (401) does not run it again. One thread.
class ExecPlugins {
 public:
  struct Options {
    bool has_input = true;  ///< Plugins may ask at a terminal, if standard input is one.
    /// People may have to log in by a browser meanwhile.
    std::chrono::milliseconds limit = std::chrono::minutes(5);
    std::string shell = "/bin/sh";  ///< Without this file the machine is an image without programs.
  };
  ExecPlugins();
  explicit ExecPlugins(Options options);

  /// Runs the plugin, or returns what it has printed before. Its standard error is ours.
  /// @param config  the cluster, which the plugin is told of if it wants.
  /// @return the credential, or one line: the field, the command, and what is wrong; never a secret.
  std::expected<ExecCredential, std::string> credential(const ExecPlugin& plugin, const ClientConfig& config);

 private:
  struct Kept {
    ExecPlugin plugin;
    std::string info;
    ExecCredential credential;
  };
  std::expected<bool, std::string> interactive(const ExecPlugin& plugin) const;
  std::expected<ExecCredential, std::string> run(const ExecPlugin& plugin, const std::string& info,
                                                 bool interactive) const;
  std::string not_found(const ExecPlugin& plugin) const;

  const Options options_;
  std::vector<Kept> kept_;
};

}  // namespace winnow::live
