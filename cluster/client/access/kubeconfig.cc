#include "cluster/client/access/kubeconfig.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <ranges>
#include <system_error>
#include <utility>

#include "cluster/client/access/client_config.h"
#include "cluster/client/access/server_url.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/source.h"

namespace winnow::live {
namespace {

constexpr std::size_t kMostKubeconfigBytes = std::size_t{16} << 20;

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
  std::string cluster, user, ns;
};

bool read_fields(const Reader& reader, Context& context) {
  return reader.read("cluster", context.cluster) && reader.read("user", context.user) &&
         reader.read("namespace", context.ns);
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
  ExecPlugin for_plugins{};  ///< The fields that are the cluster's.
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
        reader.read("certificate-authority-data", authority) &&
        read_cluster_for_plugins(reader, part.for_plugins)))
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

constexpr std::string_view kAuthProvider =
    "auth providers are not supported; write a token into a file (kubectl create token) and name it by "
    "tokenFile, or use a client certificate";
constexpr std::string_view kImpersonation = "impersonation is not supported; use the user's own credentials";

/// Refuses fields that need more than this client does.
bool refuse_the_unsupported(const Reader& reader) {
  Refused provider{kAuthProvider};
  Refused as{kImpersonation};
  return reader.read("auth-provider", provider) && reader.read("as", as) && reader.read("as-uid", as) &&
         reader.read("as-groups", as) && reader.read("as-user-extra", as);
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
        reader.read("username", config.username) && reader.read("password", password) &&
        reader.read("exec", config.exec)))
    return false;
  config.client_certificate.data = std::move(certificate.bytes);
  config.client_key.data = std::move(key.bytes);
  config.token = std::move(token.text);
  config.password = std::move(password.text);
  return check_user(reader, config);
}

/// Reads the `inner` field of the element with the given name in the list `list`.
/// @param found  whether there is such an element.
template <class T>
bool read_named(const Reader& root, const char* list, const char* inner, const std::string& name, T& target,
                bool& found) {
  found = false;
  return root.for_each_in(list, [&](const Reader& element) {
    std::string own;
    if (!element.expect_object() || !element.read("name", own)) return false;
    if (own != name) return true;
    if (found) return element.complain(std::format("a second one of the name {}", go_quote(name)));
    found = true;
    return element.read(inner, target);
  });
}

void make_absolute(const std::string& kubeconfig, std::string& file) {
  const auto folder = std::filesystem::path(kubeconfig).parent_path();
  if (!file.empty()) file = (folder / file).lexically_normal().string();
}

/// Completes the plugin, of which the user's part is read. A path is made absolute, so that it never becomes
/// a name for PATH.
void complete_plugin(const std::string& kubeconfig, const ExecPlugin& of_cluster, ExecPlugin& plugin) {
  plugin.where = std::format("{}: {}", kubeconfig, plugin.where);
  plugin.disable_compression = of_cluster.disable_compression;
  plugin.cluster_config = of_cluster.cluster_config;
  if (!plugin.command.contains('/')) return;
  std::error_code failed;
  const auto whole = std::filesystem::absolute(kubeconfig, failed).parent_path();
  plugin.command = (whole / plugin.command).lexically_normal().string();
}

struct File {
  std::string name;
  Document document;
};

/// Several files, read as one. Of what has a name, and of current-context, the first file that has it counts.
/// An error ends the reading; why() is then the error with its file.
class Files {
 public:
  bool load(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      list_ += (list_.empty() ? "" : ":") + name;
      auto text = read_source(name, kMostKubeconfigBytes);
      if (!text) return wrong(name, text.error());
      auto document = load_document(std::move(*text));
      if (!document) return wrong(name, document.error().text());
      // As for kubectl, an empty file is one without clusters. `touch` and `kubectl config unset` leave such.
      if (!document->root().IsNull()) files_.push_back({name, std::move(*document)});
    }
    return visit([](const Reader& root) { return root.expect_object(); });
  }

  /// Reads from the first file that has an element of that name. @return that file; null for an error.
  template <class T>
  const File* read_first(const char* list, const char* inner, const std::string& name, T& target,
                         const std::string& missing) {
    for (const File& file : files_) {
      bool found = false;
      if (!in(file, [&](const Reader& root) { return read_named(root, list, inner, name, target, found); }))
        return nullptr;
      if (found) return &file;
    }
    return wrong(list_, missing), nullptr;
  }

  /// Calls `read` with the root of each file until it returns false, for an error.
  template <class Read>
  bool visit(const Read& read) {
    return std::ranges::all_of(files_, [&](const File& file) { return in(file, read); });
  }

  bool wrong(const std::string& file, std::string_view what) {
    why_ = std::format("{}: {}", file, printable(what));
    return false;
  }
  const std::string& why() const { return why_; }
  const std::string& list() const { return list_; }

 private:
  template <class Read>
  bool in(const File& file, const Read& read) {
    std::string error;
    return read(Reader(file.document.root(), nullptr, error)) || wrong(file.name, error);
  }

  std::vector<File> files_;
  std::string list_;  ///< Their names.
  std::string why_;
};

