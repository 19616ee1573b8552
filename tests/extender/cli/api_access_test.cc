#include "extender/cli/api_access.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "extender/cli/cluster_source.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/cluster/client/transport/tls_server.h"

namespace winnow {

TEST_CASE("a live source shows its transport in /metrics, as long as it is there") {
  const live::test::TempFolder folder;
  CommonFlags flags;
  flags.client.kubeconfig = folder.write("config", R"({"current-context":"c",
      "contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
      "clusters":[{"name":"k","cluster":{"server":"https://127.0.0.1:1","insecure-skip-tls-verify":true}}],
      "users":[{"name":"u","user":{"tokenFile":"none","token":"t"}}]})");
  Metrics metrics("", "");
  const auto has = [&](const char* line) {
    metrics.live().set_watches({});
    return metrics.render().contains(std::string("\n") + line + "\n");
  };
  CHECK(has("winnow_insecure_skip_tls_verify 0"));
  {
    const auto source = ApiAccess::make(flags, metrics.live());
    REQUIRE_MESSAGE(source, source.error());
    CHECK(has("winnow_insecure_skip_tls_verify 1"));
    CHECK(has(R"(winnow_credential_reload_failures_total{what="token"} 1)"));
    // Nobody is there.
    const live::Binding binding{"default", "web", "u1", "n"};
    const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    CHECK((*source)->binder().bind(binding, soon, {}).outcome == live::BindOutcome::kUnknown);
    CHECK_FALSE(has("winnow_apiserver_connect_failures_total 0"));
  }
  CHECK(has("winnow_insecure_skip_tls_verify 1"));  // What was last heard: nobody is asked any more.
}

TEST_CASE("a look at a cluster that lets nobody in ends with the reason") {
  live::test::TlsServer server({}, [](live::test::Peer& peer, const live::test::Request&) {
    peer.write(
        live::test::answer(R"({"kind":"Status","message":"Unauthorized","code":401})", "401 Unauthorized"));
    return true;
  });
  CommonFlags flags;
  flags.client.masters = {server.url()};
  unsetenv("KUBERNETES_SERVICE_HOST");
  const auto snapshot = snapshot_from(flags, classic_rules(parse_gates("").value()));
  REQUIRE_FALSE(snapshot);
  CHECK(snapshot.error().starts_with(
      "the API server refuses Winnow's credentials (401): no list or watch of "));
}

}  // namespace winnow
