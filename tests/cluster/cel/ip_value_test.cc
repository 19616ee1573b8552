#include "cluster/cel/ip_value.h"

#include <doctest/doctest.h>

#include <string>

namespace winnow::cel {
namespace {

IpValue ip(const char* text) {
  const auto parsed = IpValue::parse(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

CidrValue cidr(const char* text) {
  const auto parsed = CidrValue::parse(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

struct IpValueRow {
  const char* sentence;
  std::string text;
  std::string canonical;  ///< Empty where upstream gives an error.
};

/// The methods that are true, as letters: unspecified, loopback, multicast, link-local unicast, global.
std::string kinds(const IpValue& one) {
  std::string kinds;
  if (one.is_unspecified()) kinds += 'u';
  if (one.is_loopback()) kinds += 'l';
  if (one.is_link_local_multicast()) kinds += 'm';
  if (one.is_link_local_unicast()) kinds += 's';
  if (one.is_global_unicast()) kinds += 'g';
  return kinds;
}

}  // namespace

TEST_CASE("an address is read as Go's netip reads it") {
  const IpValueRow rows[] = {
      {"an IPv4 address", "192.168.0.1", "192.168.0.1"},
      {"an IPv6 address", "2001:db8::abcd", "2001:db8::abcd"},
      {"capitals become small", "2001:DB8::ABCD", "2001:db8::abcd"},
      {"the longest run of zeros is shortened", "1:0:0:2:0:0:0:3", "1:0:0:2::3"},
      {"of two runs the first is shortened", "1:0:0:2:3:0:0:4", "1::2:3:0:0:4"},
      {"a single zero is not shortened", "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
      {"leading zeros of a group go", "0001::0010", "1::10"},
      {"all zeros", "::", "::"},
      {"the :: at the start", "::1", "::1"},
      {"the :: at the end", "1::", "1::"},
      {"an IPv4 tail", "64:ff9b::1.2.3.4", "64:ff9b::102:304"},
      {"a full address with an IPv4 tail", "1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a"},
      {"a mapped address is an error", "::ffff:1.2.3.4", ""},
      {"a mapped address in groups is an error", "::ffff:102:304", ""},
      {"a zone is an error", "fe80::1%eth0", ""},
      {"an empty zone is an error", "fe80::1%", ""},
      {"a leading zero of an octet is an error", "10.01.0.1", ""},
      {"a zero octet is none", "10.0.0.1", "10.0.0.1"},
      {"an octet above 255 is an error", "1.2.3.256", ""},
      {"three octets are an error", "1.2.3", ""},
      {"five octets are an error", "1.2.3.4.5", ""},
      {"an empty octet is an error", "1..3.4", ""},
      {"a dot at the end is an error", "1.2.3.", ""},
      {"nine groups are an error", "1:2:3:4:5:6:7:8:9", ""},
      {"seven groups are an error", "1:2:3:4:5:6:7", ""},
      {"two :: are an error", "1::2::3", ""},
      {"a :: for no group is an error", "1:2:3:4::5:6:7:8", ""},
      {"a :: for one group is written out", "1:2:3::5:6:7:8", "1:2:3:0:5:6:7:8"},
      {"five digits of a group are an error", "12345::", ""},
      {"a single colon at the start is an error", ":1:2:3:4:5:6:7", ""},
      {"a colon at the end is an error", "1:2:3:4:5:6:7:", ""},
      {"a word is an error", "localhost", ""},
      {"nothing is an error", "", ""},
      {"an IPv4 tail that is too early is an error", "1:2:3:4:5:6.7.8.9", ""},
      {"an IPv4 tail too late is an error", "1:2:3:4:5:6:7:1.2.3.4", ""},
  };
  for (const IpValueRow& row : rows) {
    CAPTURE(row.sentence);
    CAPTURE(row.text);
    const auto parsed = IpValue::parse(row.text);
    REQUIRE(parsed.has_value() == !row.canonical.empty());
    if (parsed) CHECK(parsed->text() == row.canonical);
  }
}

TEST_CASE("an address knows what it is for") {
  struct Kinds {
    const char* text;
    std::string kinds;
  };
  const Kinds rows[] = {
      {"0.0.0.0", "u"},        {"::", "u"},       {"127.8.9.1", "l"}, {"::1", "l"},
      {"224.0.0.5", "m"},      {"224.0.1.1", ""}, {"ff02::1", "m"},   {"ff05::1", ""},
      {"169.254.1.1", "s"},    {"fe80::1", "s"},  {"febf::1", "s"},   {"fec0::1", "g"},
      {"255.255.255.255", ""}, {"10.0.0.1", "g"}, {"fd00::1", "g"},   {"2001:db8::1", "g"},
  };
  for (const Kinds& row : rows) {
    CAPTURE(row.text);
    CHECK(kinds(ip(row.text)) == row.kinds);
  }
  CHECK(ip("1.2.3.4").family() == 4);
  CHECK(ip("::4").family() == 6);
  CHECK(ip("1.2.3.4").size() == 4);
  CHECK(ip("::4").size() == 16);
  CHECK(ip("0.0.0.0") != ip("::"));
}

TEST_CASE("a network is read as Go's netip reads it") {
  const IpValueRow rows[] = {
      {"an IPv4 network", "10.0.0.0/8", "10.0.0.0/8"},
      {"the bits behind the prefix stay", "10.1.2.3/8", "10.1.2.3/8"},
      {"an IPv6 network", "2001:DB8::/32", "2001:db8::/32"},
      {"no prefix at all", "0.0.0.0/0", "0.0.0.0/0"},
      {"a prefix that is too long is an error", "10.0.0.0/33", ""},
      {"a prefix that is too long for IPv6 is an error", "::/129", ""},
      {"a prefix of many digits is an error", "10.0.0.0/4294967296", ""},
      {"a leading zero is an error", "10.0.0.0/08", ""},
      {"a sign is an error", "10.0.0.0/+8", ""},
      {"a negative prefix is an error", "10.0.0.0/-1", ""},
      {"no prefix is an error", "10.0.0.0/", ""},
      {"no slash is an error", "10.0.0.0", ""},
      {"a mapped address is an error", "::ffff:1.2.3.4/120", ""},
      {"a zone is an error", "fe80::1%a/64", ""},
      {"two slashes are an error", "10.0.0.0/8/8", ""},
  };
  for (const IpValueRow& row : rows) {
    CAPTURE(row.sentence);
    const auto parsed = CidrValue::parse(row.text);
    REQUIRE(parsed.has_value() == !row.canonical.empty());
    if (parsed) CHECK(parsed->text() == row.canonical);
  }
}

TEST_CASE("a network contains its addresses and smaller networks") {
  CHECK(cidr("10.1.0.0/16").contains(ip("10.1.255.255")));
  CHECK_FALSE(cidr("10.1.0.0/16").contains(ip("10.2.0.0")));
  CHECK_FALSE(cidr("0.0.0.0/0").contains(ip("::")));
  CHECK(cidr("10.1.2.3/16").contains(ip("10.1.0.0")));
  CHECK(cidr("2001:db8::/33").contains(ip("2001:db8:7fff::")));
  CHECK_FALSE(cidr("2001:db8::/33").contains(ip("2001:db8:8000::")));
  CHECK(cidr("10.0.0.0/8").contains(cidr("10.1.0.0/16")));
  CHECK(cidr("10.0.0.0/8").contains(cidr("10.0.0.0/8")));
  CHECK_FALSE(cidr("10.1.0.0/16").contains(cidr("10.0.0.0/8")));
  CHECK_FALSE(cidr("0.0.0.0/0").contains(cidr("::/0")));
  CHECK(cidr("10.1.2.3/16").masked() == cidr("10.1.0.0/16"));
  CHECK(cidr("10.1.2.3/16") != cidr("10.1.0.0/16"));
  CHECK(cidr("2001:db8:1::5/36").masked().text() == "2001:db8::/36");
  CHECK(cidr("10.1.2.3/16").ip() == ip("10.1.2.3"));
  CHECK(cidr("10.1.2.3/17").prefix_length() == 17);
  CHECK(cidr("10.1.2.3/17").size() == 3);
}

TEST_CASE("a host of a URL may have a zone") {
  CHECK(is_v6_with_zone("fe80::1%eth0"));
  CHECK(is_v6_with_zone("::1"));
  CHECK(is_v6_with_zone("::ffff:1.2.3.4"));
  CHECK_FALSE(is_v6_with_zone("::1%"));
  CHECK_FALSE(is_v6_with_zone("1.2.3.4"));
  CHECK_FALSE(is_v6_with_zone("%eth0"));
}

}  // namespace winnow::cel
