#include <doctest/doctest.h>

#include "cluster/client/access/client_config.h"
#include "tests/cluster/client/access/environment.h"
#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::live::test {

TEST_SUITE("live: service account") {
  TEST_CASE("a pod's folder and environment") {
    const TempFolder folder;
    folder.write("token", "t");
    folder.write("ca.crt", "ca");
    const Variable port("KUBERNETES_SERVICE_PORT", "443");
    SUBCASE("IPv4") {
      const Variable host("KUBERNETES_SERVICE_HOST", "10.96.0.1");
      const auto config = load_service_account(folder.path());
      REQUIRE(config);
      CHECK(config->servers == std::vector<std::string>{"https://10.96.0.1:443"});
      CHECK(config->token_file == folder.path("token"));
      CHECK(config->certificate_authority.file == folder.path("ca.crt"));
      CHECK_FALSE(config->insecure_skip_tls_verify);
    }
    SUBCASE("IPv6 is put in brackets") {
      const Variable host("KUBERNETES_SERVICE_HOST", "fd00:10:96::1");
      CHECK(load_service_account(folder.path())->servers[0] == "https://[fd00:10:96::1]:443");
    }
  }

  TEST_CASE("what is missing") {
    const TempFolder folder;
    const Variable host("KUBERNETES_SERVICE_HOST", "10.96.0.1");
    const Variable port("KUBERNETES_SERVICE_PORT", "443");
    const auto error = [&] { return load_service_account(folder.path()).error_or(""); };
    CHECK(error() == folder.path("token") + ": No such file or directory");
    folder.write("token", "t");
    CHECK(error() == folder.path("ca.crt") + ": No such file or directory");
    folder.write("ca.crt", "");
    CHECK(error() == folder.path("ca.crt") + ": the file is empty");
    folder.write("ca.crt", "ca");
    CHECK(error().empty());
    SUBCASE("the port") {
      const Variable none("KUBERNETES_SERVICE_PORT", nullptr);
      CHECK(error() == "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not both set");
    }
    SUBCASE("sense") {
      const Variable odd("KUBERNETES_SERVICE_PORT", "tcp://1");
      CHECK(error() ==
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: \"https://10.96.0.1:tcp://1\" is not a "
            "server's URL: expected a port from 1 to 65535");
    }
  }
}

}  // namespace winnow::live::test
