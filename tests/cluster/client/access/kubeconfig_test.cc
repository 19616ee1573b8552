#include "cluster/client/access/kubeconfig.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "cluster/client/access/client_config.h"
#include "tests/cluster/client/access/environment.h"
#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::live::test {
namespace {

/// A kubeconfig with one context of these parts.
std::string one(std::string_view cluster, std::string_view user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts: [{name: c, context: {cluster: k, user: u, namespace: x}}]\n"
         "clusters: [{name: k, cluster: {" +
         std::string(cluster) + "}}]\nusers: [{name: u, user: {" + std::string(user) + "}}]\n";
}

/// A credential plugin of v1 with these fields.
std::string plugin(std::string_view fields) {
  return "exec: {apiVersion: client.authentication.k8s.io/v1, " + std::string(fields) + "}";
}

constexpr const char* kServer = "server: https://10.0.0.1:6443";

constexpr const char* kTwo = R"(
apiVersion: v1
kind: Config
preferences: {colors: true}
current-context: first
contexts:
- {name: first, context: {cluster: one, user: token}}
- {name: second, context: {cluster: two, user: exec}}
- {name: nobody, context: {cluster: two}}
- {name: nowhere, context: {cluster: three, user: token}}
- {name: stranger, context: {cluster: one, user: who}}
- {name: void, context: {user: token}}
clusters:
- {name: one, cluster: {server: "https://one:6443"}}
- {name: two, cluster: {server: "https://two:6443"}}
users:
- {name: token, user: {token: abc}}
- {name: exec, user: {exec: {apiVersion: client.authentication.k8s.io/v2, command: aws}}}
)";

}  // namespace

