// The whole command over a live cluster: what its users are told while an API server lets it do nothing.
#include <doctest/doctest.h>

#include <cstdlib>

#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/serve/nominator_service.h"
#include "tests/extender/cli/empty_cluster.h"
#include "tests/extender/cli/serve/serve_in_thread.h"

namespace winnow::test {
namespace {

TEST_CASE("revoked credentials: the bind's answer, /readyz and /metrics say so") {
  unsetenv("KUBERNETES_SERVICE_HOST");
  EmptyCluster cluster;
  CommonFlags common;
  common.client.masters = {cluster.url()};
  const ServeInThread active({.enable_bind = true}, common);
  const auto bind = [&] {
    return active.post("/bind", R"({"PodName":"p","PodNamespace":"default","PodUID":"u","Node":"n0"})").body;
  };
  const auto shows = [&](const std::string& line) {
    return active.get("/metrics").body.contains("\n" + line + "\n");
  };
  CHECK(bind() == R"({"Error":""})");
  CHECK(shows(R"(winnow_binds_total{result="denied"} 0)"));
  cluster.revoked = true;
  CHECK(bind() ==
        R"({"Error":"winnow: bind: the API server refuses Winnow's credentials: 401 Unauthorized"})");
  CHECK(active.get("/readyz").status == 503);
  CHECK(active.get("/readyz").body ==
        "not ready: the API server refuses Winnow's credentials (401): no binding of pods\n");
  CHECK(shows(R"(winnow_binds_total{result="denied"} 1)"));
  CHECK(shows(R"(winnow_apiserver_denied_total{code="401"} 2)"));
  cluster.revoked = false;
  CHECK(bind() == R"({"Error":""})");
  CHECK(active.get("/readyz").status == 200);
}

TEST_CASE("a command that watches for a moment asks once how much of nodes is used, where rules read it") {
  unsetenv("KUBERNETES_SERVICE_HOST");
  for (const bool reads : {false, true}) {
    CAPTURE(reads);
    EmptyCluster cluster;
    CommonFlags common;
    common.client.masters = {cluster.url()};
    const auto cache = snapshot_from(common, StateOptions{.node_load = reads}, needs::kNothing);
    REQUIRE_MESSAGE(cache, cache.error());
    CHECK(cluster.asked("/apis/metrics.k8s.io/v1beta1/nodes") == (reads ? 1 : 0));
    const auto state = (*cache)->read();
    CHECK((state->metrics_of("n0") != nullptr) == reads);
    if (reads) CHECK(state->metrics_of("n0")->usage->cpu == 1.5);
  }
}

TEST_CASE("a shadow says that it is one before its service is there") {
  Metrics metrics{"", ""};
  const Shadowing shadowing({.shadow = true}, metrics, nullptr);
  shadowing.before_scrape();
  CHECK(metrics.render().contains("\nwinnow_shadow 1\n"));
}

TEST_CASE("a shadow shows what it finds, answers no call of kube-scheduler, and writes nothing") {
  unsetenv("KUBERNETES_SERVICE_HOST");
  EmptyCluster cluster;
  CommonFlags common;
  common.client.masters = {cluster.url()};
  const ServeInThread active({.shadow = {.shadow = true}}, common);
  const std::string says =
      "this Winnow is a shadow (--shadow): it decides for itself, and answers no kube-scheduler";
  const std::string asked = R"({"Pod":{"metadata":{"name":"p","uid":"u"}},"NodeNames":["n0"]})";
  for (const char* const path : {"/filter", "/predicates"}) {
    const Answer filter = active.post(path, asked);
    CHECK(filter.status == 200);
    CHECK_MESSAGE(filter.body.contains("\"Error\":\"" + says), filter.body);
  }
  for (const char* const path : {"/prioritize", "/priorities", "/preempt"}) {
    const Answer refused = active.post(path, asked);
    CHECK(refused.status == 503);
    CHECK_MESSAGE(refused.body.contains(says), refused.body);
  }
  CHECK(active.post("/bind", R"({"PodName":"p","PodNamespace":"default","PodUID":"u","Node":"n0"})").body ==
        R"({"Error":"winnow: )" + says + "\"}");
  CHECK(cluster.asked("/binding") == 0);
  CHECK(active.get("/metrics").body.contains("\nwinnow_shadow 1\n"));
  CHECK(active.get("/decisions").status == 200);
  CHECK(active.get("/page/overview").status == 200);
  CHECK(active.get("/readyz").status == 200);
}

}  // namespace
}  // namespace winnow::test
