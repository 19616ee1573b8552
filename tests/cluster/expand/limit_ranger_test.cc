// Rows after upstream's plugin/pkg/admission/limitranger/admission_test.go v1.37.0, TestPodLimitFunc.
#include <doctest/doctest.h>

#include <string>

#include "cluster/admission/defaults.h"
#include "cluster/api/decode.h"
#include "cluster/api/storage.h"
#include "cluster/expand/admission.h"

namespace winnow::test {
namespace {

LimitRange range(const std::string& item) {
  auto made = decode<LimitRange>(R"({"metadata":{"name":"l"},"spec":{"limits":[{)" + item + "}]}}");
  REQUIRE_MESSAGE(made.has_value(), item);
  return std::move(*made);
}

/// A pod of equal containers. @param resources  of each.
Pod pod_of(int containers, const std::string& resources, const std::string& more = "") {
  std::string list;
  for (int i = 0; i < containers; ++i)
    list += std::string(list.empty() ? "" : ",") + R"({"name":"c","resources":{)" + resources + "}}";
  auto made = decode_pod(R"({"metadata":{"name":"p"},"spec":{"containers":[)" + list + "]" + more + "}}");
  REQUIRE_MESSAGE(made.has_value(), resources);
  return std::move(*made);
}

TEST_SUITE("limit ranger") {
  TEST_CASE("what a LimitRange forbids a pod") {
    struct Row {
      const char* sentence;
      const char* item;
      int containers;
      const char* resources;
      const char* more;  ///< Of the pod's spec.
      const char* error;
    };
    const char* const kSidecar =
        R"(,"initContainers":[{"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"1500m"}}}])";
    const char* const kInit =
        R"(,"initContainers":[{"name":"i","resources":{"requests":{"memory":"100Mi"}}}])";
    const Row rows[] = {
        {"the least of a container is met", R"("type":"Container","min":{"cpu":"50m"})", 1,
         R"("requests":{"cpu":"100m"})", "", ""},
        {"by the limit too", R"("type":"Container","min":{"cpu":"50m"})", 1,
         R"("requests":{"cpu":"100m"},"limits":{"cpu":"200m"})", "", ""},
        {"no request", R"("type":"Container","min":{"cpu":"50m"})", 1, R"("limits":{"cpu":"1"})", "",
         "minimum cpu usage per Container is 50m.  No request is specified"},
        {"too small a request", R"("type":"Container","min":{"cpu":"50m"})", 1, R"("requests":{"cpu":"40m"})",
         "", "minimum cpu usage per Container is 50m, but request is 40m"},
        {"too small a limit", R"("type":"Container","min":{"cpu":"50m"})", 1,
         R"("requests":{"cpu":"60m"},"limits":{"cpu":"40m"})", "",
         "minimum cpu usage per Container is 50m, but limit is 40m"},
        {"two containers say it once", R"("type":"Container","min":{"memory":"50Mi"})", 2,
         R"("requests":{"memory":"40Mi"})", "",
         "minimum memory usage per Container is 50Mi, but request is 40Mi"},
        {"the most is met", R"("type":"Container","max":{"cpu":"2"})", 1,
         R"("requests":{"cpu":"500m"},"limits":{"cpu":"1"})", "", ""},
        {"without a request", R"("type":"Container","max":{"cpu":"2"})", 1, R"("limits":{"cpu":"1"})", "",
         ""},
        {"no limit", R"("type":"Container","max":{"cpu":"2"})", 1, R"("requests":{"cpu":"1"})", "",
         "maximum cpu usage per Container is 2.  No limit is specified"},
        {"too large a limit", R"("type":"Container","max":{"cpu":"1"})", 1, R"("limits":{"cpu":"2500m"})", "",
         "maximum cpu usage per Container is 1, but limit is 2500m"},
        {"a thousandth too large", R"("type":"Container","max":{"cpu":"1"})", 1,
         R"("limits":{"cpu":"1001m"})", "", "maximum cpu usage per Container is 1, but limit is 1001m"},
        {"the ratio is met", R"("type":"Container","maxLimitRequestRatio":{"cpu":"1.5"})", 1,
         R"("requests":{"cpu":"500m"},"limits":{"cpu":"750m"})", "", ""},
        {"too large a ratio", R"("type":"Container","maxLimitRequestRatio":{"cpu":"8"})", 1,
         R"("requests":{"cpu":"1250m"},"limits":{"cpu":"20"})", "",
         "cpu max limit to request ratio per Container is 8, but provided ratio is 16.000000"},
        {"a ratio to nothing", R"("type":"Container","maxLimitRequestRatio":{"cpu":"2"})", 1,
         R"("requests":{"cpu":"0"},"limits":{"cpu":"1"})", "",
         "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"},
        {"a ratio of nothing", R"("type":"Container","maxLimitRequestRatio":{"cpu":"2"})", 1,
         R"("requests":{"cpu":"1"})", "",
         "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"},
        {"several errors", R"("type":"Container","min":{"cpu":"1","memory":"1Gi"})", 1, R"("requests":{})",
         "",
         "[minimum cpu usage per Container is 1.  No request is specified, minimum memory usage per "
         "Container is "
         "1Gi.  No request is specified]"},
        {"an init container", R"("type":"Container","max":{"memory":"50Mi"})", 0, "", kInit,
         "maximum memory usage per Container is 50Mi.  No limit is specified"},
        {"containers of a pod together", R"("type":"Pod","min":{"cpu":"100m"})", 2,
         R"("requests":{"cpu":"75m"})", "", ""},
        {"too little together", R"("type":"Pod","min":{"memory":"100Mi"})", 1,
         R"("requests":{"memory":"60Mi"})", "", "minimum memory usage per Pod is 100Mi, but request is 60Mi"},
        {"an init container counts where it is larger", R"("type":"Pod","min":{"memory":"100Mi"})", 1,
         R"("requests":{"memory":"60Mi"})", kInit, ""},
        {"too much together", R"("type":"Pod","max":{"cpu":"2"})", 3, R"("limits":{"cpu":"1"})", "",
         "maximum cpu usage per Pod is 2, but limit is 3"},
        {"a sidecar counts beside the containers", R"("type":"Pod","max":{"cpu":"2"})", 1,
         R"("requests":{"cpu":"1"},"limits":{"cpu":"1500m"})", kSidecar,
         "maximum cpu usage per Pod is 2, but request is 2500m"},
        {"the ratio of a pod", R"("type":"Pod","maxLimitRequestRatio":{"memory":"1.5"})", 3,
         R"("requests":{"memory":"250Mi"},"limits":{"memory":"500Mi"})", "",
         "memory max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000"},
        {"pod-level limits replace", R"("type":"Pod","max":{"cpu":"400m","memory":"200Mi"})", 3,
         R"("limits":{"cpu":"200m","memory":"100Mi"})",
         R"(,"resources":{"limits":{"cpu":"400m","memory":"200Mi"}})", ""},
        {"too large a pod-level limit", R"("type":"Pod","max":{"cpu":"400m"})", 3,
         R"("limits":{"cpu":"100m"})", R"(,"resources":{"limits":{"cpu":"500m"}})",
         "maximum cpu usage per Pod is 400m, but limit is 500m"},
        {"overhead does not count", R"("type":"Pod","max":{"cpu":"1"})", 1,
         R"("requests":{"cpu":"1"},"limits":{"cpu":"1"})", R"(,"overhead":{"cpu":"1"})", ""},
        {"another type limits nothing", R"("type":"example.com/Image","max":{"cpu":"1"})", 1,
         R"("limits":{"cpu":"2"})", "", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(limit_errors(range(row.item), pod_of(row.containers, row.resources, row.more)) == row.error);
    }
  }

  TEST_CASE("the defaults of containers") {
    struct Row {
      const char* sentence;
      const char* item;
      const char* written;
      const char* stored;
    };
    const Row rows[] = {
        {"what is missing", R"("type":"Container","default":{"cpu":"75m"},"defaultRequest":{"cpu":"50m"})",
         "", R"("limits":{"cpu":"75m"},"requests":{"cpu":"50m"})"},
        {"what is there stays",
         R"("type":"Container","default":{"cpu":"75m"},"defaultRequest":{"cpu":"50m"})",
         R"("limits":{"cpu":"1"},"requests":{"cpu":"0"})", R"("limits":{"cpu":"1"},"requests":{"cpu":"0"})"},
        {"a default limit is the default request", R"("type":"Container","default":{"cpu":"75m"})", "",
         R"("limits":{"cpu":"75m"},"requests":{"cpu":"75m"})"},
        {"a maximum is the default limit", R"("type":"Container","max":{"cpu":"2"})", "",
         R"("limits":{"cpu":"2"},"requests":{"cpu":"2"})"},
        {"a minimum is the default request", R"("type":"Container","min":{"cpu":"2m"})", "",
         R"("requests":{"cpu":"2m"})"},
        {"not of pods", R"("type":"Pod","max":{"cpu":"2"},"min":{"cpu":"1"})", "", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      LimitRange limits = range(row.item);
      set_defaults(limits);
      const auto both = [](const std::string& resources) {
        return pod_of(1, resources, R"(,"initContainers":[{"name":"i","resources":{)" + resources + "}}]");
      };
      Pod pod = both(row.written);
      set_default_resources(limits, pod);
      CHECK((pod == both(row.stored)));
    }
  }

  TEST_CASE("what a LimitRange forbids a claim") {
    struct Row {
      const char* sentence;
      const char* item;
      const char* requests;
      const char* error;
    };
    const Row rows[] = {
        {"enough", R"("type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"5Gi"})",
         R"("storage":"2Gi")", ""},
        {"too little", R"("type":"PersistentVolumeClaim","min":{"storage":"1Gi"})", R"("storage":"500Mi")",
         "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi"},
        {"too much", R"("type":"PersistentVolumeClaim","max":{"storage":"1Gi"})", R"("storage":"2Gi")",
         "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi"},
        {"nothing", R"("type":"PersistentVolumeClaim","max":{"storage":"1Gi"})", "",
         "maximum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified"},
        {"of containers", R"("type":"Container","max":{"storage":"1Gi"})", R"("storage":"2Gi")", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto claim = decode<PersistentVolumeClaim>(
          std::string(R"({"metadata":{"name":"c"},"spec":{"resources":{"requests":{)") + row.requests +
          "}}}}");
      CHECK(limit_errors(range(row.item), claim.value()) == row.error);
    }
  }
}

}  // namespace
}  // namespace winnow::test
