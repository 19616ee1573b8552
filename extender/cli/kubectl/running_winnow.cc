#include "extender/cli/kubectl/running_winnow.h"

#include <algorithm>
#include <format>
#include <string_view>

#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/cli/kubectl/api_reader.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_json.h"

namespace winnow {
namespace {

/// The label that the manifests and the chart give Winnow's Services. Those of a nominator are looked for
/// only so that the user learns why they are of no use.
constexpr std::string_view kSelector = "app.kubernetes.io/name in (winnow,winnow-nominator,winnow-scheduler)";
constexpr const char* kHomeNamespace = "kube-system";

struct ServicePort {
  std::string name;
  std::int64_t number = 0;
};

bool read_fields(const Reader& reader, ServicePort& port) {
  return reader.read("name", port.name) && reader.read("port", port.number);
}

struct ServiceObject {
  ObjectName object;
  std::string program;  ///< The label by which it is found.
  std::string prefix;   ///< Its annotation kPathPrefix.
  std::vector<ServicePort> ports;
};

bool read_fields(const Reader& reader, ServiceObject& service) {
  return reader.within("metadata", [&](const Reader& metadata) {
    return metadata.read("namespace", service.object.ns) && metadata.read("name", service.object.name) &&
           metadata.within("labels",
                           [&](const Reader& labels) {
                             return labels.read("app.kubernetes.io/name", service.program);
                           }) &&
           metadata.within("annotations", [&](const Reader& annotations) {
             return annotations.read(kPathPrefix, service.prefix);
           });
  }) && reader.within("spec", [&](const Reader& spec) { return spec.read("ports", service.ports); });
}

/// The Services in the text of a list, or of one Service; or why it is neither.
std::expected<std::vector<ServiceObject>, std::string> read_services(std::string text, bool list) {
  std::vector<ServiceObject> services;
  const auto document = load_document(std::move(text));
  if (!document) return std::unexpected(document.error().text());
  std::string error;
  const Reader root(document->root(), nullptr, error);
  if (!root.expect_object() ||
      !(list ? root.read("items", services) : read_fields(root, services.emplace_back())))
    return std::unexpected(std::move(error));
  if (list && !root.value().HasMember("items")) return std::unexpected("items is missing");
  return services;
}

/// The port that takes calls, by the names that the manifests give it.
std::optional<WinnowService> usable(const ServiceObject& service, bool any_port) {
  const auto& ports = service.ports;
  auto port = std::ranges::find_if(
      ports, [](const ServicePort& one) { return one.name == "https" || one.name == "http"; });
  if (port == ports.end() && any_port)
    port = std::ranges::find_if(ports, [](const ServicePort& one) { return one.name != "metrics"; });
  if (port == ports.end()) return std::nullopt;
  return WinnowService{.ns = service.object.ns,
                       .name = service.object.name,
                       .port = port->number,
                       .tls = port->name == "https" || port->number == 443,
                       .prefix = service.prefix};
}

/// Of a Service without such a port.
std::string takes_no_calls(const ServiceObject& service) {
  const std::string name = service.object.ns + '/' + service.object.name;
  if (service.program == "winnow-nominator") return name + " is a nominator, and a nominator takes no calls";
  return name + " has no port for calls (http or https)";
}

/// Of a Service whose annotation is no prefix; "": it is one. Whoever may make a Service may write it.
std::string wrong_prefix(const ServiceObject& service) {
  if (wrong_path_prefix(service.prefix).empty()) return {};
  return std::format("{}/{} has the annotation {}: found {}, expected a path such as /scheduler",
                     service.object.ns, service.object.name, kPathPrefix, go_quote(service.prefix));
}

std::expected<LookUp, std::string> find_named(ApiReader& api, const std::string& named,
                                              const std::optional<std::string>& prefix) {
  const std::size_t slash = named.find('/');
  auto answer =
      api.get(std::format("/api/v1/namespaces/{}/services/{}", percent_encoded(named.substr(0, slash)),
                          percent_encoded(named.substr(slash + 1))));
  if (!answer && answer.error().status == 404)
    return std::unexpected(std::format("--winnow: there is no service {}", named));
  if (!answer) return std::unexpected(advice(answer.error(), api.server()));
  const auto services = read_services(std::move(*answer), /*list=*/false);
  if (!services) return std::unexpected(unreadable(api.server(), "a service", services.error()));
  ServiceObject found = services->front();
  if (prefix) found.prefix = *prefix;
  std::optional<WinnowService> service;
  if (!found.object.name.empty()) service = usable(found, true);
  found.object = {.ns = named.substr(0, slash), .name = named.substr(slash + 1)};
  if (!service)
    return std::unexpected("--winnow: " + takes_no_calls(found) + "; --winnow none reads the cluster itself");
  if (const std::string wrong = wrong_prefix(found); !wrong.empty())
    return std::unexpected("--winnow: " + wrong + "; --path-prefix says another one");
  return LookUp{.service = std::move(service), .why_none = {}};
}

}  // namespace

std::string WinnowService::proxy_path(const std::string& verb) const {
  return std::format("/api/v1/namespaces/{}/services/{}{}:{}/proxy{}{}", percent_encoded(ns),
                     tls ? "https:" : "", percent_encoded(name), port, prefix, verb);
}

std::expected<LookUp, std::string> find_winnow(ApiReader& api, const std::string& named,
                                               const std::optional<std::string>& prefix) {
  if (!named.empty()) return find_named(api, named, prefix);
  auto answer = api.get(Query("/api/v1/services").add("labelSelector", kSelector).path());
  if (!answer && answer.error().status == 403)  // Many may list those of one namespace alone.
    answer = api.get(Query(std::format("/api/v1/namespaces/{}/services", kHomeNamespace))
                         .add("labelSelector", kSelector)
                         .path());
  if (!answer && answer.error().status == 403)
    return LookUp{.service = {}, .why_none = "no right to list services, by which a running Winnow is found"};
  if (!answer) return std::unexpected(advice(answer.error(), api.server()));
  auto services = read_services(std::move(*answer), /*list=*/true);
  if (!services) return std::unexpected(unreadable(api.server(), "a list of services", services.error()));
  // Whoever may make a Service can give it the label. Few may in this namespace, so it comes first.
  std::ranges::stable_partition(
      *services, [](const ServiceObject& service) { return service.object.ns == kHomeNamespace; });
  std::string why_none;
  for (ServiceObject& service : *services) {
    if (prefix) service.prefix = *prefix;
    auto found = usable(service, false);
    std::string wrong = found ? wrong_prefix(service) : takes_no_calls(service);
    if (wrong.empty()) return LookUp{.service = std::move(found), .why_none = {}};
    if (why_none.empty()) why_none = std::move(wrong);
  }
  if (services->empty()) return LookUp{.service = {}, .why_none = "no service of a running Winnow was found"};
  return LookUp{.service = {}, .why_none = std::move(why_none)};
}

namespace {

std::string question_of(const ObjectName& pod, const std::vector<std::string>& nodes) {
  std::string body = R"({"Namespace":)";
  append_quoted(body, pod.ns);
  body += R"(,"Name":)";
  append_quoted(body, pod.name);
  if (!nodes.empty()) {
    body += R"(,"NodeNames":[)";
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i > 0) body += ',';
      append_quoted(body, nodes[i]);
    }
    body += ']';
  }
  return body + '}';
}

