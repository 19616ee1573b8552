// The server with TLS: versions, suites, client certificates, and clients that do not finish their handshake.
#include <doctest/doctest.h>
#include <malloc.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "extender/service/http/transport.h"
#include "tests/extender/service/http/tls_client.h"

namespace winnow::http::test {
namespace {

using live::test::Authority;
using live::test::Identity;
using live::test::self_signed;

const Authority& authority() {
  static const Authority made;
  return made;
}

const Identity& server_identity() {
  static const Identity made = authority().issue({.common_name = "winnow", .names = {"winnow"}});
  return made;
}

std::expected<std::shared_ptr<const TlsContext>, std::string> context_of(
    const std::string& client_authority = "", const TlsSettings& settings = {}) {
  return TlsContext::make({server_identity().certificate, server_identity().key, client_authority}, settings);
}

/// Answers with the names in the client's certificate, or "none".
void name_client(Request& request, Response& response) {
  if (!request.client_names) response.body = "none";
  if (request.client_names)
    for (const std::string& name : *request.client_names) response.body += '[' + name + ']';
}

struct RunningTls : Running {
  explicit RunningTls(std::shared_ptr<const TlsContext> context, const Handler& handler = describe,
                      Limits limits = {})
      : Running(handler, limits, [context](Server& made) {
          made.set_transport([context](int fd) { return make_tls_transport(fd, context); });
        }) {}
};

const std::string kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_CASE("https: requests of each size, in each version, and pipelined ones") {
  RunningTls running(*context_of(),
                     [](Request& request, Response& response) { response.body = request.body; });
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(running.port, {.authority = authority().certificate(), .version = version});
    REQUIRE(client.connected());
    for (const std::size_t size : {0UL, 1UL, 16'384UL, 65'537UL, 5UL << 20}) {
      const std::string body(size, 'x');
      const Answer answer = client.ask(post(body));
      CHECK(answer.status == 200);
      CHECK((answer.body == body));
    }
    for (const char byte : post("abc")) client.send({&byte, 1});
    CHECK(client.receive().body == "abc");
    client.send(post("1") + post("22") + "POST /f HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                "3\r\n333\r\n0\r\n\r\n" + post("4444"));  // one record
    for (const char* body : {"1", "22", "333", "4444"}) CHECK(client.receive().body == body);
  }
  CHECK(eventually([&] { return running.server.counters().buffered_bytes == 0; }));
}

TEST_CASE("https: many small requests in few large records") {
  RunningTls running(*context_of());
  TlsClient client(running.port);
  std::string many;
  for (int i = 0; i < 500; ++i) many += post(std::string(static_cast<std::size_t>(i), 'x'));
  std::thread sender([&] { client.send(many); });
  sender.join();
  for (int i = 0; i < 500; ++i) REQUIRE(client.receive().body == "POST /filter? :" + std::to_string(i));
}

TEST_CASE("https: HTTP/1.1 is chosen, also of those that offer HTTP/2; there is no renegotiation") {
  RunningTls running(*context_of());
  TlsClient client(running.port, {.version = TLS1_2_VERSION, .offers_http2 = true});
  const unsigned char* chosen = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(client.session(), &chosen, &length);
  CHECK(std::string(reinterpret_cast<const char*>(chosen), length) == "http/1.1");
  CHECK(client.ask(kGet).status == 200);
  SSL_renegotiate(client.session());
  client.send(kGet);
  CHECK(client.receive().status != 200);
}

TEST_CASE("https: the least version") {
  RunningTls either(*context_of());
  RunningTls strict(*context_of("", {.only_tls13 = true}));
  CHECK(TlsClient(either.port, {.version = TLS1_2_VERSION}).ask(kGet).status == 200);
  CHECK_FALSE(TlsClient(either.port, {.version = TLS1_1_VERSION, .suites = "ALL:@SECLEVEL=0"}).connected());
  CHECK_FALSE(TlsClient(strict.port, {.version = TLS1_2_VERSION}).connected());
  CHECK(TlsClient(strict.port, {.version = TLS1_3_VERSION}).ask(kGet).status == 200);
  CHECK(eventually([&] { return strict.refused(Cause::kHandshake) == 1; }));
}

TEST_CASE("https: cipher suites") {
  const auto suite = [](const RunningTls& running, const TlsOptions& options) {
    const TlsClient client(running.port, options);
    return std::string(client.connected() ? SSL_CIPHER_standard_name(SSL_get_current_cipher(client.session()))
                                          : "none");
  };
  const TlsOptions tls12{.version = TLS1_2_VERSION, .suites = "ALL"};
  RunningTls usual(*context_of());
  CHECK(suite(usual, tls12) == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
  CHECK(suite(usual, {.version = TLS1_2_VERSION, .suites = "ECDHE-ECDSA-AES128-SHA256"}) == "none");
  RunningTls one(*context_of(
      "", {.cipher_suites = {"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"}}));
  CHECK(suite(one, tls12) == "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256");
  CHECK(suite(one, {.version = TLS1_3_VERSION}) == "TLS_AES_256_GCM_SHA384");
  RunningTls modern(*context_of("", {.cipher_suites = {"TLS_AES_128_GCM_SHA256"}}));
  CHECK(suite(modern, tls12) == "none");
  CHECK(suite(modern, {.version = TLS1_3_VERSION}) == "TLS_AES_256_GCM_SHA384");
  for (const char* wrong : {"", "ECDHE-ECDSA-AES128-SHA256", "TLS_RSA_WITH_RC4_128_SHA",
                            "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", "tls_aes_128_gcm_sha256"}) {
    const auto made = context_of("", {.cipher_suites = {wrong}});
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error() == "no cipher suite \"" + std::string(wrong) + "\" is spoken here");
  }
}

TEST_CASE("https: what is wrong with a certificate or a key is said without them") {
  const auto& [certificate, key] = server_identity();
  struct Row {
    TlsMaterial material;
    const char* says;
  };
  const Row rows[] = {
      {{"", key, ""}, "the certificate is not a certificate in PEM"},
      {{"nonsense", key, ""}, "the certificate is not a certificate in PEM"},
      {{certificate, "", ""}, "the key is not a private key in PEM without a password"},
      {{certificate, certificate, ""}, "the key is not a private key in PEM without a password"},
      {{certificate, self_signed({}).key, ""}, "the certificate and the key do not belong together"},
      {{certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", key, ""},
       "the certificate's chain cannot be read"},
      {{certificate, key, "nonsense"}, "the client authority holds no certificate in PEM"},
      {{certificate, key, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"},
       "the client authority holds a certificate that cannot be read"},
  };
  for (const Row& row : rows) CHECK(TlsContext::make(row.material, {}).error() == row.says);
}

TEST_CASE("https: a client's certificate is verified where it is shown") {
  RunningTls running(*context_of(authority().certificate()), name_client);
  const Identity good = authority().issue({.common_name = "kube-scheduler", .names = {"a.b", "c"}});
  const Identity old = authority().issue({.common_name = "kube-scheduler", .valid_hours = -1});
  const Authority other;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    CHECK(TlsClient(running.port, {.identity = good, .version = version}).ask(kGet).body ==
          "[kube-scheduler][a.b][c]");
    CHECK(TlsClient(running.port, {.version = version}).ask(kGet).body == "none");
    for (const Identity& bad : {old, other.issue({.common_name = "kube-scheduler"}),
                                self_signed({.common_name = "kube-scheduler"})}) {
      const auto before = running.refused(Cause::kHandshake);
      CHECK(TlsClient(running.port, {.identity = bad, .version = version}).ask(kGet).status == 0);
      CHECK(eventually([&] { return running.refused(Cause::kHandshake) == before + 1; }));
    }
  }
}

TEST_CASE("https: a client's certificate with several common names is refused, in any order") {
  RunningTls running(*context_of(authority().certificate()), name_client);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const auto& [first, second] :
         {std::pair("kube-scheduler", "other"), std::pair("other", "kube-scheduler"),
          std::pair("kube-scheduler", "kube-scheduler")}) {
      const Identity two = authority().issue({.common_name = first, .more_common_names = {second}});
      CHECK(TlsClient(running.port, {.identity = two, .version = version}).ask(kGet).status == 0);
    }
  }
  CHECK(eventually([&] { return running.refused(Cause::kHandshake) == 6; }));
}

TEST_CASE("https: where no authority is given no certificate is asked for") {
  RunningTls running(*context_of(), name_client);
  const Identity shown = authority().issue({.common_name = "kube-scheduler"});
  CHECK(TlsClient(running.port, {.identity = shown}).ask(kGet).body == "none");
}

TEST_CASE("http: a guard is asked before each handler, also of light and unknown routes") {
  std::atomic<int> handled{0};
  const auto handler = [&](Request&, Response&) { ++handled; };
  Running running(handler, {}, [&](Server& server) {
    server.route("GET", "/light", handler, Cost::kLight);
    server.route("POST", "/post", handler);
    server.set_guard([](const Request& request, Response& response, const auto&) {
      response.status = 401;
      response.body = "no";
      return request.query == "let-me" ? Admission::kPass : Admission::kRefused;
    });
  });
  Client client(running.port);
  for (const std::string line : {"GET /light", "HEAD /light", "POST /post", "GET /other", "PUT /post"}) {
    client.send(line + " HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.receive(line.starts_with("HEAD")).status == 401);
  }
  CHECK(handled == 0);
  CHECK(running.refused(Cause::kDenied) == 5);
  CHECK(running.server.counters().requests == 0);
  CHECK(client.ask("GET /light?let-me HTTP/1.1\r\nHost: a\r\n\r\n").status == 401);  // as the guard left it
  CHECK(handled == 1);
}

/// Asks for a certificate, but on /open. Counts the bytes of those who show none within 100 kB.
struct Certified : Running {
  explicit Certified(Limits limits)
      : Running(describe, limits, [](Server& made) {
          const auto context = context_of(authority().certificate()).value();
          made.set_transport([context](int fd) { return make_tls_transport(fd, context); });
          made.set_guard([](const Request& request, Response& response, const auto&) {
            if (request.client_names || request.path == "/open") return Admission::kPass;
            response = line_response(401, "a client certificate is required");
            return Admission::kRefused;
          });
        }) {}
  static Limits limits() {
    Limits limits;
    limits.asks_certificates = true;
    limits.stranger_bytes = 100'000;
    limits.buffered_bytes = 1'000'000;
    return limits;
  }
};

std::string head_of(std::string_view path, std::size_t length, std::string_view more = "") {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) +
         "\r\n" + std::string(more) + "\r\n";
}

TEST_CASE("https: who may not call is refused before a body is read") {
  Certified running(Certified::limits());
  for (const char* more : {"", "Expect: 100-continue\r\n"}) {
    TlsClient client(running.port);
    client.send(head_of("/filter", 50'000, more));
    const Answer answer = client.receive();
    CHECK(answer.status == 401);
    CHECK(answer.head.starts_with("HTTP/1.1 401 Unauthorized\r\n"));
    CHECK(answer.head.contains("Connection: close\r\n"));
    CHECK(answer.body == "a client certificate is required\n");
  }
  TlsClient chunked(running.port);
  chunked.send("POST /filter HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
  CHECK(chunked.receive().status == 401);
  CHECK(TlsClient(running.port).ask(post("whole")).status == 401);
  CHECK(running.refused(Cause::kDenied) == 4);
  CHECK(running.server.counters().requests == 0);
}

TEST_CASE("https: what strangers send takes no room of those with a certificate") {
  Certified running(Certified::limits());
  std::vector<TlsClient> strangers;
  for (int i = 0; i < 10; ++i) {
    strangers.emplace_back(running.port);
    strangers.back().send(head_of("/open", 50'000) + std::string(30'000, 'x'));
  }
  REQUIRE(eventually([&] {
    return running.refused(Cause::kMemory) >= 7 && running.server.counters().buffered_bytes <= 100'000;
  }));
  const Identity known = authority().issue({.common_name = "kube-scheduler"});
  std::vector<TlsClient> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back(running.port, TlsOptions{.identity = known});
    callers.back().send(head_of("/filter", 100'000) + std::string(90'000, 'x'));
  }
  REQUIRE(eventually([&] { return running.server.counters().buffered_bytes >= 720'000; }));
  for (TlsClient& caller : callers) {
    caller.send(std::string(10'000, 'x'));
    CHECK(caller.receive().body == "POST /filter? :100000");
  }
  // Heads that do not end are a stranger's bytes too.
  const auto before = running.refused(Cause::kMemory);
  std::vector<TlsClient> heads;
  for (int i = 0; i < 12; ++i) {
    heads.emplace_back(running.port);
    heads.back().send("POST /open HTTP/1.1\r\nX: " + std::string(10'000, 'x'));
  }
  CHECK(eventually([&] { return running.refused(Cause::kMemory) > before; }));
}

TEST_CASE("https: a client that has sent nothing costs no session") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  const auto context = context_of().value();
  const auto transport = make_tls_transport(ends[0], context);
  char byte = 0;
  const auto before = ::mallinfo2().uordblks;
  for (int i = 0; i < 3; ++i) CHECK(transport->read({&byte, 1}).kind == Io::Kind::kWantRead);
  CHECK(transport->write("x").kind == Io::Kind::kWantRead);
  CHECK(::mallinfo2().uordblks < before + 2'000);
  CHECK_FALSE(transport->established());
  CHECK_FALSE(transport->has_pending());
  CHECK_FALSE(transport->client_names());
  REQUIRE(::write(ends[1], "\x16", 1) == 1);
  CHECK(transport->read({&byte, 1}).kind == Io::Kind::kWantRead);
  ::close(ends[1]);
  CHECK(transport->read({&byte, 1}).kind == Io::Kind::kClosed);
}

TEST_CASE("https: who does not speak TLS is cut; who closes without a word is not counted") {
  RunningTls running(*context_of());
  Client plain(running.port);
  plain.send(kGet);
  CHECK(plain.receive().status == 0);
  CHECK(running.refused(Cause::kHandshake) == 1);
  {
    Client probe(running.port);
  }
  REQUIRE(eventually([&] { return running.server.counters().accepted == 2; }));
  REQUIRE(eventually([&] { return running.server.counters().open == 0; }));
  CHECK(running.refused(Cause::kHandshake) == 1);
  CHECK(running.server.counters().client_gone == 0);
}

TEST_CASE("https: a thousand half-open handshakes do not hold up a good client, and are cut in time") {
  Limits limits;
  limits.header_time = std::chrono::seconds(5);
  limits.connections = 1100;
  RunningTls running(*context_of(), describe, limits);
  const std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  std::vector<Client> half;
  for (int i = 0; i < 1000; ++i) {
    half.emplace_back(running.port);
    if (i % 2 == 0) half.back().send(hello);
  }
  TlsClient good(running.port);
  for (int i = 0; i < 100; ++i) {
    half[static_cast<std::size_t>(i) * 2].send("x");
    REQUIRE(good.ask(post("abc")).body == "POST /filter? :3");
    if (i % 10 == 0) REQUIRE(TlsClient(running.port).ask(kGet).status == 200);
  }
  CHECK(half.front().sees_end());
  CHECK(eventually([&] { return running.refused(Cause::kHandshake) == 1000; }));
  CHECK(good.ask(post("abc")).status == 200);
  CHECK(running.server.counters().idle_expired == 0);
}

TEST_CASE("https: a flood of half-open handshakes evicts itself") {
  Limits limits;
  limits.connections = 8;
  RunningTls running(*context_of(), describe, limits);
  TlsClient good(running.port);
  CHECK(good.ask(kGet).status == 200);
  std::vector<Client> flood;
  for (int i = 0; i < 50; ++i) flood.emplace_back(running.port);
  CHECK(TlsClient(running.port).ask(kGet).status == 200);
  CHECK(good.ask(kGet).status == 200);
}

TEST_CASE("https: a slow reader holds no worker") {
  Limits limits;
  limits.workers = 1;
  limits.write_time = std::chrono::minutes(5);
  RunningTls running(
      *context_of(),
      [](Request& request, Response& response) {
        response.body.assign(request.path == "/big" ? 20'000'000 : 2, 'x');
      },
      limits);
  TlsClient slow(running.port);
  slow.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  TlsClient good(running.port);
  CHECK(good.ask(post("a")).body == "xx");
  CHECK(slow.receive().body.size() == 20'000'000);
  CHECK(slow.ask(post("a")).body == "xx");
}

TEST_CASE("https: stop() closes idle connections and those in handshakes") {
  RunningTls running(*context_of());
  TlsClient idle(running.port);
  CHECK(idle.ask(kGet).status == 200);
  Client half(running.port);
  REQUIRE(eventually([&] { return running.server.counters().open == 2; }));
  running.server.stop(std::chrono::seconds(20));
  CHECK(idle.sees_end());
  CHECK(half.sees_end());
}

}  // namespace
}  // namespace winnow::http::test
