// The fields of objects that are kept for users' expressions.
#include "cluster/api/wanted_fields.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

void want(FieldsOf of, std::vector<std::string> pointers) { want_fields(of, pointers); }

}  // namespace

TEST_CASE("an object around a wanted field is kept, also where it lacks the field") {
  want(FieldsOf::kNodes, {"/metadata/labels/rare.example.com~1disk"});
  const auto kept = [](const char* json) { return decode<Node>(json).value().fields; };
  CHECK(kept(R"({"metadata":{"labels":{"rare.example.com/disk":"ssd","other":"x"}}})")
            .contains(R"("labels":{"rare.example.com/disk":"ssd")"));
  CHECK(kept(R"({"metadata":{"labels":{"other":"x"}}})").contains(R"("labels":{)"));
  CHECK_FALSE(kept(R"({"metadata":{"labels":null}})").contains("labels"));
  CHECK_FALSE(kept(R"({"spec":{}})").contains("metadata"));
}

TEST_CASE("a made pod has the fields of its template, and what its controller and admission add") {
  want(FieldsOf::kPods,
       {"/metadata/labels", "/metadata/name", "/metadata/namespace", "/metadata/annotations/a",
        "/metadata/ownerReferences", "/spec/hostname", "/spec/priority", "/spec/schedulerName"});
  Pod made = pod("web-7d-x2x9").in("shop").label("pod-template-hash", "7d").owner("ReplicaSet", "u");
  made.fields = R"({"metadata":{"labels":{"app":"web"},"annotations":{"a":"b"}},"spec":{"hostname":"h"}})";
  made.spec.priority = 7;
  made.spec.scheduler_name = "own";
  const std::string fields = fields_of_made(made);
  for (const char* const part :
       {R"("labels":{"app":"web","pod-template-hash":"7d"})", R"("name":"web-7d-x2x9")",
        R"("namespace":"shop")", R"("annotations":{"a":"b"})", R"("kind":"ReplicaSet")", R"("hostname":"h")",
        R"("priority":7)", R"("schedulerName":"own")"})
    CHECK_MESSAGE(fields.contains(part), fields);
  CHECK_FALSE(fields.contains("preemptionPolicy"));
  made.fields = "";
  CHECK(fields_of_made(made).contains(R"("labels":{"pod-template-hash":"7d"})"));
}

}  // namespace winnow::test