NoExplanation not_a_winnow(const WinnowService& winnow, std::string_view said) {
  return {
      .ask_elsewhere = false,
      .message = std::format("{} is not a Winnow: {}; name one by --winnow NAMESPACE/SERVICE, or read the "
                             "cluster itself by --winnow none",
                             winnow.full_name(), said)};
}

NoExplanation why_not_explained(const ApiFailure& failure, const WinnowService& winnow,
                                const ApiReader& api) {
  const std::string who = winnow.full_name();
  if (failure.status == 0) return {.ask_elsewhere = false, .message = advice(failure, api.server())};
  if (failure.status == 403 && failure.message.contains("services/proxy"))
    return {.ask_elsewhere = true,
            .message = std::format("no right to ask Winnow {}: it needs 'create' of 'services/proxy' in {}",
                                   who, winnow.ns)};
  if (failure.status == 401 || failure.status == 403)
    return {
        .ask_elsewhere = true,
        .message = std::format("Winnow {} wants a certificate or a token, which the API server's proxy does "
                               "not pass on",
                               who)};
  if (failure.of_api || failure.status >= 500)
    return {.ask_elsewhere = true,
            .message = std::format("Winnow {} cannot be reached: {}", who, failure.message)};
  // Its own words, about the pod.
  if (failure.status == 404 && failure.message.ends_with("is not in the picture of the cluster"))
    return {
        .ask_elsewhere = false, .of_pod = true, .message = failure.message + " that Winnow " + who + " has"};
  return not_a_winnow(
      winnow, std::format("it answers {} to POST {}/explain{}", failure.status, winnow.prefix,
                          failure.status == 404 ? "; --path-prefix says what is before its paths" : ""));
}

/// Winnow leaves out nodes that it does not know, as kube-scheduler's calls need it.
std::optional<NoExplanation> unknown_to(const WinnowService& winnow, const Explanation& explanation,
                                        const std::vector<std::string>& nodes) {
  if (explanation.error) return std::nullopt;
  const auto missing = std::ranges::find_if_not(nodes, [&](const std::string& node) {
    return std::ranges::contains(explanation.nodes, node, &NodeExplanation::name);
  });
  if (missing == nodes.end()) return std::nullopt;
  return NoExplanation{
      .ask_elsewhere = false,
      .of_pod = false,
      .message = std::format("--nodes: node \"{}\" is not in the picture of the cluster that Winnow {} has",
                             *missing, winnow.full_name())};
}

}  // namespace

std::expected<Explanation, NoExplanation> ask_winnow(ApiReader& api, const WinnowService& winnow,
                                                     const ObjectName& pod,
                                                     const std::vector<std::string>& nodes, bool facts) {
  Query path(winnow.proxy_path("/explain"));
  if (facts) path.add("facts", "true");
  const auto answer = api.post(path.path(), question_of(pod, nodes));
  if (!answer) return std::unexpected(why_not_explained(answer.error(), winnow, api));
  auto explanation = read_explanation(*answer);
  if (!explanation) return std::unexpected(not_a_winnow(winnow, "it explains nothing"));
  if (auto unknown = unknown_to(winnow, *explanation, nodes)) return std::unexpected(*std::move(unknown));
  return *std::move(explanation);
}

std::optional<ToldDecision> ask_last_decision(ApiReader& api, const WinnowService& winnow,
                                              const ObjectName& pod) {
  const auto answer = api.get(
      Query(winnow.proxy_path("/decisions")).add("pod", pod.ns + '/' + pod.name).add("limit", "1").path());
  if (!answer) return std::nullopt;
  auto decisions = read_decisions(*answer);
  if (!decisions || decisions->empty()) return std::nullopt;
  return std::move(decisions->front());
}

}  // namespace winnow
