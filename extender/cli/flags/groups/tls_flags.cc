#include "extender/cli/flags/groups/tls_flags.h"

#include <CLI/CLI.hpp>
#include <format>
#include <map>
#include <utility>

#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {
namespace {

const std::map<std::string, bool> kTlsVersions = {{"VersionTLS12", false}, {"VersionTLS13", true}};

void add_rarer_tls(CLI::App& app, TlsFlags& flags) {
  add_choice(&app, "--tls-min-version", flags.only_tls13, kTlsVersions,
             with_default("VersionTLS12 or VersionTLS13", flags.only_tls13, kTlsVersions))
      ->type_name("VERSION");
  add_list(&app, "--tls-cipher-suites", flags.cipher_suites, "A,B",
           "Cipher suites for TLS 1.2 [Go's defaults]");
  add_list(&app, "--anonymous-paths", flags.anonymous_paths, "A,B",
           "Take no client certificate [/livez,/readyz]");
  add_list(&app, "--allowed-client-names", flags.allowed_client_names, "A,B",
           "CN or DNS names of clients [all of the authority]");
}

}  // namespace

void add_tls(CLI::App& serve, TlsFlags& flags) {
  serve
      .add_option("--tls-cert-file", flags.cert_file,
                  "Speak TLS on --port, by this certificate; --help-tls has more")
      ->type_name("FILE");
  serve.add_option("--tls-private-key-file", flags.key_file, "The certificate's key")->type_name("FILE");
  serve.add_option("--client-ca-file", flags.client_ca_file, "Require client certificates of this authority")
      ->type_name("FILE");
  add_with_own_help(serve, flags, add_rarer_tls,
                    {"--help-tls", "Speak TLS on --port, and ask for client certificates",
                     "winnow serve --tls-cert-file FILE --tls-private-key-file FILE"});
}

std::string wrong_tls_flags(const TlsFlags& flags) {
  if (flags.cert_file.empty() != flags.key_file.empty())
    return "--tls-cert-file and --tls-private-key-file go together";
  const std::pair<const char*, bool> need_certificate[] = {
      {"--client-ca-file", !flags.client_ca_file.empty()},
      {"--tls-min-version", flags.only_tls13},
      {"--tls-cipher-suites", !flags.cipher_suites.empty()},
  };
  for (const auto& [flag, given] : need_certificate)
    if (given && flags.cert_file.empty()) return std::format("{} needs --tls-cert-file", flag);
  for (const std::string& path : flags.anonymous_paths)
    if (!path.starts_with('/')) return std::format("--anonymous-paths: \"{}\" is not a path", path);
  if (!flags.allowed_client_names.empty() && flags.client_ca_file.empty())
    return "--allowed-client-names needs --client-ca-file";
  return {};
}

}  // namespace winnow
