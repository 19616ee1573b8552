// How API servers are reached: kubeconfigs, tokens, certificates and keys, and what credential plugins print.
// No plugin is run.
#include <cstdint>

#include "cluster/client/access/credentials.h"
#include "cluster/client/access/exec_credential.h"
#include "cluster/client/access/kubeconfig.h"
#include "cluster/client/access/server_url.h"
#include "cluster/client/access/tls_context.h"
#include "cluster/clock.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

using live::ClientConfig;

/// Secrets that the text has once, and that are long enough not to be found by chance.
std::vector<std::string> secrets_of(std::string_view text) {
  std::vector<std::string> secrets;
  const auto document = load_document(std::string(text));
  if (!document || !document->root().IsObject() || !document->root().HasMember("users")) return secrets;
  const auto& users = document->root()["users"];
  if (!users.IsArray()) return secrets;
  for (const auto& entry : users.GetArray()) {
    if (!entry.IsObject() || !entry.HasMember("user") || !entry["user"].IsObject()) continue;
    for (const char* key : {"token", "password", "client-key-data"}) {
      const std::string secret(string_at(entry["user"], key));
      if (secret.size() < 12) continue;
      const std::size_t first = text.find(secret);
      if (first != std::string_view::npos && text.find(secret, first + 1) == std::string_view::npos)
        secrets.push_back(secret);
    }
  }
  return secrets;
}

void check_line(std::string_view line, const std::vector<std::string>& secrets) {
  check_error(line);
  for (const std::string& secret : secrets) must(!line.contains(secret), "a line has no secret", line);
}

bool names_a_file(const ClientConfig& config) {
  return !config.certificate_authority.file.empty() || !config.client_certificate.file.empty() ||
         !config.client_key.file.empty() || !config.token_file.empty();
}

void check_plugin(const live::ExecPlugin& plugin, const ClientConfig& config) {
  check_line(plugin.where, {});
  must(!plugin.command.contains('/') || plugin.command.starts_with('/'), "a path is absolute",
       plugin.command);
  if (!config.certificate_authority.file.empty()) return;  // Files of this machine are not read.
  const auto info = live::exec_info(plugin, config, true);
  must(info.has_value(), "the plugin is told of the cluster");
  const auto told = load_document(*info);
  must(told && told->root().IsObject() && told->root().HasMember("spec"), "that is JSON", *info);
}

void kubeconfig_in(std::string_view text, const std::string& context) {
  const MemoryFile file(text);
  const auto config = live::load_kubeconfig(file.name(), context);
  const auto secrets = secrets_of(text);
  if (!config) return check_line(config.error(), secrets);
  for (const std::string& line : config->warnings) check_line(line, secrets);
  must(!config->servers.empty(), "there is a server");
  for (const std::string& server : config->servers)
    must(live::parse_server_url(server).has_value(), "it has an address", server);
  must(!config->insecure_skip_tls_verify || config->certificate_authority.empty(), "one excludes the other");
  must(config->client_certificate.empty() == config->client_key.empty(), "certificate and key come together");
  const auto again = live::load_kubeconfig(file.name(), context);
  must(again.has_value() && again->servers == config->servers && again->token == config->token &&
           again->client_key.data == config->client_key.data,
       "a file that is read twice is the same");
  if (config->exec) check_plugin(*config->exec, *config);
  if (names_a_file(*config)) return;  // Files of this machine are not read.
  const auto credentials = live::Credentials::load(*config, live::system_clock());
  if (!credentials) return check_line(credentials.error(), secrets);
  const std::string header = (*credentials)->authorization();
  must(is_one_line(header) || header.empty(), "a header is one line");
  must((*credentials)->tls() != nullptr, "there is a context");
}

void kubeconfig(std::string_view text) { kubeconfig_in(text, ""); }
/// The first line names the context.
void kubeconfig_with_context(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end != std::string_view::npos) kubeconfig_in(text.substr(end + 1), std::string(text.substr(0, end)));
}

void check_context(const live::TlsMaterial& material) {
  const auto made = live::TlsContext::make(material);
  if (!made) return check_error(made.error());
  must((*made)->get() != nullptr, "there is a context");
  must(live::TlsContext::make(material).has_value(), "it is made twice");
}

void authority(std::string_view text) { check_context({.authority = std::string(text)}); }
void pair(std::string_view text) {
  check_context({.certificate = std::string(text), .key = std::string(text)});
}

void exec_credential(std::string_view text) {
  constexpr std::size_t kLongestConstant = 200;  // No part of the text is shown.
  const auto read = live::read_exec_credential(std::string(text), "client.authentication.k8s.io/v1");
  if (!read) return check_error(read.error(), kLongestConstant);
  must(!read->token.empty() || !read->key.empty(), "there is a credential");
  must(read->certificate.empty() == read->key.empty(), "certificate and key come together");
}

constexpr Part kParts[] = {kubeconfig, kubeconfig_with_context, authority, pair, exec_credential};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
