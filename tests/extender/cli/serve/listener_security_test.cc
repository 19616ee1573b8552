// What the port for calls asks of its clients, by the flags.
#include "extender/cli/serve/listener_security.h"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "extender/cli/commands.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/empty_cluster.h"
#include "tests/extender/cli/serve/serve_in_thread.h"
#include "tests/extender/service/http/tls_client.h"

namespace winnow::test {
namespace {

using http::test::TlsClient;
using live::test::Authority;
using live::test::Identity;

/// serve() with TLS, client certificates and tokens, over an empty cluster.
class SecuredServe {
 public:
  SecuredServe() {
    unsetenv("KUBERNETES_SERVICE_HOST");
    const Identity own = authority_.issue({.common_name = "winnow"});
    ServeFlags flags{.port = port_, .authorization_webhook = AuthorizationWebhook::kApiServer};
    flags.tls = {.cert_file = folder_.write("tls.crt", own.certificate),
                 .key_file = folder_.write("tls.key", own.key),
                 .client_ca_file = folder_.write("ca.crt", authority_.certificate())};
    CommonFlags common;
    common.client.masters = {cluster.url()};
    thread_ = std::jthread([this, flags, common] { code_ = serve(common, flags); });
    const bool ready = eventually([this] { return ask("GET", "/readyz").status == 200; });
    if (!ready) pthread_kill(thread_.native_handle(), SIGTERM);
    REQUIRE(ready);
  }
  int end() {
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
    return code_;
  }
  ~SecuredServe() {
    if (thread_.joinable()) end();
  }
  Answer ask(std::string_view method, std::string_view path, const std::string& token = "",
             const std::optional<Identity>& identity = {}) const {
    return TlsClient(port_, {.authority = authority_.certificate(), .identity = identity})
        .ask(request_text(method, path, method == "POST" ? "{}" : "",
                          token.empty() ? "" : "Authorization: Bearer " + token + "\r\n"));
  }
  Identity client() const { return authority_.issue({.common_name = "kube-scheduler"}); }

  EmptyCluster cluster;

 private:
  const Authority authority_;
  const live::test::TempFolder folder_;
  const std::uint16_t port_ = free_port();
  int code_ = -1;
  std::jthread thread_;
};

TEST_CASE("serve with certificates and tokens: each opens what it is for") {
  SecuredServe active;
  CHECK(active.ask("GET", "/metrics").status == 401);
  CHECK(active.ask("GET", "/metrics", "bad").status == 401);
  CHECK(active.ask("GET", "/metrics", "good").body.contains("\nwinnow_build_info"));
  CHECK(active.ask("GET", "/rules", "good").body == "forbidden: User \"u\" cannot get path \"/rules\"\n");
  CHECK(active.ask("POST", "/explain", "good").status == 403);
  for (const char* path : {"/filter", "/prioritize", "/preempt", "/bind"})
    CHECK(active.ask("POST", path, "good").body == "a client certificate is required\n");
  CHECK(active.ask("GET", "/rules", "", active.client()).status == 200);
  CHECK(active.ask("POST", "/filter", "", active.client()).status == 400);
  const int before = active.cluster.asked("/tokenreviews");
  CHECK(before >= 2);
  const std::string page = active.ask("GET", "/metrics", "", active.client()).body;
  CHECK(page.contains("\nwinnow_access_reviews_total{result=\"yes\",review=\"SubjectAccessReview\"} "));
  CHECK(page.contains("\nwinnow_http_refused_total{cause=\"denied\"} 8\n"));
  CHECK(active.cluster.asked("/tokenreviews") == before);
  CHECK(active.end() == kDone);
}

TEST_CASE(
    "serve: while the API server takes no credentials of ours, tokens open nothing and certificates do") {
  SecuredServe active;
  active.cluster.revoked = true;
  CHECK(active.ask("GET", "/metrics", "good").status == 500);
  CHECK(active.ask("GET", "/readyz").status == 200);
  CHECK(active.ask("GET", "/metrics", "", active.client())
            .body.contains("\nwinnow_access_reviews_total{result=\"failed\",review=\"TokenReview\"} 1\n"));
  active.cluster.revoked = false;
  CHECK(active.ask("GET", "/metrics", "good").status == 200);
}

}  // namespace
}  // namespace winnow::test