TEST_SUITE("live: kubeconfig") {
  TEST_CASE("an error is one line, whatever the names have") {
    const TempFolder folder;
    const auto config = load_kubeconfig(folder.write("config", kTwo), "a\r\nb\x1b");
    REQUIRE_FALSE(config);
    CHECK(config.error().ends_with(R"(config: contexts: there is none of the name "a\r\nb\x1b")"));
  }

  TEST_CASE("everything that is read") {
    const TempFolder folder;
    const auto config = load_kubeconfig(
        folder.write(
            "config",
            one("server: https://h:1, tls-server-name: api, certificate-authority: pki/../ca.crt, "
                "extensions: [{name: x}], unknown: 1",
                "client-certificate: /abs/c.crt, client-key: c.key, tokenFile: token, token: ' t '")),
        "");
    REQUIRE_MESSAGE(config, config.error());
    CHECK(config->servers == std::vector<std::string>{"https://h:1"});
    CHECK(config->tls_server_name == "api");
    CHECK(config->certificate_authority.file == folder.path("ca.crt"));
    CHECK(config->client_certificate.file == "/abs/c.crt");
    CHECK(config->client_key.file == folder.path("c.key"));
    CHECK(config->token_file == folder.path("token"));
    CHECK(config->token == " t ");
    CHECK(config->warnings.empty());
  }

  TEST_CASE("inline data stands beside the files, in base64") {
    const TempFolder folder;
    const auto config = load_kubeconfig(
        folder.write("config",
                     one("server: https://h:1, certificate-authority: a, certificate-authority-data: Zm9v",
                         "client-certificate-data: Zm8=, client-key-data: Zg==")),
        "");
    REQUIRE_MESSAGE(config, config.error());
    CHECK(config->certificate_authority.data == "foo");
    CHECK(config->client_certificate.data == "fo");
    CHECK(config->client_key.data == "f");
  }

  TEST_CASE("a credential plugin, as aws, gke-gcloud-auth-plugin and kubelogin are named") {
    const TempFolder folder;
    const std::string file = folder.write(
        "config",
        one(kServer +
                std::string(", disable-compression: true, extensions: [1, {name: x, extension: y}, {name: "
                            "client.authentication.k8s.io/exec, extension: {audience: [a, 1]}}]"),
            "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws, args: [--region, eu], "
            "env: [{name: AWS_PROFILE, value: shop}], installHint: Install aws, provideClusterInfo: true}"));
    const auto config = load_kubeconfig(file, "");
    REQUIRE_MESSAGE(config, config.error());
    REQUIRE(config->exec);
    CHECK(*config->exec == ExecPlugin{.where = file + ": users[0].user.exec",
                                      .api_version = "client.authentication.k8s.io/v1beta1",
                                      .command = "aws",
                                      .arguments = {"--region", "eu"},
                                      .environment = {{"AWS_PROFILE", "shop"}},
                                      .install_hint = "Install aws",
                                      .interactive = InteractiveMode::kIfAvailable,
                                      .provide_cluster_info = true,
                                      .disable_compression = true,
                                      .cluster_config = R"({"audience":["a",1]})"});
    CHECK_FALSE(load_kubeconfig(folder.write("config", one(kServer, "exec: null")), "")->exec);
  }

  TEST_CASE("a plugin's command with a slash is a path from the kubeconfig's folder") {
    struct Row {
      const char* command;
      std::string path;
    };
    const TempFolder folder;
    const Row rows[] = {{"aws", "aws"},
                        {"./aws", folder.path("aws")},
                        {"bin/../aws", folder.path("aws")},
                        {"/usr/bin/aws", "/usr/bin/aws"}};
    // The name of the file alone: the folder is the one that the process is in.
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    for (const Row& row : rows) {
      CAPTURE(row.command);
      folder.write("config",
                   one(kServer, plugin(std::string("interactiveMode: Always, command: ") + row.command)));
      for (const std::string& name : {std::string("config"), folder.path("config")}) {
        const auto config = load_kubeconfig(name, "");
        REQUIRE_MESSAGE(config, config.error());
        CHECK(config->exec->command == row.path);
        CHECK(config->exec->interactive == InteractiveMode::kAlways);
      }
    }
    std::filesystem::current_path(before);
  }

  TEST_CASE("a name and a password; insecure-skip-tls-verify is warned of; JSON") {
    const TempFolder folder;
    const auto config = load_kubeconfig(
        folder.write("config",
                     R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
          "clusters":[{"name":"k","cluster":{"server":"https://h:1","insecure-skip-tls-verify":true}}],
          "users":[{"name":"u","user":{"username":"me","password":"pass","exec":null}}]})"),
        "");
    REQUIRE_MESSAGE(config, config.error());
    CHECK(config->username == "me");
    CHECK(config->password == "pass");
    CHECK(config->insecure_skip_tls_verify);
    REQUIRE(config->warnings.size() == 1);
    CHECK(config->warnings[0] == folder.path("config") +
                                     ": insecure-skip-tls-verify: whoever stands between can "
                                     "read and change everything");
  }

  TEST_CASE("contexts") {
    struct Row {
      const char* context;
      const char* server;  ///< Or, without one, the error.
      const char* error;
    };
    const Row rows[] = {
        {"", "https://one:6443", ""},
        {"first", "https://one:6443", ""},
        {"nobody", "https://two:6443", ""},
        {"second", nullptr,
         "users[1].user.exec.apiVersion: \"client.authentication.k8s.io/v2\" is not "
         "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1"},
        {"third", nullptr, "contexts: there is none of the name \"third\""},
        {"nowhere", nullptr,
         "clusters: there is none of the name \"three\", which context \"nowhere\" names"},
        {"stranger", nullptr, "users: there is none of the name \"who\", which context \"stranger\" names"},
        {"void", nullptr, "clusters: there is none of the name \"\", which context \"void\" names"},
    };
    const TempFolder folder;
    const std::string file = folder.write("config", kTwo);
    for (const Row& row : rows) {
      CAPTURE(row.context);
      const auto config = load_kubeconfig(file, row.context);
      REQUIRE(config.has_value() == (row.server != nullptr));
      if (config) {
        CHECK(config->servers[0] == row.server);
        CHECK(config->token == (std::string_view(row.context) == "nobody" ? "" : "abc"));
      } else {
        CHECK(config.error() == file + ": " + row.error);
      }
    }
  }

  TEST_CASE("what is refused names the file and the field, and no secret") {
    struct Row {
      const char* name;
      std::string text;
      const char* error;
    };
    const Row rows[] = {
        {"a proxy", one("server: https://h:1, proxy-url: http://p:3128", ""),
         "clusters[0].cluster.proxy-url: proxies are not supported"},
        {"an auth provider", one(kServer, "auth-provider: {name: gcp}"),
         "users[0].user.auth-provider: auth providers are not supported; write a token into a file (kubectl "
         "create "
         "token) and name it by tokenFile, or use a client certificate"},
        {"a plugin without a version", one(kServer, "exec: {command: aws}"),
         "users[0].user.exec: apiVersion is missing"},
        {"a plugin without a command", one(kServer, plugin("interactiveMode: Never")),
         "users[0].user.exec: command is missing"},
        {"a plugin of v1 that does not say whether it asks", one(kServer, plugin("command: aws")),
         "users[0].user.exec: interactiveMode is missing: expected Never, IfAvailable or Always"},
        {"a plugin that asks now and then", one(kServer, plugin("command: aws, interactiveMode: Often")),
         "users[0].user.exec.interactiveMode: \"Often\" is not Never, IfAvailable or Always"},
        {"a plugin's argument that is a number",
         one(kServer, plugin("command: aws, interactiveMode: Never, args: [a, 12345]")),
         "users[0].user.exec.args[1]: is not a string"},
        {"a plugin's variable without a name",
         one(kServer, plugin("command: aws, interactiveMode: Never, env: [{value: secret}]")),
         "users[0].user.exec.env[0]: name is missing"},
        {"a plugin's argument that would end early",
         one(kServer, plugin("command: aws, interactiveMode: Never, args: [\"a\\0b\"]")),
         "users[0].user.exec.args[0]: holds a NUL character"},
        {"impersonation", one(kServer, "token: t, as: admin"),
         "users[0].user.as: impersonation is not supported; use the user's own credentials"},
        {"impersonation of groups", one(kServer, "as-groups: [a]"),
         "users[0].user.as-groups: impersonation is not supported; use the user's own credentials"},
        {"a token that is a number", one(kServer, "token: 12345"), "users[0].user.token: is not a string"},
        {"a key that is not base64", one(kServer, "client-certificate: a, client-key-data: secret!"),
         "users[0].user.client-key-data: is not base64"},
        {"a certificate without a key", one(kServer, "client-certificate: a"),
         "users[0].user: client-certificate needs a client-key"},
        {"a key without a certificate", one(kServer, "client-key: a"),
         "users[0].user: client-key needs a client-certificate"},
        {"two ways at once", one(kServer, "token: t, username: u, password: p"),
         "users[0].user: a token and a username or password exclude each other"},
        {"no server", one("tls-server-name: api", ""), "clusters[0].cluster: server is missing"},
        {"a server that is no URL", one("server: 10.0.0.1", ""),
         "clusters[0].cluster.server: \"10.0.0.1\" is not a server's URL: it must begin with https:// or "
         "http://"},
        {"an authority that does not count",
         one("server: https://h:1, insecure-skip-tls-verify: true, certificate-authority: ca", ""),
         "clusters[0].cluster: insecure-skip-tls-verify and a certificate-authority exclude each other"},
        {"no context", "apiVersion: v1\nkind: Config\n",
         "current-context: not set; name a context by --context"},
        {"nothing", "", "current-context: not set; name a context by --context"},
        {"two of one name",
         "current-context: c\ncontexts: [{name: c, context: {cluster: k}}, {name: c, context: {cluster: "
         "l}}]\n",
         "contexts[1]: a second one of the name \"c\""},
        {"a list", "- 1\n", "a list is not an object"},
        {"not YAML", "a: [", "line 1, column 1: not YAML: end of sequence flow not found"},
    };
    const TempFolder folder;
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      const std::string file = folder.write("config", row.text);
      const auto config = load_kubeconfig(file, "");
      REQUIRE_FALSE(config);
      CHECK(config.error() == file + ": " + row.error);
    }
    const auto missing = load_kubeconfig(folder.path("none"), "");
    REQUIRE_FALSE(missing);
    CHECK(missing.error() == folder.path("none") + ": No such file or directory");
  }

  TEST_CASE("several files are read as one: the first that has something counts") {
    const TempFolder a, b;
    const std::string first =
        a.write("config",
                "current-context: ''\n"
                "contexts: [{name: c, context: {cluster: k, user: u, namespace: shop}}]\n"
                "users: [{name: u, user: {tokenFile: token}}]\n");
    const std::string second =
        b.write("config", one(kServer + std::string(", certificate-authority: ca.crt"), "token: t"));
    const auto config = load_kubeconfigs({first, second}, "");
    REQUIRE_MESSAGE(config, config.error());
    CHECK(config->servers == std::vector<std::string>{"https://10.0.0.1:6443"});
    CHECK(config->token_file == a.path("token"));
    CHECK(config->certificate_authority.file == b.path("ca.crt"));
    CHECK(config->token.empty());
    CHECK(config->context_namespace == "shop");
    CHECK(load_kubeconfigs({second, first}, "")->context_namespace == "x");
    CHECK(load_kubeconfigs({first, second}, "d").error() ==
          first + ":" + second + ": contexts: there is none of the name \"d\"");
    const std::string empty = a.write("empty", "");
    const auto beside = load_kubeconfigs({empty, second}, "");
    REQUIRE_MESSAGE(beside, beside.error());
    CHECK(beside->context_namespace == "x");
    CHECK(load_kubeconfigs({empty}, "d").error() == empty + ": contexts: there is none of the name \"d\"");
    CHECK(context_names({first, second}) == std::vector<std::string>{"c", "c"});
  }

  TEST_CASE("the files that kubectl reads: those of KUBECONFIG that are there, else the one in the home") {
    const TempFolder folder;
    const std::string file = folder.write("config", "{}");
    {
      const Variable list("KUBECONFIG", (file + "::/no/such").c_str());
      CHECK(kubectl_files() == std::vector<std::string>{file});
      CHECK(files_of_variable() == std::vector<std::string>{file});
    }
    const Variable none("KUBECONFIG", nullptr);
    const Variable home("HOME", folder.path("").c_str());
    CHECK(kubectl_files().empty());
    CHECK(files_of_variable().empty());
    std::filesystem::create_directory(folder.path(".kube"));
    std::filesystem::copy(file, folder.path(".kube/config"));
    REQUIRE(kubectl_files().size() == 1);
    CHECK(kubectl_files().front().ends_with("/.kube/config"));
  }
}

}  // namespace winnow::live::test
