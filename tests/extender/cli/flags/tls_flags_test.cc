#include <doctest/doctest.h>

#include "extender/cli/flags/serve_flags.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {
namespace {

TEST_CASE("serve with TLS") {
  std::string printed;
  const auto parsed =
      parse_words({"serve", "--tls-cert-file=c", "--tls-private-key-file=k", "--client-ca-file=a",
                   "--tls-min-version=VersionTLS13", "--tls-cipher-suites=A,B",
                   "--anonymous-paths=", "--allowed-client-names", "kube-scheduler,x"},
                  printed);
  REQUIRE_MESSAGE(std::holds_alternative<CommandLine>(parsed), printed);
  const TlsFlags& tls = std::get<CommandLine>(parsed).serve.tls;
  CHECK(tls.cert_file == "c");
  CHECK(tls.key_file == "k");
  CHECK(tls.client_ca_file == "a");
  CHECK(tls.only_tls13);
  CHECK(tls.cipher_suites == std::vector<std::string>{"A", "B"});
  CHECK(tls.anonymous_paths.empty());
  CHECK(tls.allowed_client_names == std::vector<std::string>{"kube-scheduler", "x"});
  const auto plain = parse_words({"serve"}, printed);
  CHECK(std::get<CommandLine>(plain).serve.tls.anonymous_paths ==
        std::vector<std::string>{"/livez", "/readyz"});
  CHECK(std::holds_alternative<int>(parse_words({"serve", "--tls-min-version=VersionTLS11"}, printed)));
  CHECK(printed.contains("--tls-min-version"));
}

TEST_CASE("the rarer flags of TLS have a page of help of their own, and the command's help names it") {
  std::string printed;
  const auto parsed = parse_words({"serve", "--help-tls"}, printed);
  REQUIRE(std::holds_alternative<int>(parsed));
  CHECK(std::get<int>(parsed) == kDone);
  const char* const rarer[] = {"--tls-min-version", "--tls-cipher-suites", "--anonymous-paths",
                               "--allowed-client-names"};
  for (const char* one : rarer) CHECK_MESSAGE(printed.contains(one), printed);
  for (const char* one : {"[VersionTLS12]", "[Go's defaults]", "[/livez,/readyz]"})
    CHECK_MESSAGE(printed.contains(one), printed);
  CHECK_FALSE(printed.contains("--client-ca-file"));
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 100, line);
  parse_words({"serve", "--help"}, printed);
  CHECK(printed.contains("--help-tls"));
  for (const char* one : rarer) CHECK_FALSE_MESSAGE(printed.contains(one), printed);
}

TEST_CASE("TLS flags that do not go together") {
  const auto wrong = [](void (*set)(TlsFlags&)) {
    TlsFlags flags;
    set(flags);
    return wrong_tls_flags(flags);
  };
  CHECK(wrong([](TlsFlags&) {}).empty());
  CHECK(
      wrong([](TlsFlags& flags) { flags.cert_file = flags.key_file = flags.client_ca_file = "f"; }).empty());
  CHECK(wrong([](TlsFlags& flags) { flags.cert_file = "f"; }) ==
        "--tls-cert-file and --tls-private-key-file go together");
  CHECK(wrong([](TlsFlags& flags) { flags.key_file = "f"; }) ==
        "--tls-cert-file and --tls-private-key-file go together");
  CHECK(wrong([](TlsFlags& flags) { flags.client_ca_file = "f"; }) ==
        "--client-ca-file needs --tls-cert-file");
  CHECK(wrong([](TlsFlags& flags) { flags.only_tls13 = true; }) == "--tls-min-version needs --tls-cert-file");
  CHECK(wrong([](TlsFlags& flags) { flags.cipher_suites = {"x"}; }) ==
        "--tls-cipher-suites needs --tls-cert-file");
  CHECK(wrong([](TlsFlags& flags) { flags.anonymous_paths = {"livez"}; }) ==
        "--anonymous-paths: \"livez\" is not a path");
  CHECK(wrong([](TlsFlags& flags) { flags.allowed_client_names = {"x"}; }) ==
        "--allowed-client-names needs --client-ca-file");
}

}  // namespace
}  // namespace winnow::test
