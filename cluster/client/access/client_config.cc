#include "cluster/client/access/client_config.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdlib>
#include <format>
#include <optional>
#include <string_view>

#include "cluster/client/access/server_url.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/source.h"

namespace winnow::live {
namespace {

constexpr std::string_view kGroup = "client.authentication.k8s.io";
constexpr std::string_view kExtension = "client.authentication.k8s.io/exec";

/// A text for the command, which errors do not show. It may be a secret.
struct CommandText {
  std::string text;
};

bool read_value(const Reader& reader, CommandText& target) {
  if (!reader.value().IsString()) return reader.complain("is not a string");
  target.text = string_of(reader.value());
  return !target.text.contains('\0') || reader.complain("holds a NUL character");
}

struct EnvironmentVariable {
  CommandText name, value;
};

bool read_fields(const Reader& reader, EnvironmentVariable& variable) {
  return reader.read("name", variable.name) && reader.read("value", variable.value) &&
         (!variable.name.text.empty() || reader.complain("name is missing"));
}

struct Version {
  std::string text;
};

bool read_value(const Reader& reader, Version& version) {
  if (!winnow::read_value(reader, version.text)) return false;
  return version.text == std::string(kGroup) + "/v1" || version.text == std::string(kGroup) + "/v1beta1" ||
         reader.fail("client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1");
}

struct Mode {
  std::optional<InteractiveMode> mode;
};

bool read_value(const Reader& reader, Mode& target) {
  std::string word;
  if (!winnow::read_value(reader, word)) return false;
  if (word == "Never") target.mode = InteractiveMode::kNever;
  if (word == "IfAvailable") target.mode = InteractiveMode::kIfAvailable;
  if (word == "Always") target.mode = InteractiveMode::kAlways;
  return word.empty() || target.mode || reader.fail("Never, IfAvailable or Always");
}

/// A value of any type, as JSON.
struct Extension {
  std::string& json;
};

bool read_value(const Reader& reader, Extension& extension) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  // Fails for infinity alone, of which the start of a text would be left.
  if (!reader.value().Accept(writer)) return reader.complain("holds a number that JSON does not have");
  extension.json.assign(buffer.GetString(), buffer.GetSize());
  return true;
}

}  // namespace

bool read_fields(const Reader& reader, ExecPlugin& plugin) {
  Version version;
  CommandText command, hint;
  Mode mode;
  std::vector<CommandText> arguments;
  std::vector<EnvironmentVariable> environment;
  if (!(reader.read("apiVersion", version) && reader.read("command", command) &&
        reader.read("args", arguments) && reader.read("env", environment) &&
        reader.read("installHint", hint) && reader.read("provideClusterInfo", plugin.provide_cluster_info) &&
        reader.read("interactiveMode", mode)))
    return false;
  if (version.text.empty()) return reader.complain("apiVersion is missing");
  if (command.text.empty()) return reader.complain("command is missing");
  // v1beta1 has a default. Upstream: SetDefaults_ExecConfig of tools/clientcmd/api/v1/defaults.go.
  if (version.text.ends_with("/v1") && !mode.mode)
    return reader.complain("interactiveMode is missing: expected Never, IfAvailable or Always");
  plugin.interactive = mode.mode.value_or(InteractiveMode::kIfAvailable);
  plugin.where = reader.path();
  plugin.api_version = std::move(version.text);
  plugin.command = std::move(command.text);
  plugin.install_hint = std::move(hint.text);
  for (CommandText& argument : arguments) plugin.arguments.push_back(std::move(argument.text));
  for (EnvironmentVariable& variable : environment)
    plugin.environment.emplace_back(std::move(variable.name.text), std::move(variable.value.text));
  return true;
}

bool read_cluster_for_plugins(const Reader& cluster, ExecPlugin& plugin) {
  return cluster.read("disable-compression", plugin.disable_compression) &&
         cluster.for_each_in("extensions", [&](const Reader& element) {
           // The others are whatever their owners want.
           if (!element.value().IsObject() || string_at(element.value(), "name") != kExtension) return true;
           Extension extension{plugin.cluster_config};
           return element.read("extension", extension);
         });
}

namespace {

constexpr std::size_t kMostTokenBytes = std::size_t{1} << 20;

std::expected<void, std::string> check_file(const std::string& file) {
  const auto bytes = read_source(file, kMostTokenBytes);
  if (!bytes) return std::unexpected(std::format("{}: {}", file, bytes.error()));
  if (bytes->empty()) return std::unexpected(std::format("{}: the file is empty", file));
  return {};
}

}  // namespace

std::expected<ClientConfig, std::string> load_service_account(const std::string& folder) {
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || *host == '\0' || port == nullptr || *port == '\0')
    return std::unexpected(
        "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not both set");
  const bool brackets = std::string_view(host).contains(':');
  const std::string server =
      std::format("https://{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
  if (const auto url = parse_server_url(server); !url)
    return std::unexpected("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " + url.error());

  ClientConfig config;
  config.servers = {server};
  config.token_file = folder + "/token";
  config.certificate_authority.file = folder + "/ca.crt";
  for (const std::string& file : {config.token_file, config.certificate_authority.file})
    if (const auto checked = check_file(file); !checked) return std::unexpected(checked.error());
  return config;
}

}  // namespace winnow::live
