#include "cluster/access/kubeconfig.h"

#include <filesystem>
#include <format>
#include <utility>

#include "cluster/access/server_url.h"
#include "cluster/text/base64.h"
#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/printable.h"
#include "cluster/text/source.h"

namespace winnow::live {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

/// A text that must not appear in errors.
struct Secret {
  std::string text;
};

bool read_value(const Reader& reader, Secret& secret) {
  if (!reader.value().IsString()) return reader.complain("is not a string");
  secret.text = string_of(reader.value());
  return true;
}

/// Bytes in base64, as Go's JSON has them.
struct Base64 {
  std::string bytes;
};

bool read_value(const Reader& reader, Base64& base64) {
  Secret text;
  if (!read_value(reader, text)) return false;
  auto bytes = from_base64(text.text);
  if (!bytes) return reader.complain("is not base64");
  base64.bytes = std::move(*bytes);
  return true;
}

struct Context {
  std::string cluster, user;
};

bool read_fields(const Reader& reader, Context& context) {
  return reader.read("cluster", context.cluster) && reader.read("user", context.user);
}

/// A field that must not be set, and the reason.
struct Refused {
  std::string_view why;
};

bool read_value(const Reader& reader, Refused& refused) {
  const bool empty = reader.value().IsString() && reader.value().GetStringLength() == 0;
  return empty || reader.complain(refused.why);
}

struct Server {
  std::string url;
};

bool read_value(const Reader& reader, Server& server) {
  if (!winnow::read_value(reader, server.url)) return false;
  const auto url = parse_server_url(server.url);
  return url || reader.complain(url.error());
}

/// The cluster's part of a ClientConfig, read in place. UserPart is the user's part.
struct ClusterPart {
  ClientConfig& config;
};

bool read_fields(const Reader& reader, ClusterPart& part) {
  ClientConfig& config = part.config;
  Server server;
  Base64 authority;
  Refused proxy{"proxies are not supported"};
  if (!(reader.read("server", server) && reader.read("proxy-url", proxy) &&
        reader.read("tls-server-name", config.tls_server_name) &&
        reader.read("insecure-skip-tls-verify", config.insecure_skip_tls_verify) &&
        reader.read("certificate-authority", config.certificate_authority.file) &&
        reader.read("certificate-authority-data", authority)))
    return false;
  if (server.url.empty()) return reader.complain("server is missing");
  config.servers = {std::move(server.url)};
  config.certificate_authority.data = std::move(authority.bytes);
  return !config.insecure_skip_tls_verify || config.certificate_authority.empty() ||
         reader.complain("insecure-skip-tls-verify and a certificate-authority exclude each other");
}

struct UserPart {
  ClientConfig& config;
};

constexpr std::string_view kExec =
    "exec credential plugins are not run; write a token into a file (kubectl create token) and name it by "
    "tokenFile, or use a client certificate";
constexpr std::string_view kAuthProvider =
    "auth providers are not supported; write a token into a file (kubectl create token) and name it by "
    "tokenFile, or use a client certificate";
constexpr std::string_view kImpersonation = "impersonation is not supported; use the user's own credentials";

/// Refuses fields that need more than this client does.
bool refuse_the_unsupported(const Reader& reader) {
  Refused exec{kExec};
  Refused provider{kAuthProvider};
  Refused as{kImpersonation};
  return reader.read("exec", exec) && reader.read("auth-provider", provider) && reader.read("as", as) &&
         reader.read("as-uid", as) && reader.read("as-groups", as) && reader.read("as-user-extra", as);
}

/// Checks fields that exclude or require each other.
bool check_user(const Reader& reader, const ClientConfig& config) {
  const bool token = !config.token.empty() || !config.token_file.empty();
  if (token && !(config.username.empty() && config.password.empty()))
    return reader.complain("a token and a username or password exclude each other");
  if (!config.client_certificate.empty() && config.client_key.empty())
    return reader.complain("client-certificate needs a client-key");
  if (config.client_certificate.empty() && !config.client_key.empty())
    return reader.complain("client-key needs a client-certificate");
  return true;
}

bool read_fields(const Reader& reader, UserPart& part) {
  ClientConfig& config = part.config;
  Base64 certificate;
  Base64 key;
  Secret token;
  Secret password;
  if (!refuse_the_unsupported(reader)) return false;
  if (!(reader.read("client-certificate", config.client_certificate.file) &&
        reader.read("client-certificate-data", certificate) &&
        reader.read("client-key", config.client_key.file) && reader.read("client-key-data", key) &&
        reader.read("token", token) && reader.read("tokenFile", config.token_file) &&
        reader.read("username", config.username) && reader.read("password", password)))
    return false;
  config.client_certificate.data = std::move(certificate.bytes);
  config.client_key.data = std::move(key.bytes);
  config.token = std::move(token.text);
  config.password = std::move(password.text);
  return check_user(reader, config);
}

/// Reads the `inner` field of the element with the given name in the list `list`.
/// @param missing  the error message if there is no such element.
template <class T>
bool read_named(const Reader& root, const char* list, const char* inner, const std::string& name, T& target,
                const std::string& missing) {
  bool found = false;
  const bool good = root.for_each_in(list, [&](const Reader& element) {
    std::string own;
    if (!element.expect_object() || !element.read("name", own)) return false;
    if (own != name) return true;
    if (found) return element.complain(std::format("a second one of the name \"{}\"", name));
    found = true;
    return element.read(inner, target);
  });
  return good && (found || root.complain(missing));
}

bool read_config(const Reader& root, std::string context_name, ClientConfig& config) {
  if (!root.expect_object()) return false;
  if (context_name.empty() && !root.read("current-context", context_name)) return false;
  if (context_name.empty()) return root.complain("current-context: not set; name a context by --context");
  Context context;
  if (!read_named(root, "contexts", "context", context_name, context,
                  std::format("contexts: there is none of the name \"{}\"", context_name)))
    return false;
  const auto missing = [&](const char* list, const std::string& name) {
    return std::format("{}: there is none of the name \"{}\", which context \"{}\" names", list, name,
                       context_name);
  };
  ClusterPart cluster{config};
  UserPart user{config};
  return read_named(root, "clusters", "cluster", context.cluster, cluster,
                    missing("clusters", context.cluster)) &&
         (context.user.empty() ||
          read_named(root, "users", "user", context.user, user, missing("users", context.user)));
}

void make_absolute(const std::filesystem::path& folder, std::string& file) {
  if (!file.empty()) file = (folder / file).lexically_normal().string();
}

}  // namespace

std::expected<ClientConfig, std::string> load_kubeconfig(const std::string& file,
                                                         const std::string& context) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected(std::format("{}: {}", file, printable(what)));
  };
  auto text = read_source(file, kMaxBytes);
  if (!text) return wrong(text.error());
  const auto document = load_document(std::move(*text));
  if (!document) return wrong(document.error().text());
  ClientConfig config;
  std::string error;
  if (!read_config(Reader(document->root(), nullptr, error), context, config)) return wrong(error);
  if (config.servers.empty()) return wrong("the context's cluster is empty");

  const auto folder = std::filesystem::path(file).parent_path();
  for (std::string* name : {&config.certificate_authority.file, &config.client_certificate.file,
                            &config.client_key.file, &config.token_file})
    make_absolute(folder, *name);
  if (config.insecure_skip_tls_verify)
    config.warnings.push_back(std::format(
        "{}: insecure-skip-tls-verify: whoever stands between can read and change everything", file));
  return config;
}

}  // namespace winnow::live
