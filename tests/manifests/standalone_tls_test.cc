// The manifests for TLS hang together: what cert-manager writes is what Winnow and kube-scheduler read.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/access/server_url.h"
#include "cluster/text/json_document.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

using Json = rapidjson::Value;

const std::string kFolder = std::string(WINNOW_ROOT) + "/manifests/";

std::string text_of(const std::string& file) {
  std::ifstream stream(kFolder + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The objects of a manifest.
class Manifest {
 public:
  explicit Manifest(const std::string& file) : reader_(text_of(file)) {
    while (true) {
      auto document = std::make_unique<rapidjson::Document>();
      const auto more = reader_.next(*document);
      REQUIRE_MESSAGE(more.has_value(), file);
      if (!*more) return;
      objects_.push_back(std::move(document));
    }
  }
  const Json& object(std::string_view kind, std::string_view name) const {
    for (const auto& object : objects_)
      if (kind == (*object)["kind"].GetString() &&
          (name.empty() || name == (*object)["metadata"]["name"].GetString()))
        return *object;
    FAIL("there is no " << std::string(kind) << ' ' << std::string(name));
    return *objects_.front();
  }
  const std::vector<std::unique_ptr<rapidjson::Document>>& objects() const { return objects_; }

 private:
  DocumentReader reader_;
  std::vector<std::unique_ptr<rapidjson::Document>> objects_;
};

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> found;
  for (const Json& item : list.GetArray()) found.emplace_back(item.GetString());
  return found;
}

bool has(const Json& list, const std::string& text) { return std::ranges::contains(texts(list), text); }

std::string text(const Json& value) { return value.GetString(); }

/// What the container's args say.
ServeFlags flags_of(const Json& container) {
  std::vector<std::string> words = texts(container["args"]);
  words.insert(words.begin(), "winnow");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const auto parsed = parse_flags(static_cast<int>(argv.size()), argv.data());
  REQUIRE(std::holds_alternative<CommandLine>(parsed));
  ServeFlags flags = std::get<CommandLine>(parsed).serve;
  flags.bind_address = "0.0.0.0";  // As the image's environment has it.
  return flags;
}

/// The name of the secret that is mounted where the file is; the rest of the path is the file.
std::string secret_of(const Json& pod, const std::string& path, const std::string& file) {
  for (const Json& mount : pod["containers"][0]["volumeMounts"].GetArray())
    for (const Json& volume : pod["volumes"].GetArray())
      if (text(mount["name"]) == text(volume["name"]) && path == text(mount["mountPath"]) + '/' + file)
        return volume.HasMember("secret") ? text(volume["secret"]["secretName"]) : "no secret";
  return "not mounted";
}

}  // namespace

