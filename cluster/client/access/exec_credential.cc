#include "cluster/client/access/exec_credential.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <format>
#include <string_view>
#include <utility>

#include "cluster/client/access/command_output.h"
#include "cluster/client/access/tls_context.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/source.h"

namespace winnow::live {
namespace {

constexpr std::string_view kKind = "ExecCredential";
constexpr std::string_view kInfoVariable = "KUBERNETES_EXEC_INFO";
constexpr std::size_t kMostPrinted = std::size_t{1} << 20;

/// A text of the answer, which errors do not show.
struct Unshown {
  std::string text;
};

bool read_value(const Reader& reader, Unshown& target) {
  if (!reader.value().IsString()) return reader.complain("is not a string");
  target.text = string_of(reader.value());
  return true;
}

struct Expiry {
  std::optional<std::int64_t> seconds;
};

bool read_value(const Reader& reader, Expiry& target) {
  if (reader.value().IsString()) target.seconds = parse_rfc3339(string_of(reader.value()));
  return target.seconds || reader.complain("is not a time in RFC 3339 form");
}

struct Status {
  ExecCredential& credential;
};

bool read_value(const Reader& reader, Status& status) {
  Unshown token, certificate, key;
  Expiry expiry;
  if (!reader.value().IsObject()) return reader.complain("is not an object");
  if (!(reader.read("token", token) && reader.read("clientCertificateData", certificate) &&
        reader.read("clientKeyData", key) && reader.read("expirationTimestamp", expiry)))
    return false;
  if (certificate.text.empty() != key.text.empty())
    return reader.complain("clientCertificateData and clientKeyData need each other");
  if (token.text.empty() && key.text.empty())
    return reader.complain("has no token, and no clientCertificateData with clientKeyData");
  status.credential = {std::move(token.text), std::move(certificate.text), std::move(key.text),
                       expiry.seconds};
  return true;
}

bool read_answer(const Reader& root, const std::string& api_version, ExecCredential& credential) {
  Unshown kind, version;
  Status status{credential};
  if (!root.value().IsObject()) return root.complain("is not an object");
  if (!root.read("kind", kind) || !root.read("apiVersion", version)) return false;
  if (kind.text != kKind) return root.complain(std::format("kind is not {}", kKind));
  if (version.text != api_version) return root.complain("apiVersion is not " + api_version);
  if (!root.has("status")) return root.complain("status is missing");
  return root.read("status", status);
}

/// Appends `,"name":"text"`.
void add_text(std::string& out, std::string_view name, std::string_view text) {
  out += std::format(",\"{}\":", name);
  append_quoted(out, text);
}

/// Upstream: ConfigToExecCluster of client-go's rest/exec.go v0.37.0.
std::string cluster_info(const ExecPlugin& plugin, const ClientConfig& config, std::string_view authority) {
  std::string out = R"({"server":)";
  append_quoted(out, config.servers.empty() ? "" : config.servers.front());
  if (!config.tls_server_name.empty()) add_text(out, "tls-server-name", config.tls_server_name);
  if (config.insecure_skip_tls_verify) out += R"(,"insecure-skip-tls-verify":true)";
  if (!authority.empty()) add_text(out, "certificate-authority-data", to_base64(std::string(authority)));
  if (plugin.disable_compression) out += R"(,"disable-compression":true)";
  return out + R"(,"config":)" + plugin.cluster_config + "}";
}

/// Our environment with the plugin's. Of equal names the last one counts, as in Go.
std::vector<std::string> environment_for(const ExecPlugin& plugin, const std::string& info) {
  std::vector<std::string> variables;
  const auto set = [&](std::string variable) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(variables, [&](const std::string& before) { return before.starts_with(name); });
    variables.push_back(std::move(variable));
  };
  for (char** own = environ; own != nullptr && *own != nullptr; ++own) variables.emplace_back(*own);
  for (const auto& [name, value] : plugin.environment) set(std::format("{}={}", name, value));
  set(std::format("{}={}", kInfoVariable, info));
  return variables;
}

bool has_expired(const ExecCredential& credential) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return credential.expires && *credential.expires < std::chrono::floor<std::chrono::seconds>(now).count();
}

}  // namespace

