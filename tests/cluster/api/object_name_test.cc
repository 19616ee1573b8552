// Names of objects against upstream's rules.
#include <doctest/doctest.h>

#include <string>

#include "cluster/api/names.h"

namespace winnow {
namespace {

TEST_CASE("names of pods and nodes are DNS subdomains") {
  for (const char* name : {"a", "0", "web-0", "a.b", "10.0.0.1", "ip-10-0-0-1.eu-west-1.compute.internal"})
    CHECK(object_name_errors(name) == "");
  for (const char* name : {"", ".", "..", "a.", ".a", "a..b", "-a", "a-", "a.-b", "A", "a_b", "a/b", "a b",
                           "ä", "a\nb", "%2e%2e", "../../nodes"})
    CHECK(object_name_errors(name).starts_with("a lowercase RFC 1123 subdomain must consist of"));
  CHECK(object_name_errors(std::string("a\0b", 3)) != "");
  CHECK(object_name_errors(std::string(253, 'a')) == "");
  CHECK(object_name_errors(std::string(254, 'a')) == "must be no more than 253 bytes");
  CHECK(object_name_errors(std::string(254, 'A')).starts_with("must be no more than 253 bytes; a lowercase"));
}

TEST_CASE("names of namespaces are DNS labels") {
  for (const char* name : {"default", "kube-system", "0"}) CHECK(namespace_name_errors(name) == "");
  for (const char* name : {"", "a.b", "..", "A", "-a", "a/b"})
    CHECK(namespace_name_errors(name).starts_with("a lowercase RFC 1123 label must consist of"));
  CHECK(namespace_name_errors(std::string(63, 'a')) == "");
  CHECK(namespace_name_errors(std::string(64, 'a')) == "must be no more than 63 bytes");
}

}  // namespace
}  // namespace winnow