TEST_SUITE("manifests: TLS") {
  TEST_CASE("each Certificate has an Issuer, and the authority signs with the secret that is written") {
    const Manifest manifest("standalone-tls.yaml");
    int certificates = 0;
    for (const auto& object : manifest.objects()) {
      CAPTURE(text((*object)["kind"]));
      CHECK(text((*object)["metadata"]["namespace"]) == "kube-system");
      if (text((*object)["kind"]) != "Certificate") continue;
      ++certificates;
      CHECK(text((*object)["apiVersion"]) == "cert-manager.io/v1");
      const Json& issuer = (*object)["spec"]["issuerRef"];
      CHECK(text(issuer["group"]) == "cert-manager.io");
      manifest.object(text(issuer["kind"]), text(issuer["name"]));
    }
    CHECK(certificates == 3);
    const Json& authority = manifest.object("Certificate", "winnow-ca")["spec"];
    CHECK(authority["isCA"].GetBool());
    CHECK(text(authority["issuerRef"]["name"]) == "winnow-root");
    CHECK(manifest.object("Issuer", "winnow-root")["spec"].HasMember("selfSigned"));
    CHECK(text(manifest.object("Issuer", "winnow")["spec"]["ca"]["secretName"]) ==
          text(authority["secretName"]));
    for (const char* name : {"winnow-tls", "winnow-client"})
      CHECK(text(manifest.object("Certificate", name)["spec"]["issuerRef"]["name"]) == "winnow");
  }

  TEST_CASE("Winnow reads the secret of its Certificate, and asks for the names of kube-scheduler's") {
    const Manifest manifest("standalone-tls.yaml");
    const Json& own = manifest.object("Certificate", "winnow-tls")["spec"];
    const Json& client = manifest.object("Certificate", "winnow-client")["spec"];
    const Json& pod = manifest.object("Deployment", "winnow")["spec"]["template"]["spec"];
    const ServeFlags flags = flags_of(pod["containers"][0]);
    // The keys that cert-manager writes: its docs, usage/certificate.
    CHECK(secret_of(pod, flags.tls.cert_file, "tls.crt") == text(own["secretName"]));
    CHECK(secret_of(pod, flags.tls.key_file, "tls.key") == text(own["secretName"]));
    CHECK(secret_of(pod, flags.tls.client_ca_file, "ca.crt") == text(own["secretName"]));
    CHECK(flags.tls.allowed_client_names == std::vector{text(client["commonName"])});
    CHECK(has(own["usages"], "server auth"));
    CHECK(has(client["usages"], "client auth"));
    CHECK(flags.authorization_webhook == AuthorizationWebhook::kApiServer);
    CHECK(wrong_tls_flags(flags.tls) == "");
    CHECK(wrong_webhook({}, flags) == "");

    const Json& port = pod["containers"][0]["ports"][0];
    CHECK(port["containerPort"].GetInt() == flags.port);
    for (const char* probe : {"livenessProbe", "readinessProbe"}) {
      const Json& get = pod["containers"][0][probe]["httpGet"];
      CHECK(text(get["scheme"]) == "HTTPS");
      CHECK(text(get["port"]) == text(port["name"]));
      CHECK(std::ranges::contains(flags.tls.anonymous_paths, text(get["path"])));
    }
    const Json& service = manifest.object("Service", "winnow")["spec"]["ports"][0];
    CHECK(text(service["targetPort"]) == text(port["name"]));
  }

  TEST_CASE("kube-scheduler's file names the service, by https, with the files of the client's secret") {
    const Manifest manifest("standalone-tls.yaml"), scheduler("kube-scheduler-scores-tls.yaml"),
        without("kube-scheduler-scores.yaml");
    const Json& extender = scheduler.object("KubeSchedulerConfiguration", "")["extenders"][0];
    const Json& tls = extender["tlsConfig"];
    const auto url = live::parse_server_url(text(extender["urlPrefix"]));
    REQUIRE(url);
    CHECK(url->tls);
    CHECK(extender["enableHTTPS"].GetBool());
    const Json& service = manifest.object("Service", "winnow");
    CHECK(url->host ==
          text(service["metadata"]["name"]) + '.' + text(service["metadata"]["namespace"]) + ".svc");
    CHECK(url->port == service["spec"]["ports"][0]["port"].GetInt());
    CHECK(has(manifest.object("Certificate", "winnow-tls")["spec"]["dnsNames"], text(tls["serverName"])));
    CHECK(text(tls["caFile"]).ends_with("/ca.crt"));
    CHECK(text(tls["certFile"]).ends_with("/tls.crt"));
    CHECK(text(tls["keyFile"]).ends_with("/tls.key"));

    const Json& plain = without.object("KubeSchedulerConfiguration", "")["extenders"][0];
    for (const char* same : {"weight", "httpTimeout", "ignorable", "nodeCacheCapable", "prioritizeVerb"})
      CHECK(extender[same] == plain[same]);
    CHECK(extender.MemberCount() == plain.MemberCount() + 2);
  }

  TEST_CASE("but for TLS, standalone-tls.yaml is standalone.yaml") {
    Manifest with("standalone-tls.yaml"), without("standalone.yaml");
    for (const char* kind : {"ConfigMap", "PodDisruptionBudget"})
      CHECK(with.object(kind, "winnow") == without.object(kind, "winnow"));
    const Json& a = with.object("Deployment", "winnow")["spec"];
    const Json& b = without.object("Deployment", "winnow")["spec"];
    for (const char* same : {"replicas", "selector"}) CHECK(a[same] == b[same]);
    const Json &pod = a["template"]["spec"], &other = b["template"]["spec"];
    for (const char* same :
         {"serviceAccountName", "priorityClassName", "topologySpreadConstraints", "securityContext"})
      CHECK(pod[same] == other[same]);
    const Json &container = pod["containers"][0], &plain = other["containers"][0];
    for (const char* same : {"image", "resources", "securityContext"}) CHECK(container[same] == plain[same]);
    for (const std::string& word : texts(plain["args"])) CHECK(has(container["args"], word));
  }

  TEST_CASE("token-reviews.yaml: the rights that Winnow uses, and paths that a token opens") {
    const Manifest rights("token-reviews.yaml"), rbac("rbac.yaml");
    const Json& binding = rights.object("ClusterRoleBinding", "winnow-auth-delegator");
    CHECK(text(binding["roleRef"]["name"]) == "system:auth-delegator");
    const Json& account = rbac.object("ServiceAccount", "winnow")["metadata"];
    CHECK(binding["subjects"][0]["name"] == account["name"]);
    CHECK(binding["subjects"][0]["namespace"] == account["namespace"]);
    for (const char* role : {"winnow-metrics", "winnow-explain"})
      for (const Json& rule : rights.object("ClusterRole", role)["rules"].GetArray())
        for (const std::string& path : texts(rule["nonResourceURLs"])) {
          CAPTURE(path);
          const std::string verb = texts(rule["verbs"]).front();
          CHECK(texts(rule["verbs"]).size() == 1);
          bool opens_some = false;
          for (const Route& route : routes()) {
            // A star at the end stands for all paths that begin so.
            const bool matches = path.ends_with('*') ? route.path.starts_with(path.substr(0, path.size() - 1))
                                                     : route.path == path;
            if (!matches || (route.method == "GET" ? "get" : "post") != verb) continue;
            CHECK(route.by_token == ByToken::kOpen);
            opens_some = true;
          }
          CHECK(opens_some);
        }
  }
}

}  // namespace winnow
