// Trust in servers, and client certificates, in real handshakes over loopback.
#include <doctest/doctest.h>

#include <exception>

#include "cluster/client/transport/https_transport.h"
#include "tests/cluster/client/transport/tls_server.h"

namespace winnow::live::test {
namespace {

using namespace std::chrono_literals;
using Kind = TransportError::Kind;

ClientConfig trusting(const std::string& authority) {
  ClientConfig config;
  config.certificate_authority.data = authority;
  return config;
}

std::expected<ApiResponse, TransportError> get(const ClientConfig& config, const std::string& server) {
  auto transport = HttpsTransport::make(config, system_clock());
  REQUIRE_MESSAGE(transport, transport.error());
  return (*transport)->call(server, {"GET", "/version", ""}, 60s, {});
}

}  // namespace

bool has_ipv6() {
  try {
    const TlsServer server({.address = "::1"});
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

TEST_SUITE("live: TLS") {
  TEST_CASE("which certificates are accepted") {
    const Authority ours;
    const Authority theirs;
    struct Row {
      const char* name;
      Identity identity;
      const char* host;         ///< In the URL.
      const char* server_name;  ///< tls-server-name
      const char* error;        ///< "" for one that is good.
    };
    const Row rows[] = {
        {"the name is an alternative name", ours.issue({.names = {"x", "localhost"}}), "localhost", "", ""},
        {"the address is an alternative name", ours.issue({.addresses = {"127.0.0.1"}}), "127.0.0.1", "", ""},
        {"tls-server-name is an alternative name", ours.issue({.names = {"api.internal"}}), "127.0.0.1",
         "api.internal", ""},
        {"tls-server-name is an address", ours.issue({.addresses = {"10.0.0.1"}}), "localhost", "10.0.0.1",
         ""},
        {"a wildcard", ours.issue({.names = {"*.example.org"}}), "127.0.0.1", "api.example.org", ""},
        {"a wildcard is for a whole label", ours.issue({.names = {"a*.example.org"}}), "127.0.0.1",
         "api.example.org", "hostname mismatch (expected \"api.example.org\")"},
        {"another name", ours.issue({.names = {"other.example"}}), "localhost", "",
         "hostname mismatch (expected \"localhost\")"},
        {"another name, and ours the common name",
         ours.issue({.common_name = "localhost", .names = {"other.example"}}), "localhost", "",
         "hostname mismatch (expected \"localhost\")"},
        {"ours is the common name only", ours.issue({.common_name = "localhost"}), "localhost", "",
         "hostname mismatch (expected \"localhost\")"},
        {"the address is the common name only", ours.issue({.common_name = "127.0.0.1"}), "127.0.0.1", "",
         "IP address mismatch (expected \"127.0.0.1\")"},
        {"another address", ours.issue({.addresses = {"127.0.0.2"}}), "127.0.0.1", "",
         "IP address mismatch (expected \"127.0.0.1\")"},
        {"the address as a name", ours.issue({.names = {"127.0.0.1"}}), "127.0.0.1", "",
         "IP address mismatch (expected \"127.0.0.1\")"},
        {"the URL's host does not count beside tls-server-name", ours.issue({.names = {"localhost"}}),
         "localhost", "api.internal", "hostname mismatch (expected \"api.internal\")"},
        {"expired", ours.issue({.names = {"localhost"}, .valid_hours = -1}), "localhost", "",
         "certificate has expired (expected \"localhost\")"},
        {"of an authority that is not ours", theirs.issue({.names = {"localhost"}}), "localhost", "",
         "unable to get local issuer certificate (expected \"localhost\")"},
        {"signed by itself", self_signed({.names = {"localhost"}}), "localhost", "",
         "self-signed certificate (expected \"localhost\")"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      const TlsServer server({.identity = row.identity});
      ClientConfig config = trusting(ours.certificate());
      config.tls_server_name = row.server_name;
      const auto response = get(config, server.url(row.host));
      if (*row.error == '\0') {
        REQUIRE_MESSAGE(response, response.error().message);
        CHECK(response->status == 200);
        CHECK(response->body == "{}");
      } else {
        REQUIRE_FALSE(response);
        CHECK(response.error().kind == Kind::kUnreachable);
        CHECK(response.error().message ==
              server.url(row.host) + ": the server's certificate is refused: " + row.error);
        CHECK(server.requests().empty());
      }
    }
  }

  TEST_CASE("IPv6: the address is verified, and named in brackets") {
    const Authority authority;
    if (!has_ipv6()) {  // As in a container of a network without: then nobody answers, and the error says
                        // where.
      const auto nobody = get(trusting(authority.certificate()), "https://[::1]:6443");
      REQUIRE_FALSE(nobody);
      CHECK(nobody.error().kind == Kind::kUnreachable);
      CHECK(nobody.error().message.starts_with("https://[::1]:6443: "));
      return;
    }
    const TlsServer good({.identity = authority.issue({.addresses = {"::1"}}), .address = "::1"});
    const auto response = get(trusting(authority.certificate()), good.url());
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(good.requests()[0].has("Host: " + good.url().substr(8)));
    const TlsServer bad({.identity = authority.issue({.addresses = {"::2"}}), .address = "::1"});
    CHECK_FALSE(get(trusting(authority.certificate()), bad.url()));
  }

  TEST_CASE("a name that no certificate can be asked for is refused, not left unchecked") {
    const Authority authority;
    const TlsServer server({.identity = authority.issue({.names = {"other.example"}})});
    ClientConfig config = trusting(authority.certificate());
    config.tls_server_name = std::string("api\0internal", 12);
    const auto response = get(config, server.url());
    REQUIRE_FALSE(response);
    CHECK(response.error().message.contains("no certificate can be for the name"));
    CHECK(server.requests().empty());
  }

  TEST_CASE("a certificate that is trusted itself needs no authority behind it, as in Go") {
    const Identity identity = self_signed({.names = {"localhost"}});
    const TlsServer server({.identity = identity});
    CHECK(get(trusting(identity.certificate), server.url("localhost")));
  }

  TEST_CASE("without verification every server is trusted, because the user said so") {
    const TlsServer server({.identity = self_signed({.names = {"other.example"}})});
    ClientConfig config;
    CHECK_FALSE(get(config, server.url()));  // The system's authorities do not include ours.
    config.insecure_skip_tls_verify = true;
    CHECK(get(config, server.url()));
  }

  TEST_CASE(
      "the client's certificate is presented; without one the server refuses, and has seen no request") {
    const Authority authority;
    const TlsServer server({.identity = authority.issue({.addresses = {"127.0.0.1"}}),
                            .client_authority = authority.certificate()});
    ClientConfig config = trusting(authority.certificate());
    const auto refused = get(config, server.url());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == Kind::kUnreachable);
    CHECK(server.requests().empty());
    const Identity own = authority.issue({.common_name = "system:winnow"});
    config.client_certificate.data = own.certificate;
    config.client_key.data = own.key;
    REQUIRE(get(config, server.url()));
    CHECK(server.requests().at(0).client == "system:winnow");
  }

  TEST_CASE("material that makes no sense is refused at the start, without a word of it") {
    const Authority authority;
    const Identity one = authority.issue({});
    const Identity other = authority.issue({});
    struct Row {
      const char* name;
      TlsMaterial material;
      const char* error;
    };
    const Row rows[] = {
        {"no PEM", {.authority = "secret"}, "the certificate authority holds no certificate in PEM"},
        {"half a certificate",
         {.authority = authority.certificate() + authority.certificate().substr(0, 100)},
         "the certificate authority holds a certificate that cannot be read"},
        {"a key for a certificate",
         {.certificate = one.key, .key = one.key},
         "the client certificate is not a certificate in PEM"},
        {"a certificate for a key",
         {.certificate = one.certificate, .key = one.certificate},
         "the client key is not a private key in PEM without a password"},
        {"another's key",
         {.certificate = one.certificate, .key = other.key},
         "the client certificate and the client key do not belong together"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      CHECK(TlsContext::make(row.material).error_or("") == row.error);
    }
  }
}

}  // namespace winnow::live::test
