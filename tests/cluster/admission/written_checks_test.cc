// What the API server would refuse of volumes' sources, mounts, probes, handlers and environments.
#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

using Texts = std::vector<std::string>;

/// The errors of a pod with this spec.
Texts written_texts(const std::string& spec, const std::vector<std::string>& more_volumes = {}) {
  const auto document = load_document(R"({"spec":{)" + spec + "}}");
  REQUIRE_MESSAGE(document.has_value(), spec);
  std::string error;
  Texts texts;
  for (const FieldError& one : written_errors(Reader(document->root(), nullptr, error), more_volumes))
    texts.push_back(one.text);
  CHECK(error.empty());
  return texts;
}

std::string with_container(const std::string& fields) {
  return R"("containers":[{"name":"c","image":"i",)" + fields + "}]";
}

struct Row {
  const char* sentence;
  std::string spec;
  Texts errors;
};

void check_rows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(written_texts(row.spec) == row.errors);
  }
}

TEST_SUITE("written checks") {
  TEST_CASE("the sources of volumes") {
    const Row rows[] = {
        {"none is an emptyDir", R"("volumes":[{"name":"v"}])", {}},
        {"two",
         R"("volumes":[{"name":"v","emptyDir":{},"secret":{"secretName":"s"}}])",
         {"spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type"}},
        {"three, under upstream's names",
         R"("volumes":[{"name":"v","csi":{},"cephfs":{},"hostPath":{"path":"/x"}}])",
         {"spec.volumes[0].cephFS: Forbidden: may not specify more than 1 volume type",
          "spec.volumes[0].csi: Forbidden: may not specify more than 1 volume type"}},
        {"a hostPath without a path",
         R"("volumes":[{"name":"v","hostPath":{}}])",
         {"spec.volumes[0].hostPath.path: Required value"}},
        {"a hostPath that steps back, of a wrong type",
         R"("volumes":[{"name":"v","hostPath":{"path":"/a/../b","type":"Dir"}}])",
         {"spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
          "spec.volumes[0].hostPath.type: Unsupported value: \"Dir\": supported values: \"\", "
          "\"BlockDevice\", "
          "\"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\""}},
        {"names that are missing, and a mode",
         R"("volumes":[{"name":"a","secret":{}},{"name":"b","configMap":{"defaultMode":512}}])",
         {"spec.volumes[0].secret.secretName: Required value",
          "spec.volumes[1].configMap.name: Required value",
          "spec.volumes[1].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 "
          "(octal), both inclusive"}},
        {"NFS",
         R"("volumes":[{"name":"v","nfs":{"path":"x"}}])",
         {"spec.volumes[0].nfs.server: Required value",
          "spec.volumes[0].nfs.path: Invalid value: \"x\": must be an absolute path"}},
    };
    check_rows(rows);
  }

  TEST_CASE("mounts") {
    const std::string volumes = R"("volumes":[{"name":"v","emptyDir":{}},{"name":"bad","hostPath":{}}],)";
    const Row rows[] = {
        {"a good one",
         R"("volumes":[{"name":"v"}],)" + with_container(R"("volumeMounts":[{"name":"v","mountPath":"/v"}])"),
         {}},
        {"of no volume, and of a bad one",
         volumes + with_container(
                       R"("volumeMounts":[{"name":"w","mountPath":"/w"},{"name":"bad","mountPath":"/b"}])"),
         {"spec.volumes[1].hostPath.path: Required value",
          "spec.containers[0].volumeMounts[0].name: Not found: \"w\"",
          "spec.containers[0].volumeMounts[1].name: Not found: \"bad\""}},
        {"twice at one path, and nowhere",
         R"("volumes":[{"name":"v"}],)" +
             with_container(
                 R"("volumeMounts":[{"name":"v","mountPath":"/v"},{"name":"v","mountPath":"/v"},{"name":"v"}])"),
         {"spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/v\": must be unique",
          "spec.containers[0].volumeMounts[2].mountPath: Required value"}},
        {"a subPath that leaves the volume",
         R"("volumes":[{"name":"v"}],)" +
             with_container(R"("volumeMounts":[{"name":"v","mountPath":"/v","subPath":"/a/../.."}])"),
         {"spec.containers[0].volumeMounts.subPath: Invalid value: \"/a/../..\": must be a relative path",
          "spec.containers[0].volumeMounts.subPath: Invalid value: \"/a/../..\": must not contain '..'"}},
        {"a name of a device",
         R"("volumes":[{"name":"v"}],)" +
             with_container(
                 R"("volumeDevices":[{"name":"v","devicePath":"/v"}],"volumeMounts":[{"name":"v","mountPath":"/v"}])"),
         {"spec.containers[0].volumeMounts[0].name: Invalid value: \"v\": must not already exist in "
          "volumeDevices",
          "spec.containers[0].volumeMounts[0].mountPath: Invalid value: \"/v\": must not already exist as a "
          "path "
          "in volumeDevices"}},
    };
    check_rows(rows);
    const std::string data = with_container(R"("volumeMounts":[{"name":"data","mountPath":"/d"}])");
    CHECK(written_texts(data) == Texts{"spec.containers[0].volumeMounts[0].name: Not found: \"data\""});
    CHECK_MESSAGE(written_texts(data, {"data"}).empty(), "a StatefulSet's claim");
  }

  TEST_CASE("environments") {
    const std::string fields =
        "\"metadata.name\", \"metadata.namespace\", \"metadata.uid\", \"spec.nodeName\", "
        "\"spec.serviceAccountName\", \"status.hostIP\", \"status.hostIPs\", \"status.podIP\", "
        "\"status.podIPs\"";
    const auto env = [](const std::string& one) { return with_container(R"("env":[{)" + one + "}]"); };
    const std::string at = "spec.containers[0].env[0]";
    const Row rows[] = {
        {"a good one", env(R"("name":"A","value":"b")"), {}},
        {"no name", env(R"("value":"b")"), {at + ".name: Required value"}},
        {"a bad name",
         env(R"("name":"A=B")"),
         {at +
          ".name: Invalid value: \"A=B\": a valid environment variable name must consist only of printable "
          "ASCII characters other than '='"}},
        {"a value, and where it comes from",
         env(R"("name":"A","value":"b","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}})"),
         {at + ".valueFrom: Invalid value: \"\": may not be specified when `value` is not empty"}},
        {"from nowhere",
         env(R"("name":"A","valueFrom":{})"),
         {at + ".valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, "
               "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"}},
        {"from two, of which one lacks its key",
         env(R"("name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"},"secretKeyRef":{"name":"s"}})"),
         {at + ".valueFrom.secretKeyRef.key: Required value",
          at + ".valueFrom: Invalid value: \"\": may not have more than one field specified at a time"}},
        {"a field that there is not",
         env(R"("name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.x"}})"),
         {at +
          ".valueFrom.fieldRef.fieldPath: Invalid value: \"spec.x\": error converting fieldPath: field label "
          "not supported: spec.x"}},
        {"a field for files alone",
         env(R"("name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels"}})"),
         {at + ".valueFrom.fieldRef.fieldPath: Unsupported value: \"metadata.labels\": supported values: " +
          fields}},
        {"a label", env(R"("name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['a/b']"}})"), {}},
        {"a part of what has no parts",
         env(R"("name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName['a']"}})"),
         {at +
          ".valueFrom.fieldRef.fieldPath: Invalid value: \"spec.nodeName['a']\": error converting fieldPath: "
          "field label does not support subscript: spec.nodeName['a']"}},
        {"another version",
         env(R"("name":"A","valueFrom":{"fieldRef":{"apiVersion":"v2","fieldPath":"metadata.name"}})"),
         {at + ".valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.name\": error converting fieldPath: "
               "unsupported pod version: v2"}},
        {"envFrom nothing",
         with_container(R"("envFrom":[{"prefix":"A"}])"),
         {"spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or "
          "`secretRef`"}},
    };
    check_rows(rows);
  }

  TEST_CASE("probes and handlers") {
    const auto live = [](const std::string& probe) {
      return with_container(R"("livenessProbe":{)" + probe + "}");
    };
    const std::string at = "spec.containers[0].livenessProbe";
    const Row rows[] = {
        {"a good one", live(R"("httpGet":{"port":"web"},"periodSeconds":0)"), {}},
        {"no handler", live(R"("periodSeconds":5)"), {at + ": Required value: must specify a handler type"}},
        {"two handlers, and below 0",
         live(R"("exec":{"command":["x"]},"tcpSocket":{"port":1},"timeoutSeconds":-1)"),
         {at + ".tcpSocket: Forbidden: may not specify more than 1 handler type",
          at + ".timeoutSeconds: Invalid value: -1: must be greater than or equal to 0"}},
        {"no command", live(R"("exec":{"command":[]})"), {at + ".exec.command: Required value"}},
        {"ports",
         live(R"("httpGet":{"port":70000,"scheme":"ftp"})"),
         {at + ".httpGet.port: Invalid value: 70000: must be between 1 and 65535, inclusive",
          at + ".httpGet.scheme: Unsupported value: \"ftp\": supported values: \"HTTP\", \"HTTPS\""}},
        {"a port's name",
         live(R"("tcpSocket":{"port":"8080"})"),
         {at + ".tcpSocket.port: Invalid value: \"8080\": must contain at least one letter (a-z)"}},
        {"no port",
         live(R"("grpc":{})"),
         {at + ".grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive"}},
        {"more than one success, and no grace",
         live(R"("grpc":{"port":1},"successThreshold":2,"terminationGracePeriodSeconds":0)"),
         {at + ".terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
          at + ".successThreshold: Invalid value: 2: must be 1"}},
        {"a readiness probe may succeed twice, and has no grace",
         with_container(
             R"("readinessProbe":{"grpc":{"port":1},"successThreshold":2,"terminationGracePeriodSeconds":5})"),
         {"spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be "
          "set for "
          "readinessProbes"}},
        {"a lifecycle",
         with_container(R"("lifecycle":{"postStart":{},"preStop":{"sleep":{"seconds":40}}})"),
         {"spec.containers[0].lifecycle.postStart: Required value: must specify a handler type",
          "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 40: must be non-negative and less than "
          "terminationGracePeriodSeconds (30)"}},
        {"a longer grace",
         R"("terminationGracePeriodSeconds":60,)" +
             with_container(R"("lifecycle":{"preStop":{"sleep":{"seconds":40}}})"),
         {}},
        {"an init container has none, but a sidecar may",
         R"("initContainers":[{"name":"a","startupProbe":{}},{"name":"b","restartPolicy":"Always","startupProbe":{"grpc":{"port":1}}}])",
         {"spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without "
          "restartPolicy=Always"}},
    };
    check_rows(rows);
  }

  TEST_CASE("what is of a wrong type is left to the API server's decoder") {
    const Row rows[] = {
        {"lists", R"("volumes":{},"containers":7)", {}},
        {"elements", R"("volumes":[7,null],"containers":["c",null])", {}},
        {"fields", with_container(R"("env":7,"volumeMounts":"v","livenessProbe":[],"lifecycle":3)"), {}},
    };
    check_rows(rows);
  }
}

}  // namespace
}  // namespace winnow
