// The whole command over a live cluster: what its users are told while an API server lets it do nothing.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>

#include "cluster/live/resources.h"
#include "tests/cluster/transport/tls_server.h"
#include "tests/extender/cli/serve_in_thread.h"

namespace winnow::test {
namespace {

using live::test::answer;
using live::test::Peer;
using live::test::Request;

/// An API server of an empty cluster.
class EmptyCluster {
 public:
  std::atomic<bool> revoked = false;  ///< No binding is let in; watches that are open go on.
  std::string url() const { return server_.url(); }

 private:
  bool serve(Peer& peer, const Request& request) {
    const std::string_view head = request.head;
    if (head.starts_with("POST ")) {
      peer.write(revoked
                     ? answer(R"({"kind":"Status","message":"Unauthorized","code":401})", "401 Unauthorized")
                     : answer(R"({"kind":"Status","status":"Success"})", "201 Created"));
      return true;
    }
    const std::string_view path = head.substr(4, head.find(' ', 4) - 4);
    if (path.contains("watch=true")) {
      peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
      return !peer.wait_for_close(std::chrono::minutes(5));
    }
    peer.write(list(path.substr(0, path.find('?'))));
    return true;
  }

  static std::string list(std::string_view path) {
    for (const ResourceKind kind : kAllKinds)
      if (const live::Resource resource = live::resource_of(kind); resource.path == path)
        return answer(R"({"kind":")" + resource.kind +
                      R"(List","metadata":{"resourceVersion":"5"},"items":[]})");
    return answer("{}", "404 Not Found");
  }

  live::test::TlsServer server_{{},
                                [this](Peer& peer, const Request& request) { return serve(peer, request); }};
};

TEST_CASE("revoked credentials: the bind's answer, /readyz and /metrics say so") {
  unsetenv("KUBERNETES_SERVICE_HOST");
  EmptyCluster cluster;
  CommonFlags common;
  common.client.masters = {cluster.url()};
  const ServeInThread serving({.enable_bind = true}, common);
  const auto bind = [&] {
    return serving.post("/bind", R"({"PodName":"p","PodNamespace":"default","PodUID":"u","Node":"n0"})").body;
  };
  const auto shows = [&](const std::string& line) {
    return serving.get("/metrics").body.contains("\n" + line + "\n");
  };
  CHECK(bind() == R"({"Error":""})");
  CHECK(shows(R"(winnow_binds_total{result="denied"} 0)"));
  cluster.revoked = true;
  CHECK(bind() ==
        R"({"Error":"winnow: bind: the API server refuses Winnow's credentials: 401 Unauthorized"})");
  CHECK(serving.get("/readyz").status == 503);
  CHECK(serving.get("/readyz").body ==
        "not ready: the API server refuses Winnow's credentials (401): no binding of pods\n");
  CHECK(shows(R"(winnow_binds_total{result="denied"} 1)"));
  CHECK(shows(R"(winnow_apiserver_denied_total{code="401"} 2)"));
  cluster.revoked = false;
  CHECK(bind() == R"({"Error":""})");
  CHECK(serving.get("/readyz").status == 200);
}

}  // namespace
}  // namespace winnow::test
