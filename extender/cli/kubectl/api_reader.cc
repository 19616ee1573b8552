#include "extender/cli/kubectl/api_reader.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <stop_token>
#include <utility>

#include "cluster/client/access/client_flags.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/https_transport.h"
#include "cluster/clock.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/service/log/log.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kAnswerLimit{30};

ApiFailure failure_in(const live::ApiResponse& answer) {
  const auto status = live::read_status(answer.body);
  const std::string said = status ? status->message : std::string(trim(one_line(answer.body)));
  return {.status = answer.status, .of_api = status.has_value(), .message = one_line(said)};
}

}  // namespace

std::expected<std::unique_ptr<ApiReader>, std::string> ApiReader::make(const live::ClientFlags& flags) {
  auto config = live::find_client_config(flags);
  if (!config) return std::unexpected(std::move(config).error());
  for (const std::string& warning : config->warnings) log_warn("kubeconfig", {{"warning", warning}});
  const std::string server = config->servers.front(), pod_namespace = config->context_namespace;
  auto transport = live::HttpsTransport::make(std::move(*config), live::system_clock());
  if (!transport) return std::unexpected(std::move(transport).error());
  return std::make_unique<ApiReader>(std::move(*transport), server, pod_namespace);
}

std::expected<std::string, ApiFailure> ApiReader::get(const std::string& path) {
  return ask({.method = "GET", .path = path, .body = "", .answer = live::AnswerOf::kList});
}

std::expected<std::string, ApiFailure> ApiReader::post(const std::string& path, const std::string& body) {
  return ask({.method = "POST", .path = path, .body = body});
}

std::expected<std::string, ApiFailure> ApiReader::ask(const live::ApiRequest& request) {
  auto answer = transport_->call(server_, request, kAnswerLimit, std::stop_token());
  if (!answer) return std::unexpected(ApiFailure{.message = one_line(answer.error().message)});
  if (answer->status != 200 && answer->status != 201) return std::unexpected(failure_in(*answer));
  return std::move(answer->body);
}

// Found by the reader of lists, so it stands beside the struct.
static bool read_fields(const Reader& reader, ObjectName& object) {
  return reader.within("metadata", [&](const Reader& metadata) {
    return metadata.read("namespace", object.ns) && metadata.read("name", object.name);
  });
}

std::vector<ObjectName> read_names(std::string list) {
  std::vector<ObjectName> names;
  const auto document = load_document(std::move(list));
  std::string error;
  if (document && document->root().IsObject()) Reader(document->root(), nullptr, error).read("items", names);
  std::erase_if(names, [](const ObjectName& object) { return object.name.empty(); });
  return names;
}

static bool read_fields(const Reader& reader, LabelledNode& node) {
  return reader.within("metadata", [&](const Reader& metadata) {
    return metadata.read("name", node.name) && metadata.read("labels", node.labels);
  });
}

std::expected<std::vector<LabelledNode>, std::string> read_labelled_nodes(std::string list) {
  std::vector<LabelledNode> nodes;
  const auto document = load_document(std::move(list));
  if (!document) return std::unexpected(document.error().text());
  std::string error;
  const Reader root(document->root(), nullptr, error);
  if (!root.expect_object() || !root.read("items", nodes)) return std::unexpected(std::move(error));
  if (!root.value().HasMember("items")) return std::unexpected("items is missing");
  std::ranges::sort(nodes, {}, &LabelledNode::name);
  return nodes;
}

std::string advice(const ApiFailure& failure, std::string_view server) {
  if (failure.status == 0)
    return std::format("{}; 'kubectl cluster-info' tells whether the cluster can be reached",
                       failure.message);
  if (failure.status == 401)
    return std::format(
        "{} refuses the kubeconfig's credentials (401): log in anew, or choose another --context", server);
  if (failure.status == 403)
    return std::format("{}: no right: {}; ask for the role winnow of rbac.yaml", server, failure.message);
  return std::format("{} answers {}: {}; expected a Kubernetes API server there", server, failure.status,
                     failure.message);
}

std::string unreadable(std::string_view server, std::string_view wanted, std::string_view why) {
  return std::format("{} answers what is not {}: {}; expected a Kubernetes API server there", server, wanted,
                     one_line(why));
}

}  // namespace winnow