std::expected<ExecCredential, std::string> read_exec_credential(std::string text,
                                                                const std::string& api_version) {
  const auto document = load_document(std::move(text));
  // The parser's message may have a part of the text.
  if (!document)
    return std::unexpected(std::format("line {}, column {}: is neither JSON nor YAML", document.error().line,
                                       document.error().column));
  ExecCredential credential;
  std::string error;
  if (!read_answer(Reader(document->root(), nullptr, error), api_version, credential))
    return std::unexpected(error);
  return credential;
}

std::expected<std::string, std::string> exec_info(const ExecPlugin& plugin, const ClientConfig& config,
                                                  bool interactive) {
  std::string out = std::format(R"({{"kind":"{}","apiVersion":"{}","spec":{{)", kKind, plugin.api_version);
  if (plugin.provide_cluster_info) {
    std::string authority = config.certificate_authority.data;
    if (const std::string& file = config.certificate_authority.file; authority.empty() && !file.empty()) {
      auto read = read_source(file, kMostPrinted);
      if (!read) return std::unexpected(std::format("{}: {}", file, read.error()));
      authority = std::move(*read);
    }
    out += R"("cluster":)" + cluster_info(plugin, config, authority) + ',';
  }
  return out + std::format(R"("interactive":{}}}}})", interactive);
}

ExecPlugins::ExecPlugins() : ExecPlugins(Options()) {}
ExecPlugins::ExecPlugins(Options options) : options_(std::move(options)) {}

std::expected<bool, std::string> ExecPlugins::interactive(const ExecPlugin& plugin) const {
  const bool terminal = options_.has_input && ::isatty(STDIN_FILENO) == 1;
  if (plugin.interactive == InteractiveMode::kAlways && !terminal)
    return std::unexpected(plugin.where + ".interactiveMode: Always, and standard input is no terminal");
  return terminal && plugin.interactive != InteractiveMode::kNever;
}

std::string ExecPlugins::not_found(const ExecPlugin& plugin) const {
  std::string line =
      printable(std::format("{}: the command {} is not found", plugin.where, go_quote(plugin.command)));
  if (::access(options_.shell.c_str(), F_OK) != 0)
    return line + ": this is an image without programs; run winnow on a machine that has the command";
  if (const std::string hint = one_line(trim(plugin.install_hint)); !hint.empty()) line += "; " + hint;
  return line;
}

std::expected<ExecCredential, std::string> ExecPlugins::run(const ExecPlugin& plugin, const std::string& info,
                                                            bool interactive) const {
  const std::string file = program_file(plugin.command);
  const auto wrong = [&](std::string_view what) {
    return std::unexpected(
        printable(std::format("{}: the command {} {}", plugin.where, go_quote(plugin.command), what)));
  };
  if (file.empty() && plugin.command.contains('/') && ::access(plugin.command.c_str(), F_OK) == 0)
    return wrong("is not a file that can be run");
  if (file.empty()) return std::unexpected(not_found(plugin));
  Command command{.program = file,
                  .arguments = {plugin.command},
                  .environment = environment_for(plugin, info),
                  .takes_input = interactive,
                  .max_bytes = kMostPrinted,
                  .limit = options_.limit};
  command.arguments.insert(command.arguments.end(), plugin.arguments.begin(), plugin.arguments.end());
  auto output = output_of(command);
  if (!output) return wrong(output.error());
  auto credential = read_exec_credential(std::move(*output), plugin.api_version);
  if (!credential) return wrong("has not printed an ExecCredential: " + credential.error());
  const auto pair =
      TlsContext::make({.certificate = credential->certificate, .key = credential->key, .verify = false});
  if (!pair) return wrong("has printed what cannot be used: " + pair.error());
  return credential;
}

std::expected<ExecCredential, std::string> ExecPlugins::credential(const ExecPlugin& plugin,
                                                                   const ClientConfig& config) {
  const auto asks = interactive(plugin);
  if (!asks) return std::unexpected(asks.error());
  const auto info = exec_info(plugin, config, *asks);
  if (!info) return std::unexpected(info.error());
  std::erase_if(kept_, [](const Kept& kept) { return has_expired(kept.credential); });
  for (const Kept& kept : kept_)
    if (kept.plugin == plugin && kept.info == *info) return kept.credential;
  auto credential = run(plugin, *info, *asks);
  if (credential) kept_.push_back({plugin, *info, *credential});
  return credential;
}

}  // namespace winnow::live
