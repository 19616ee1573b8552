// What serve refuses before it listens stands in serve_test.cc.
#include <doctest/doctest.h>

#include <string>
#include <vector>

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

TEST_CASE("--path-prefix is a path that is written in one way") {
  struct Row {
    const char* sentence;
    const char* prefix;
    bool good;
  };
  const Row rows[] = {
      {"none", "", true},
      {"a word", "/scheduler", true},
      {"two words", "/a/b-c_d.e~1", true},
      {"without a slash", "scheduler", false},
      {"a slash alone", "/", false},
      {"a slash behind", "/scheduler/", false},
      {"two slashes", "/a//b", false},
      {"a way up", "/a/../b", false},
      {"a way up at the end", "/a/..", false},
      {"a dot", "/./a", false},
      {"an encoded character", "/a%20b", false},
      {"a query", "/a?b", false},
      {"a blank", "/a b", false},
      {"a letter beyond ASCII", "/caf\xc3\xa9", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CommonFlags common;
    common.cluster = {"c.json"};
    const std::string wrong = wrong_serve_flags(common, {.path_prefix = row.prefix});
    CHECK(wrong.empty() == row.good);
    CHECK(wrong.starts_with("--path-prefix: found ") != row.good);
  }
  CHECK(
      wrong_path_prefix("scheduler") ==
      "--path-prefix: found \"scheduler\", expected a path of letters, digits and -._~, such as /scheduler");
}

TEST_CASE("--enable-profiling is for those who are known, or on this machine") {
  constexpr const char* kOpen =
      "--enable-profiling: --bind-address 0.0.0.0 is not loopback, and whoever reaches the port could take "
      "profiles: give --client-ca-file or --authorization-webhook=apiserver";
  struct Row {
    const char* sentence;
    bool profiles;
    std::string address, authority;
    AuthorizationWebhook webhook;
    std::vector<std::string> anonymous;
    const char* says;
  };
  constexpr auto kOff = AuthorizationWebhook::kOff, kAsks = AuthorizationWebhook::kApiServer;
  const Row rows[] = {
      {"off, everything goes", false, "0.0.0.0", "", kOff, {"/debug/pprof/profile"}, ""},
      {"on loopback", true, "127.0.0.1", "", kOff, {}, ""},
      {"on loopback by IPv6", true, "::1", "", kOff, {}, ""},
      {"for who shows a certificate", true, "0.0.0.0", "ca.crt", kOff, {}, ""},
      {"for who shows a token", true, "0.0.0.0", "", kAsks, {}, ""},
      {"for everybody", true, "0.0.0.0", "", kOff, {}, kOpen},
      {"for everybody all the same",
       true,
       "0.0.0.0",
       "ca.crt",
       kOff,
       {"/livez", "/debug/pprof/profile"},
       "--anonymous-paths: /debug/pprof/profile may not be among them, or everybody could take profiles"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    ServeFlags flags{
        .bind_address = row.address, .authorization_webhook = row.webhook, .enable_profiling = row.profiles};
    flags.tls.client_ca_file = row.authority;
    flags.tls.anonymous_paths = row.anonymous;
    CHECK(wrong_profiling(flags) == row.says);
  }
}

}  // namespace
}  // namespace winnow::test
