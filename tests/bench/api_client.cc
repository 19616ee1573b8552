// The thread's processor time, and the time that passes, for a call over a kept TLS connection and for an
// event of a watch. The server is a thread on loopback.
//
//   winnow_api_client [CALLS=5000 [EVENTS=100000]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <format>
#include <string>

#include "cluster/client/transport/https_transport.h"
#include "tests/bench/pairs.h"
#include "tests/cluster/client/transport/tls_server.h"

namespace winnow::bench {
namespace {

using namespace std::chrono_literals;
using live::ApiRequest;
using live::test::Peer;
using live::test::Request;

/// An event as long as one of a small pod.
const std::string kEvent = "{\"type\":\"MODIFIED\",\"object\":{\"x\":\"" + std::string(2000, 'x') + "\"}}\n";

void write_events(Peer& peer, int events) {
  const std::string chunk = std::format("{:x}\r\n{}\r\n", kEvent.size(), kEvent);
  peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < events; ++i) peer.write(chunk);
  peer.write("0\r\n\r\n");
}

template <class Work>
void measure(const char* name, int count, Work&& work) {
  const auto begun = std::chrono::steady_clock::now();
  const double cpu = cost(work);
  const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begun;
  std::printf("%-6s %8d  %8.2f us of the processor  %8.2f us\n", name, count, cpu / 1e3 / count,
              passed.count() / count);
}

void call(live::HttpsTransport& transport, const std::string& url, const ApiRequest& request) {
  const auto answer = transport.call(url, request, 20s, {});
  if (!answer) std::printf("%s\n", answer.error().message.c_str());
  if (!answer) std::exit(1);
}

void run(int calls, int events) {
  const live::test::Authority authority;
  const live::test::TlsServer server({.identity = authority.issue({.addresses = {"127.0.0.1"}})},
                                     [&](Peer& peer, const Request& request) {
                                       if (request.head.contains("watch=1"))
                                         return write_events(peer, events), true;
                                       return peer.write(live::test::answer("{}", "201 Created")), true;
                                     });
  auto transport = live::HttpsTransport::make(
      {.certificate_authority = {.data = authority.certificate()}, .token = "t"}, live::system_clock());
  const std::string url = server.url();
  const ApiRequest get{"GET", "/api/v1/pods?limit=500&resourceVersion=1&fieldSelector=spec.nodeName%3Dx", ""};
  const ApiRequest post{"POST", "/api/v1/namespaces/a/pods/b/binding", std::string(300, 'x')};
  call(**transport, url, get);
  measure("get", calls, [&] {
    for (int i = 0; i < calls; ++i) call(**transport, url, get);
  });
  measure("post", calls, [&] {
    for (int i = 0; i < calls; ++i) call(**transport, url, post);
  });
  std::size_t bytes = 0;
  const auto on_piece = [&](std::string_view piece) { return bytes += piece.size(), true; };
  measure("event", events, [&] {
    static_cast<void>((*transport)->stream(url, {"GET", "/pods?watch=1", ""}, 20s, 20s, on_piece, {}));
  });
  if (bytes != kEvent.size() * static_cast<std::size_t>(events)) std::exit(1);
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  winnow::bench::run(argc > 1 ? std::atoi(argv[1]) : 5000, argc > 2 ? std::atoi(argv[2]) : 100'000);
}
