// Who has nominated a waiting pod, by its managedFields.
#include <doctest/doctest.h>

#include "cluster/api/decode.h"

namespace winnow {
namespace {

std::string entry(const std::string& manager, const std::string& fields, const std::string& time = "") {
  return R"({"manager":")" + manager + R"(","operation":"Update","apiVersion":"v1","time":")" + time +
         R"(","fieldsType":"FieldsV1","fieldsV1":)" + fields + R"(,"subresource":"status"})";
}

std::string pod(const std::string& managed, const std::string& nominated, const std::string& node = "") {
  return R"({"metadata":{"name":"web","managedFields":)" + managed + R"(},"spec":{"nodeName":")" + node +
         R"("},"status":{"nominatedNodeName":")" + nominated + R"("}})";
}

TEST_CASE("the manager of a nomination is told while the pod waits") {
  const std::string nominates = R"({"f:status":{"f:conditions":{".":{}},"f:nominatedNodeName":{}}})";
  const std::string other = R"({"f:status":{"f:conditions":{".":{}}}})";
  const std::string created = R"({"f:spec":{"f:containers":{}},"f:metadata":{"f:labels":{}}})";
  struct Row {
    const char* what;
    std::string json;
    const char* manager;
  };
  const Row rows[] = {
      {"a nomination of kube-scheduler's",
       pod("[" + entry("kubectl", created) + "," + entry("kube-scheduler", nominates) + "]", "a"),
       "kube-scheduler"},
      {"one of ours, beside kube-scheduler's conditions",
       pod("[" + entry("winnow-nominator", nominates) + "," + entry("kube-scheduler", other) + "]", "a"),
       "winnow-nominator"},
      {"applied twice: the later one",
       pod("[" + entry("new", nominates, "2026-02-02T10:00:01Z") + "," +
               entry("old", nominates, "2026-02-02T10:00:00Z") + "]",
           "a"),
       "new"},
      {"nobody owns it", pod("[" + entry("kube-scheduler", other) + "]", "a"), ""},
      {"no managed fields", pod("[]", "a"), ""},
      {"none at all", pod("null", "a"), ""},
      {"elements without fields", pod(R"([null,{},{"manager":"x","fieldsV1":null}])", "a"), ""},
      {"not nominated", pod("[" + entry("kube-scheduler", nominates) + "]", ""), ""},
      {"bound, so nobody asks", pod("[" + entry("kube-scheduler", nominates) + "]", "a", "b"), ""},
      {"bound, so nobody looks", pod("7", "a", "b"), ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto decoded = decode_pod(row.json);
    REQUIRE_MESSAGE(decoded, decoded.error().message);
    CHECK(decoded->status.nominated_by == row.manager);
  }
}

TEST_CASE("when it was written is told where it is a time") {
  const std::string nominates = R"({"f:status":{"f:nominatedNodeName":{}}})";
  CHECK(
      decode_pod(pod("[" + entry("m", nominates, "1970-01-01T00:01:00Z") + "]", "a"))->status.nominated_at ==
      60);
  CHECK_FALSE(decode_pod(pod("[" + entry("m", nominates, "yesterday") + "]", "a"))->status.nominated_at);
  CHECK_FALSE(decode_pod(pod("[]", "a"))->status.nominated_at);
}

TEST_CASE("managed fields of a wrong type are an error where they are looked at") {
  const auto decoded = decode_pod(pod(R"([{"manager":7}])", "a"));
  REQUIRE_FALSE(decoded);
  CHECK(decoded.error().message == "metadata.managedFields[0].manager: 7 is not a string");
}

}  // namespace
}  // namespace winnow
