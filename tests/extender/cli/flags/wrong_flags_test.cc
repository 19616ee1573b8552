// What serve refuses before it listens stands in serve_test.cc.
#include <doctest/doctest.h>

#include "extender/cli/flags/flags.h"

namespace winnow::test {
namespace {

TEST_CASE("--authorization-webhook needs an API server, and a port on which nobody listens in") {
  struct Row {
    const char* sentence;
    AuthorizationWebhook webhook;
    std::string address, certificate;
    bool files;
    const char* says;
  };
  constexpr auto kOff = AuthorizationWebhook::kOff, kAsks = AuthorizationWebhook::kApiServer;
  const Row rows[] = {
      {"off, everything goes", kOff, "0.0.0.0", "", true, ""},
      {"on loopback", kAsks, "127.0.0.1", "", false, ""},
      {"on loopback by IPv6", kAsks, "::1", "", false, ""},
      {"with TLS", kAsks, "0.0.0.0", "tls.crt", false, ""},
      {"in clear", kAsks, "0.0.0.0", "", false,
       "--authorization-webhook=apiserver: --bind-address 0.0.0.0 is not loopback, and tokens would travel "
       "in "
       "clear: give --tls-cert-file"},
      {"in clear by IPv6", kAsks, "::", "", false,
       "--authorization-webhook=apiserver: --bind-address :: is not loopback, and tokens would travel in "
       "clear: "
       "give --tls-cert-file"},
      {"without an API server", kAsks, "127.0.0.1", "tls.crt", true,
       "--authorization-webhook=apiserver: there is no API server to ask: --cluster is a picture from files"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CommonFlags common;
    if (row.files) common.cluster = {"c.json"};
    ServeFlags flags{.bind_address = row.address, .authorization_webhook = row.webhook};
    flags.tls.cert_file = row.certificate;
    CHECK(wrong_webhook(common, flags) == row.says);
  }
}

}  // namespace
}  // namespace winnow::test
