#include "cluster/client/access/server_url.h"

#include <doctest/doctest.h>

namespace winnow::live::test {

TEST_SUITE("live: server URLs") {
  TEST_CASE("what is read") {
    struct Row {
      const char* name;
      const char* text;
      bool tls;
      const char* host;
      int port;
      const char* path;
      const char* authority;
    };
    const Row rows[] = {
        {"an address and a port", "https://10.0.0.1:6443", true, "10.0.0.1", 6443, "", "10.0.0.1:6443"},
        {"https is 443", "https://api.example", true, "api.example", 443, "", "api.example:443"},
        {"http is 80", "http://localhost/", false, "localhost", 80, "", "localhost:80"},
        {"IPv6 in brackets", "https://[fd00::a]:6443", true, "fd00::a", 6443, "", "[fd00::a]:6443"},
        {"IPv6 without a port", "https://[::1]/x/", true, "::1", 443, "/x", "[::1]:443"},
        {"a path in front", "https://h:1/k8s/clusters/c-1//", true, "h", 1, "/k8s/clusters/c-1", "h:1"},
    };
    for (const Row& row : rows) {
      SUBCASE(row.name) {
        const auto url = parse_server_url(row.text);
        REQUIRE(url);
        CHECK(url->tls == row.tls);
        CHECK(url->host == row.host);
        CHECK(url->port == row.port);
        CHECK(url->path == row.path);
        CHECK(url->authority() == row.authority);
      }
    }
  }

  TEST_CASE("an error is one line, and shows the start of a long text") {
    CHECK(parse_server_url("a\nb\x7f").error() ==
          R"("a\nb\x7f" is not a server's URL: it must begin with https:// or http://)");
    CHECK(parse_server_url(std::string(100'000, 'x')).error().size() < 400);
  }

  TEST_CASE("an address with a zero byte is none") {
    CHECK_FALSE(parse_server_url(std::string_view("https://[::1\0]:1", 16)));
    CHECK_FALSE(is_ip_address(std::string("127.0.0.1\0.example", 18)));
    CHECK_FALSE(is_loopback(std::string("127.0.0.1\0.example", 18)));
  }

  TEST_CASE("what is not, and why") {
    const char* rows[][2] = {
        {"10.0.0.1:6443", "it must begin with https:// or http://"},
        {"", "it must begin with https:// or http://"},
        {"https://", "expected a host name or an address, IPv6 in brackets"},
        {"https://fd00::a:6443", "expected a port from 1 to 65535"},
        {"https://[fd00::a:6443", "expected a host name or an address, IPv6 in brackets"},
        {"https://[host]:6443", "expected a host name or an address, IPv6 in brackets"},
        {"https://h:0", "expected a port from 1 to 65535"},
        {"https://h:65536", "expected a port from 1 to 65535"},
        {"https://h:1x", "unexpected text after the host and port"},
        {"https://h/?a=b", "no query, no fragment and nothing to be escaped may be in its path"},
        {"https://h/a b", "no query, no fragment and nothing to be escaped may be in its path"},
    };
    for (const auto& [text, why] : rows) {
      CAPTURE(text);
      const auto url = parse_server_url(text);
      REQUIRE_FALSE(url);
      CHECK(url.error() == std::string("\"") + text + "\" is not a server's URL: " + why);
    }
  }

  TEST_CASE("a password in it is not repeated") {
    const char* rows[][2] = {
        {"https://user@host:6443", "https://host:6443"},
        {"https://me:secret@host:6443/x", "https://host:6443/x"},
        {"https://me:sec/re@t@host", "https://host"},
        {"me:secret@host", "host"},
    };
    for (const auto& [text, shown] : rows) {
      CAPTURE(text);
      const auto url = parse_server_url(text);
      REQUIRE_FALSE(url);
      CHECK(url.error().starts_with("\"" + std::string(shown) + "\" is not a server's URL: "));
    }
    CHECK(
        parse_server_url("https://me:secret@host").error().ends_with("no user and no password may be in it"));
  }
}

}  // namespace winnow::live::test
