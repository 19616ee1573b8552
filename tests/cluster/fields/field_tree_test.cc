// Which fields of an object are kept for expressions, and the values that they have.
#include "cluster/fields/field_tree.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/wanted_fields.h"
#include "cluster/cel/value.h"
#include "cluster/fields/v1_types.h"

namespace winnow {
namespace {

/// The value at the keys, as text; "" where there is none.
std::string value_at(const FieldTree& tree, const FieldPath& path) {
  cel::Value value = cel::Value::borrowed_map(&tree.root());
  for (const std::string& key : path) {
    if (!value.is(cel::Kind::kMap)) return "";
    auto next = value.as_map().find(cel::Value::borrowed(key));
    if (!next) return "";
    value = *std::move(next);
  }
  return cel::describe(value);
}

}  // namespace

TEST_CASE("a pointer is the keys of a field, and back") {
  const FieldPath path = {"metadata", "annotations", "example.com/a~b", ""};
  CHECK(pointer_of(path) == "/metadata/annotations/example.com~1a~0b/");
  CHECK(path_of(pointer_of(path)) == path);
  CHECK(path_of("").empty());
}

TEST_CASE("what is inside another field is not listed twice") {
  CHECK(least_fields({"/spec/a/b", "/spec/ab", "/spec/a", "/spec/a"}) ==
        std::vector<std::string>{"/spec/a", "/spec/ab"});
}

TEST_CASE("decoders keep the wanted fields, and those alone") {
  const std::vector<std::string> of_pods = {"/metadata/annotations/field-tree~1test", "/spec/dnsPolicy"};
  want_fields(FieldsOf::kPods, of_pods);
  const auto pod =
      decode<Pod>(R"({"metadata":{"name":"p","annotations":{"field-tree/test":"x","other":"y"}},)"
                  R"("spec":{"dnsPolicy":"Default","containers":[]}})");
  REQUIRE(pod);
  CHECK(pod->fields.contains(R"("field-tree/test":"x")"));
  CHECK(pod->fields.contains(R"("dnsPolicy":"Default")"));
  CHECK_FALSE(pod->fields.contains("other"));
  const auto bare = decode<Pod>(R"({"metadata":{"name":"p"}})");
  REQUIRE(bare);
  CHECK_FALSE(bare->fields.contains("field-tree"));
  const auto empty = decode<Pod>(R"({"metadata":{"name":"p","annotations":{}},"spec":{"containers":[]}})");
  REQUIRE(empty);
  // has() can say that they are there, and are empty.
  CHECK(value_at(*FieldTree::read(FieldsOf::kPods, empty->fields), {"metadata", "annotations"}) == "{}");
  CHECK(value_at(*FieldTree::read(FieldsOf::kPods, empty->fields), {"spec"}) == "{}");
}

TEST_CASE("values have the types of v1") {
  const auto tree = FieldTree::read(
      FieldsOf::kNodes,
      R"({"metadata":{"labels":{"b":"2","a":"1"},"creationTimestamp":"2026-01-02T03:04:05Z","generation":7},)"
      R"("spec":{"unschedulable":true,"taints":[{"key":"k","effect":"NoSchedule","value":null}]},)"
      R"("status":{"capacity":{"cpu":"1500m","memory":"1Ki","example.com/x":2}}})");
  CHECK(value_at(*tree, {"metadata", "labels"}) == R"({"a": "1", "b": "2"})");
  CHECK(value_at(*tree, {"metadata", "generation"}) == "7");
  CHECK(value_at(*tree, {"metadata", "creationTimestamp"}) == R"(timestamp("2026-01-02T03:04:05Z"))");
  CHECK(value_at(*tree, {"spec", "unschedulable"}) == "true");
  CHECK(value_at(*tree, {"spec", "taints"}) == R"([{"effect": "NoSchedule", "key": "k"}])");
  CHECK(value_at(*tree, {"status", "capacity", "cpu"}) == "1.5");
  CHECK(value_at(*tree, {"status", "capacity", "memory"}) == "1024.0");
  CHECK(value_at(*tree, {"status", "capacity", "example.com/x"}) == "2.0");
  CHECK(value_at(*tree, {"status", "conditions"}) == "");
  const auto pod = FieldTree::read(
      FieldsOf::kPods,
      R"({"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":1,"memory":"2Gi"}}}]}})");
  CHECK(value_at(*pod, {"spec", "containers"}) ==
        R"([{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}])");
  CHECK(FieldTree::read(FieldsOf::kPods, "")->root().size() == 0);
  CHECK(FieldTree::read(FieldsOf::kPods, "not JSON")->root().size() == 0);
}

TEST_CASE("the types of v1 are known by object and field") {
  CHECK(find_v1_field("PodSpec", "containers")->object == "Container");
  CHECK(find_v1_field("PodSpec", "containers")->shape == V1Type::Shape::kList);
  CHECK(find_v1_field("ObjectMeta", "labels")->shape == V1Type::Shape::kMap);
  CHECK(find_v1_field("ResourceRequirements", "requests")->kind == V1Type::Kind::kQuantity);
  CHECK_FALSE(find_v1_field("PodSpec", "container"));
  CHECK_FALSE(find_v1_field("ObjectMeta", "managedFields"));
}

}  // namespace winnow
