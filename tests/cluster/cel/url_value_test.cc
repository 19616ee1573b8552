#include "cluster/cel/url_value.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace winnow::cel {
namespace {

UrlValue url(const std::string& text) {
  const auto parsed = UrlValue::parse(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

using Parameters = std::map<std::string, std::vector<std::string>>;

}  // namespace

TEST_CASE("a URL tells its parts") {
  struct UrlValueRow {
    const char* sentence;
    std::string text;
    std::string scheme, host, hostname, port, path;
  };
  const UrlValueRow rows[] = {
      {"a full one", "https://user:pw@example.com:80/a/b?q=1#f", "https", "example.com:80", "example.com",
       "80", "/a/b"},
      {"the scheme is in lower case", "HTTPS://Example.com/", "https", "Example.com", "Example.com", "", "/"},
      {"a path alone", "/path/x", "", "", "", "", "/path/x"},
      {"a path with two slashes has no host", "//host/path", "", "host", "host", "", "/path"},
      {"an IPv6 host", "https://[::1]:80/", "https", "[::1]:80", "::1", "80", "/"},
      {"a zone is unescaped", "https://[fe80::1%25eth0]/", "https", "[fe80::1%eth0]", "fe80::1%eth0", "",
       "/"},
      {"an empty port", "http://h:/", "http", "h:", "h", "", "/"},
      {"an opaque URL has no parts", "mailto:a@b.c", "mailto", "", "", "", ""},
      {"an escape stays as written", "http://h/a%2Fb", "http", "h", "h", "", "/a%2Fb"},
      {"what needs an escape gets one", "http://h/a b\"c", "http", "h", "h", "", "/a%20b%22c"},
      {"a valid path stays as written", "http://h/a(b)!", "http", "h", "h", "", "/a(b)!"},
      {"a host may be escaped beyond ASCII", "http://%E4%B8%AD/", "http", "\xE4\xB8\xAD", "\xE4\xB8\xAD", "",
       "/"},
      {"many colons are a host of other schemes", "x://a:b:80/", "x", "a:b:80", "a:b", "80", "/"},
      {"the fragment is no part of the path", "http://h/p#f", "http", "h", "h", "", "/p"},
      {"a star is a path", "*", "", "", "", "", "*"},
  };
  for (const UrlValueRow& row : rows) {
    CAPTURE(row.sentence);
    const UrlValue parsed = url(row.text);
    CHECK(UrlValue::is_url(row.text));
    CHECK(parsed.scheme() == row.scheme);
    CHECK(parsed.host() == row.host);
    CHECK(parsed.hostname() == row.hostname);
    CHECK(parsed.port() == row.port);
    CHECK(parsed.escaped_path() == row.path);
  }
}

TEST_CASE("what Go refuses is no URL") {
  struct UrlValueRow {
    const char* sentence;
    std::string text;
  };
  const UrlValueRow rows[] = {
      {"nothing", ""},
      {"a relative path", "../relative-path"},
      {"a word", "word"},
      {"no scheme before the colon", ":80"},
      {"a scheme that begins with a digit", "1http://h"},
      {"a control character", "http://h/\n"},
      {"a broken escape", "http://h/%zz"},
      {"a short escape", "http://h/%2"},
      {"an escape of ASCII in the host", "http://%41/"},
      {"a blank in the host", "http://a b/"},
      {"a port of letters", "http://h:port/"},
      {"a second colon of http", "http://a:1:2/"},
      {"an IPv6 address without brackets", "http://::1/"},
      {"a bracket that is not closed", "http://[::1/"},
      {"an IPv4 address in brackets", "http://[1.2.3.4]/"},
      {"text before the brackets", "http://x[::1]/"},
      {"a letter behind the brackets", "http://[::1]x/"},
      {"a user with a blank", "http://a b@h/"},
  };
  for (const UrlValueRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK_FALSE(UrlValue::is_url(row.text));
    CHECK_FALSE(UrlValue::parse(row.text).has_value());
  }
}

TEST_CASE("the reason is told in Go's words") {
  CHECK(UrlValue::why_not("a.b.c") == "parse \"a.b.c\": invalid URI for request");
  CHECK(UrlValue::why_not("http://h:port/") == "parse \"http://h:port/\": invalid port \":port\" after host");
  CHECK_FALSE(UrlValue::why_not("http://h/").has_value());
}

TEST_CASE("parameters are collected by name") {
  CHECK(url("http://h/?a=1&b=2&a=3").query() == Parameters{{"a", {"1", "3"}}, {"b", {"2"}}});
  CHECK(url("http://h/?a=x%20y+z").query() == Parameters{{"a", {"x y z"}}});
  CHECK(url("http://h/?a&b=&=c").query() == Parameters{{"", {"c"}}, {"a", {""}}, {"b", {""}}});
  CHECK(url("http://h/?a;b=1&c=%zz&d=4&&").query() == Parameters{{"d", {"4"}}});
  CHECK(url("http://h/?").query().empty());
  CHECK(url("http://h/#?a=1").query().empty());
}

TEST_CASE("URLs are equal if their texts are") {
  CHECK(url("HTTP://h/a") == url("http://h/a"));
  CHECK(url("http://H/") != url("http://h/"));
  CHECK(url("http://h/%41").text() == "http://h/%41");
  CHECK(url("http://h?").text() == "http://h?");
  CHECK(url("x:/path").text() == "x:/path");
  CHECK(url("x:///path").text() == "x:///path");
  CHECK(url("http://u:p%40@h/").text() == "http://u:p%40@h/");
  CHECK(url("https://[fe80::1%25eth0]/").text() == "https://[fe80::1%25eth0]/");
  CHECK(url("http://h/p#a b").text() == "http://h/p#a%20b");
  CHECK(url("http://h/p#").text() == "http://h/p");
  CHECK(url("mailto:a@b").text() == "mailto:a@b");
}

TEST_CASE("a fragment that cannot be unescaped is found at the second reading") {
  CHECK_FALSE(UrlValue::is_url("http://h/p#%zz"));
  CHECK_FALSE(UrlValue::parse("http://h/?q#%zz").has_value());
  CHECK(UrlValue::is_url("http://h/?q#%zz"));
}

}  // namespace winnow::cel