/// context_name is that of current-context where it is empty.
bool find_context(Files& files, std::string& context_name, Context& context) {
  const bool good = !context_name.empty() || files.visit([&](const Reader& root) {
    return !context_name.empty() || root.read("current-context", context_name);
  });
  if (!good) return false;
  if (context_name.empty())
    return files.wrong(files.list(), "current-context: not set; name a context by --context");
  return files.read_first("contexts", "context", context_name, context,
                          std::format("contexts: there is none of the name {}", go_quote(context_name))) !=
         nullptr;
}

bool read_config(Files& files, std::string context_name, ClientConfig& config) {
  Context context;
  if (!find_context(files, context_name, context)) return false;
  config.context_namespace = context.ns;
  const auto missing = [&](const char* list, const std::string& name) {
    return std::format("{}: there is none of the name {}, which context {} names", list, go_quote(name),
                       go_quote(context_name));
  };
  ClusterPart cluster{config};
  const File* const of_cluster =
      files.read_first("clusters", "cluster", context.cluster, cluster, missing("clusters", context.cluster));
  if (of_cluster == nullptr) return false;
  make_absolute(of_cluster->name, config.certificate_authority.file);
  if (!context.user.empty()) {
    UserPart user{config};
    const File* const of_user =
        files.read_first("users", "user", context.user, user, missing("users", context.user));
    if (of_user == nullptr) return false;
    for (std::string* name : {&config.client_certificate.file, &config.client_key.file, &config.token_file})
      make_absolute(of_user->name, *name);
    if (config.exec) complete_plugin(of_user->name, cluster.for_plugins, *config.exec);
  }
  if (config.servers.empty()) return files.wrong(of_cluster->name, "the context's cluster is empty");
  if (config.insecure_skip_tls_verify)
    config.warnings.push_back(
        std::format("{}: insecure-skip-tls-verify: whoever stands between can read and change everything",
                    of_cluster->name));
  return true;
}

void erase_missing(std::vector<std::string>& files) {
  std::error_code ignored;
  std::erase_if(files, [&](const std::string& file) { return !std::filesystem::exists(file, ignored); });
}

}  // namespace

std::expected<ClientConfig, std::string> load_kubeconfig(const std::string& file,
                                                         const std::string& context) {
  return load_kubeconfigs({file}, context);
}

std::expected<ClientConfig, std::string> load_kubeconfigs(const std::vector<std::string>& files,
                                                          const std::string& context) {
  Files read;
  ClientConfig config;
  if (!read.load(files) || !read_config(read, context, config)) return std::unexpected(read.why());
  return config;
}

std::vector<std::string> files_of_variable() {
  std::vector<std::string> files;
  const char* const listed = std::getenv("KUBECONFIG");
  for (const auto part : std::views::split(std::string_view(listed == nullptr ? "" : listed), ':'))
    if (!part.empty()) files.emplace_back(part.begin(), part.end());
  erase_missing(files);
  return files;
}

std::vector<std::string> kubectl_files() {
  const char* const listed = std::getenv("KUBECONFIG");
  if (listed != nullptr && *listed != '\0') return files_of_variable();
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  std::vector<std::string> files = {std::string(home) + "/.kube/config"};
  erase_missing(files);
  return files;
}

std::vector<std::string> context_names(const std::vector<std::string>& files) {
  Files read;
  std::vector<std::string> contexts;
  if (!read.load(files)) return contexts;
  read.visit([&](const Reader& root) {
    return root.for_each_in("contexts", [&](const Reader& element) {
      return element.expect_object() && element.read("name", contexts.emplace_back());
    });
  });
  return contexts;
}

}  // namespace winnow::live
