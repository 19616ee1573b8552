#include "extender/service/unread_kinds.h"

#include <doctest/doctest.h>

#include "cluster/api/kinds.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"

namespace winnow::test {

TEST_CASE("who reads a kind is told by the rules' names, each once") {
  const Gates gates = parse_gates("").value();
  const auto read_by = [&](const char* text, ResourceKind kind) {
    return readers_of(load_rules("config", text, gates).value().sets, kind);
  };
  const char* const classic =
      R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"},{"name":"NoVolumeZoneConflict"}],
          "priorities":[{"name":"SelectorSpreadPriority","weight":1}]})";
  const char* const today =
      R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1"})";
  CHECK(read_by(classic, kind_of<Service>) == "SelectorSpreadPriority");
  CHECK(read_by(classic, kind_of<PersistentVolumeClaim>) == "NoVolumeZoneConflict");
  CHECK(read_by(classic, kind_of<CsiNode>).empty());
  CHECK(read_by(today, kind_of<Namespace>) == "InterPodAffinity");
  CHECK(read_by(today, kind_of<VolumeAttachment>) == "NodeVolumeLimits");
  CHECK(read_by(today, kind_of<PodDisruptionBudget>).empty());  // The service reads them, to preempt.
}

TEST_CASE("of each kind that Winnow does without it is known what is answered") {
  for (const ResourceKind kind : kAllKinds) {
    CAPTURE(info_of(kind).kind);
    CHECK(answers_without(kind).empty() == (info_of(kind).presence == kRequired));
  }
}

TEST_CASE("where devices are not known no pod is refused for them, and that is told") {
  for (const ResourceKind kind : {kind_of<DeviceClass>, kind_of<ResourceClaim>, kind_of<ResourceSlice>})
    CHECK(answers_without(kind).starts_with("no pod is judged by its devices"));
  CHECK(answers_without(kind_of<DeviceTaintRule>).starts_with("devices are judged"));
}

}  // namespace winnow::test
