#include "cluster/api/resource_name.h"

#include <doctest/doctest.h>

#include <string>

namespace winnow {

TEST_CASE("a resource's name says what it is") {
  struct Row {
    const char* sentence;
    std::string name;
    bool extended;
    bool scalar;
  };
  const Row rows[] = {
      {"cpu is native and not a scalar", "cpu", false, false},
      {"a name of one's own domain is extended", "example.com/gpu", true, true},
      {"huge pages are scalars", "hugepages-2Mi", false, true},
      {"attachable volumes are scalars", "attachable-volumes-aws-ebs", false, true},
      {"what has kubernetes.io/ in it is prefixed native", "kubernetes.io/batch-cpu", false, true},
      {"anywhere in it", "scheduling.kubernetes.io/foo", false, true},
      {"even behind another word", "notkubernetes.io/foo", false, true},
      {"requests. belongs to quotas", "requests.example.com/gpu", false, false},
      {"a name that is not qualified is nothing", "example.com/", false, false},
      {"upper case in the domain is not qualified", "Example.com/gpu", false, false},
      {"two slashes are not qualified", "example.com/a/b", false, false},
      {"the prefix may have 253 characters with requests.", std::string(244, 'a') + "/x", true, true},
      {"and not one more", std::string(245, 'a') + "/x", false, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.sentence);
    CHECK(is_extended_resource(row.name) == row.extended);
    CHECK(is_scalar_resource(row.name) == row.scalar);
  }
  CHECK(is_hugepage("hugepages-1Gi"));
  CHECK_FALSE(is_hugepage("my/hugepages-1Gi"));
  CHECK(is_attachable_volume("attachable-volumes-csi-x"));
  CHECK(is_prefixed_native("kubernetes.io/x"));
  CHECK(is_native_resource("memory"));
}

}  // namespace winnow
