#include "extender/cli/winnow_server.h"

#include <chrono>
#include <cstddef>
#include <format>
#include <utility>

#include "cluster/client/access/server_url.h"
#include "cluster/text/characters.h"
#include "extender/cli/flags/common_flags.h"

namespace winnow {
namespace {

constexpr std::chrono::milliseconds kConnect{2000};
constexpr std::chrono::milliseconds kAnswer{3000};
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

/// What an error says of an answer's text. A page of another server says nothing that would help here.
std::string said_in_body(const std::string& body) {
  const std::string said(trim(one_line(body)));
  if (said.starts_with('<')) return " and a web page: expected a Winnow there";
  return said.empty() ? "" : ": " + printable(said);
}

}  // namespace

std::string wrong_server(const ServerFlags& flags) {
  const std::pair<const char*, const std::string&> of_tls[] = {
      {"--certificate-authority", flags.authority},
      {"--client-certificate", flags.certificate},
      {"--client-key", flags.key},
      {"--tls-server-name", flags.name},
      {"--token", flags.token},
  };
  for (const auto& [flag, value] : of_tls)
    if (!value.empty() && flags.url.empty()) return std::format("{} needs --server", flag);
  if (flags.url.empty()) return {};
  const auto url = live::parse_server_url(flags.url);
  if (!url) return "--server: " + url.error();
  for (const auto& [flag, value] : of_tls)
    if (!value.empty() && !url->tls)
      return std::format("{} needs https: expected --server https://{}", flag, url->authority());
  if (flags.certificate.empty() != flags.key.empty())
    return "--client-certificate and --client-key go together";
  return {};
}

std::expected<WinnowServer, std::string> WinnowServer::make(const ServerFlags& flags) {
  live::ClientConfig config{.servers = {flags.url},
                            .certificate_authority = {.file = flags.authority, .data = {}},
                            .tls_server_name = flags.name,
                            .client_certificate = {.file = flags.certificate, .data = {}},
                            .client_key = {.file = flags.key, .data = {}},
                            .token = flags.token};
  const live::HttpsLimits limits{.body_bytes = kMostBytes, .connect = kConnect};
  auto transport = live::HttpsTransport::make(std::move(config), live::system_clock(), limits);
  if (!transport) return std::unexpected(transport.error());
  return WinnowServer(flags.url, std::move(*transport));
}

std::expected<live::ApiResponse, std::string> WinnowServer::get(const std::string& path) {
  const live::ApiRequest request{.method = "GET", .path = path, .body = "", .answer = live::AnswerOf::kList};
  auto answer = transport_->call(url_, request, kAnswer, {});
  if (!answer) return std::unexpected(std::move(answer).error().message);
  return std::move(*answer);
}

std::expected<std::string, std::string> WinnowServer::good(const live::ApiRequest& request) {
  auto answer = transport_->call(url_, request, kAnswer, {});
  if (!answer) return std::unexpected(std::move(answer).error().message);
  if (answer->status != 200)
    return std::unexpected(std::format("{}: {} {} is answered with {}{}", url_, request.method, request.path,
                                       answer->status, said_in_body(answer->body)));
  return std::move(answer->body);
}

std::expected<std::string, std::string> WinnowServer::get_good(const std::string& path) {
  return good({.method = "GET", .path = path, .body = ""});
}

std::expected<std::string, std::string> WinnowServer::post_good(const std::string& path,
                                                                const std::string& body) {
  return good({.method = "POST", .path = path, .body = body});
}

}  // namespace winnow
