#include "cluster/client/access/client_flags.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>

#include "cluster/client/access/client_config.h"
#include "cluster/client/access/exec_credential.h"
#include "tests/cluster/client/access/environment.h"
#include "tests/cluster/client/access/scripts.h"
#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::live::test {
namespace {

using List = std::vector<std::string>;

constexpr const char* kKubeconfig =
    "# YAML\n{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}, {name: d, context: "
    "{cluster: "
    "l}}],"
    " clusters: [{name: k, cluster: {server: 'https://k:1'}}, {name: l, cluster: {server: 'https://l:1'}}],"
    " users: [{name: u, user: {token: t}}]}";

}  // namespace

TEST_SUITE("live: client configuration") {
  TEST_CASE("where it comes from, outside a pod") {
    const Variable host("KUBERNETES_SERVICE_HOST", nullptr);
    const TempFolder folder;
    const std::string file = folder.write("config", kKubeconfig);
    const List two{"https://a:1", "https://[::1]:2"};

    CHECK(find_client_config({file, "", {}})->servers == List{"https://k:1"});
    CHECK(find_client_config({file, "d", {}})->servers == List{"https://l:1"});
    const auto both = find_client_config({file, "", two});
    REQUIRE(both);
    CHECK(both->servers == two);
    CHECK(both->token == "t");
    CHECK(both->warnings.empty());
    CHECK(find_client_config({file, "", {"http://a:1"}})->warnings ==
          List{"http://a:1: no credentials are sent over http"});
    const auto masters = find_client_config({"", "", {"http://127.0.0.1:8001"}});
    REQUIRE(masters);
    CHECK(masters->servers == List{"http://127.0.0.1:8001"});
    CHECK(masters->token.empty());
    CHECK(masters->warnings.empty());
    CHECK(masters->token_file.empty());
  }

  TEST_CASE("in a pod the service account is used, with the masters that are named") {
    const Variable host("KUBERNETES_SERVICE_HOST", "10.96.0.1");
    const Variable port("KUBERNETES_SERVICE_PORT", "443");
    // There is no such folder where the tests run.
    CHECK(find_client_config({"", "", {}}).error_or("") ==
          std::string(kServiceAccountFolder) + "/token: No such file or directory");
    const TempFolder folder;
    CHECK(find_client_config({folder.write("config", kKubeconfig), "", {}})->servers == List{"https://k:1"});
  }

  TEST_CASE("the kubeconfigs of a variable count where no flag names one") {
    const TempFolder folder;
    const std::string file = folder.write("config", kKubeconfig);
    const std::string other = folder.write(
        "other",
        R"({"current-context":"o","contexts":[{"name":"o","context":{"cluster":"k","namespace":"x"}}],
                     "clusters":[{"name":"k","cluster":{"server":"https://o:1"}}]})");
    CHECK(find_client_config({.files = {other, file}})->servers == List{"https://o:1"});
    CHECK(find_client_config({.kubeconfig = file, .files = {other}})->servers == List{"https://k:1"});
    CHECK(find_client_config({.context = "d", .files = {other, file}})->servers == List{"https://l:1"});
    CHECK(context_namespace({.files = {other, file}}) == "x");
    CHECK(context_namespace({.files = {file}}) == "");
    CHECK(context_namespace({.kubeconfig = "/no/such"}) == "");
  }

  TEST_CASE("a credential plugin is run where the flags say so, and where its answer is of use") {
    const Variable host("KUBERNETES_SERVICE_HOST", nullptr);
    const TempFolder folder;
    const std::string command = write_script(folder, "login", "echo x >>\"$0.runs\"\n" + prints_token("abc"));
    const auto kubeconfig = [&](const std::string& server, const std::string& beside) {
      return folder.write(
          "config", R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k",
          "user":"u"}}],"clusters":[{"name":"k","cluster":{"server":")" +
                        server + R"("}}],"users":[{"name":"u","user":{)" + beside +
                        R"("exec":{"apiVersion":"client.authentication.k8s.io/v1","command":")" + command +
                        R"(","interactiveMode":"Never"}}}]})");
    };
    const auto runs = [&] { return std::filesystem::exists(command + ".runs"); };
    const auto plugins = std::make_shared<ExecPlugins>();
    ClientFlags flags{.kubeconfig = kubeconfig("https://k:1", "")};
    CHECK(find_client_config(flags).error_or("") ==
          flags.kubeconfig +
              ": users[0].user.exec: a service runs no credential plugin; use a kubeconfig of a service "
              "account, whose user has a tokenFile (kubectl create token) or a client certificate");
    flags.plugins = plugins;
    flags.kubeconfig = kubeconfig("https://k:1", R"("token":"own",)");
    CHECK(find_client_config(flags)->token == "own");
    flags.kubeconfig = kubeconfig("http://k:1", "");
    CHECK(find_client_config(flags)->warnings == List{"http://k:1: no credentials are sent over http"});
    CHECK_FALSE(runs());
    flags.kubeconfig = kubeconfig("https://k:1", "");
    const auto config = find_client_config(flags);
    REQUIRE_MESSAGE(config, config.error());
    CHECK(config->token == "abc");
    CHECK_FALSE(config->exec);
    CHECK(runs());
  }

  TEST_CASE("what is wrong") {
    const Variable host("KUBERNETES_SERVICE_HOST", nullptr);
    CHECK(find_client_config({}).error_or("") ==
          "no cluster: name one by --kubeconfig or --master, or run in a pod");
    CHECK(find_client_config({"", "c", {}}).error_or("") ==
          "--context: there is no --kubeconfig that it could be in");
    CHECK(find_client_config({"", "", {"https://a:1", "a:1"}}).error_or("") ==
          "--master: \"a:1\" is not a server's URL: it must begin with https:// or http://");
  }
}

}  // namespace winnow::live::test
