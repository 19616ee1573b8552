// An API server of a cluster that has nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "cluster/client/watch/live_cluster.h"
#include "tests/cluster/client/transport/tls_server.h"

namespace winnow::test {

/// Lists nothing, and keeps watches open. It measures a node n0, which is gone. It binds each pod, knows the
/// token "good", and lets its user read /metrics.
class EmptyCluster {
 public:
  std::atomic<bool> revoked = false;  ///< No POST is let in; watches that are open go on.
  std::string url() const { return server_.url(); }
  /// How many requests there were whose path ends so.
  int asked(std::string_view end) const {
    int count = 0;
    for (const live::test::Request& request : server_.requests())
      if (path_of(request).ends_with(end)) ++count;
    return count;
  }

 private:
  using Peer = live::test::Peer;
  using Request = live::test::Request;

  static std::string_view path_of(const Request& request) {
    const std::string_view head = request.head;
    const std::size_t begin = head.find(' ') + 1;
    return head.substr(begin, head.find(' ', begin) - begin);
  }

  bool serve(Peer& peer, const Request& request) {
    const std::string_view path = path_of(request);
    if (request.head.starts_with("POST ")) {
      peer.write(post(path, request.body));
    } else if (path.contains("sendInitialEvents")) {  // It has lists as pages alone.
      peer.write(live::test::answer(R"({"kind":"Status","code":422})", "422 Unprocessable Entity"));
    } else if (path.contains("watch=true")) {
      peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
      return !peer.wait_for_close(std::chrono::minutes(5));
    } else {
      peer.write(list(path.substr(0, path.find('?'))));
    }
    return true;
  }

  std::string post(std::string_view path, const std::string& body) const {
    using live::test::answer;
    if (revoked)
      return answer(R"({"kind":"Status","message":"Unauthorized","code":401})", "401 Unauthorized");
    std::string status = R"({"kind":"Status","status":"Success"})";
    if (path.ends_with("/tokenreviews"))
      status = body.contains(R"("token":"good")")
                   ? R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"u"}}})"
                   : R"({"kind":"TokenReview","status":{}})";
    if (path.ends_with("/subjectaccessreviews"))
      status = body.contains(R"("path":"/metrics","verb":"get"},"user":"u")")
                   ? R"({"kind":"SubjectAccessReview","status":{"allowed":true}})"
                   : R"({"kind":"SubjectAccessReview","status":{"allowed":false}})";
    return answer(status, "201 Created");
  }

  static std::string list(std::string_view path) {
    if (path == "/apis/metrics.k8s.io/v1beta1/nodes")
      return live::test::answer(
          R"({"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},)"
          R"("items":[{"metadata":{"name":"n0"},"timestamp":"2026-01-01T00:00:30Z",)"
          R"("window":"15s","usage":{"cpu":"1500m","memory":"1Gi"}}]})");
    for (const ResourceKind kind : kAllKinds)
      if (const live::Resource resource = live::resource_of(kind); resource.path == path)
        return live::test::answer(R"({"kind":")" + resource.kind +
                                  R"(List","metadata":{"resourceVersion":"5"},"items":[]})");
    return live::test::answer("{}", "404 Not Found");
  }

  live::test::TlsServer server_{{},
                                [this](Peer& peer, const Request& request) { return serve(peer, request); }};
};

}  // namespace winnow::test
