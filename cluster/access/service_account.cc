#include "cluster/access/service_account.h"

#include <cstdlib>
#include <format>

#include "cluster/access/server_url.h"
#include "cluster/text/source.h"

namespace winnow::live {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

std::expected<void, std::string> check_file(const std::string& file) {
  const auto bytes = read_source(file, kMaxBytes);
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
