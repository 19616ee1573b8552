#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/api/decode.h"

namespace winnow {
namespace {

using Texts = std::vector<std::string>;

/// A good pod, with these fields before its own ones.
std::string pod_json(const std::string& spec, const std::string& metadata = "") {
  return R"({"metadata":{"name":"p","namespace":"shop")" + metadata + R"(},"spec":{)" + spec +
         (spec.contains(R"("containers")") ? "" : R"("containers":[{"name":"c","image":"i"}])") + "}}";
}

std::vector<FieldError> errors_of(const std::string& json) {
  auto pod = decode<Pod>(json);
  REQUIRE_MESSAGE(pod.has_value(), json);
  return admit(*pod);
}

TEST_CASE("fields that the API server would refuse") {
  struct Row {
    const char* sentence;
    std::string json;
    Texts errors;
  };
  const std::string containers = R"("containers":[{"name":"c","image":"i",)";
  const Row rows[] = {
      {"nothing of a good pod", pod_json(""), {}},
      {"a request above the limit",
       pod_json(containers + R"("resources":{"limits":{"cpu":"1"},"requests":{"cpu":"2"}}}])"),
       {R"(spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1)"}},
      {"an amount below 0",
       pod_json(containers + R"("resources":{"requests":{"memory":"-1"}}}])"),
       {R"(spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0)"}},
      {"half a device",
       pod_json(containers + R"("resources":{"limits":{"example.com/gpu":"500m"}}}])"),
       {R"(spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer)",
        R"(spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer)"}},
      {"a device without a limit",
       pod_json(containers + R"("resources":{"requests":{"example.com/gpu":"1"}}}])"),
       {"spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable "
        "resources"}},
      {"huge pages alone",
       pod_json(containers + R"("resources":{"limits":{"hugepages-2Mi":"4Mi"}}}])"),
       {"spec.containers[0].resources: Forbidden: HugePages require cpu or memory"}},
      {"a port beyond, and an unknown protocol",
       pod_json(containers + R"("ports":[{"containerPort":80,"hostPort":70000,"protocol":"tcp"}]}])"),
       {"spec.containers[0].ports[0].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        R"(spec.containers[0].ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP")"}},
      {"one host port twice",
       pod_json(containers +
                R"("ports":[{"containerPort":80,"hostPort":8},{"containerPort":81,"hostPort":8}]}])"),
       {R"(spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//8")"}},
      {"no containers", pod_json(R"("containers":[])"), {"spec.containers: Required value"}},
      {"a toleration of no operator that is known",
       pod_json(R"("tolerations":[{"key":"a","operator":"Gt","value":"1"}],)"),
       {R"(spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists")"}},
      {"seconds without NoExecute",
       pod_json(R"("tolerations":[{"operator":"Exists","effect":"NoSchedule","tolerationSeconds":1}],)"),
       {R"(spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when )"
        "`tolerationSeconds` is set"}},
      {"a weight beyond, and a number of values that Gt does not take",
       pod_json(
           R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,)"
           R"("preference":{"matchExpressions":[{"key":"a","operator":"Gt"}]}}]}},)"),
       {"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid "
        "value: 101: "
        "must be in the range 1-100",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
        "matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' "
        "or 'Gt'"}},
      {"an affinity without a topologyKey",
       pod_json(R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{}]}},)"),
       {"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
        "Required "
        "value: can not be empty"}},
      {"a constraint without maxSkew",
       pod_json(R"("topologySpreadConstraints":[{"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}],)"),
       {"spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"}},
      {"minDomains of a constraint that is soft",
       pod_json(
           R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway",)"
           R"("minDomains":2}],)"),
       {"spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if "
        "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"}},
      {"a gate and a node",
       pod_json(R"("nodeName":"n","schedulingGates":[{"name":"g"}],)"),
       {"spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"}},
      {"but a pod with a UID has been created before",
       pod_json(R"("nodeName":"n","schedulingGates":[{"name":"g"}],)", R"(,"uid":"u")"),
       {}},
      {"a pod-level request below that of its container",
       pod_json(R"("resources":{"requests":{"cpu":"1"}},)" + containers +
                R"("resources":{"requests":{"cpu":"2"}}}])"),
       {R"(spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container )"
        "requests of 2"}},
      {"a volume twice",
       pod_json(R"("volumes":[{"name":"v"},{"name":"v"}],)"),
       {R"(spec.volumes[1].name: Duplicate value: "v")"}},
      {"claims of devices: names, and one source each",
       pod_json(
           R"("resourceClaims":[{"name":"a","resourceClaimName":"b"},{"name":"a","resourceClaimName":"b"},)"
           R"({"resourceClaimTemplateName":"t"},{"name":"b_"},{"name":"c","resourceClaimName":"b",)"
           R"("resourceClaimTemplateName":"T"}],)"),
       {R"(spec.resourceClaims[1].name: Duplicate value: "a")", "spec.resourceClaims[2].name: Required value",
        R"(spec.resourceClaims[3].name: Invalid value: "b_": a lowercase RFC 1123 label must consist of lower case )"
        "alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. "
        "'my-name',  or "
        "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        R"(spec.resourceClaims[3]: Invalid value: {"Name":"b_","ResourceClaimName":null,)"
        R"("ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`)",
        R"(spec.resourceClaims[4]: Invalid value: {"Name":"c","ResourceClaimName":"b",)"
        R"("ResourceClaimTemplateName":"T"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be )"
        "specified",
        R"(spec.resourceClaims[4].resourceClaimTemplateName: Invalid value: "T": a lowercase RFC 1123 subdomain must )"
        "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
        "alphanumeric "
        "character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}},
      {"a key in matchLabelKeys and in the selector",
       pod_json(
           R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule",)"
           R"("matchLabelKeys":["app"],"labelSelector":{"matchLabels":{"app":"web"}}}],)",
           R"(,"labels":{"app":"web"})"),
       {R"(spec.topologySpreadConstraints[0][0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector)"}},
      {"two controllers",
       pod_json(
           "", R"(,"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},)"
               R"({"apiVersion":"v1","kind":"B","name":"b","uid":"2","controller":true}])"),
       {R"(metadata.ownerReferences: Invalid value: "b": Only one reference can have Controller set to true. Found )"
        R"("true" in references for A/a and B/b)"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Texts texts;
    for (const FieldError& error : errors_of(row.json)) {
      CHECK(error.text.starts_with(error.path + ": "));
      texts.push_back(error.text);
    }
    CHECK(texts == row.errors);
  }
}

TEST_CASE("the errors of a pod are bounded") {
  std::string gates;
  for (int i = 0; i < 1000; ++i) gates += R"({"name":"bad name"},)";
  gates.pop_back();
  CHECK(errors_of(pod_json(R"("schedulingGates":[)" + gates + "],")).size() == FieldErrors::kMost);
  const std::string long_value(100'000, '!');
  const auto errors = errors_of(pod_json(R"("nodeSelector":{"a":")" + long_value + R"("},)"));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].text.size() < 2000);
}

}  // namespace
}  // namespace winnow
