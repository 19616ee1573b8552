#include "cluster/admission/defaults.h"

#include <doctest/doctest.h>

#include "cluster/api/decode.h"
#include "cluster/api/device.h"
#include "cluster/api/storage.h"

namespace winnow::defaults_test {
namespace {

template <class Object>
Object read(const std::string& json) {
  auto object = decode<Object>(json);
  REQUIRE_MESSAGE(object.has_value(), json);
  return std::move(*object);
}

struct Row {
  const char* sentence;
  const char* written;
  const char* stored;
};

std::string spec(const char* fields) {
  return std::string(R"({"metadata":{"name":"p","labels":{"app":"web"}},"spec":{)") + fields + "}}";
}

TEST_CASE("a pod gets the defaults of the API server") {
  const Row rows[] = {
      {"a name of the scheduler", R"("hostNetwork":false)", R"("schedulerName":"default-scheduler")"},
      {"a request for each limit without one",
       R"("containers":[{"resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1"}}}])",
       R"("containers":[{"resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}}}])"},
      {"init containers too", R"("initContainers":[{"resources":{"limits":{"cpu":"2"}}}])",
       R"("initContainers":[{"resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}}])"},
      {"an ephemeral container requests nothing",
       R"("ephemeralContainers":[{"resources":{"limits":{"cpu":"2"}}}])",
       R"("ephemeralContainers":[{"resources":{"limits":{"cpu":"2"}}}])"},
      {"a port's protocol", R"("containers":[{"ports":[{"containerPort":80},{"protocol":"UDP"}]}])",
       R"("containers":[{"ports":[{"containerPort":80,"protocol":"TCP"},{"protocol":"UDP"}]}])"},
      {"the network of the host makes ports of the host",
       R"("hostNetwork":true,"containers":[{"ports":[{"containerPort":80},{"containerPort":81,"hostPort":8}]}])",
       R"("hostNetwork":true,"containers":[{"ports":[{"containerPort":80,"hostPort":80,"protocol":"TCP"},)"
       R"({"containerPort":81,"hostPort":8,"protocol":"TCP"}]}])"},
      {"amounts in thousandths, rounded up", R"("overhead":{"cpu":"100u","memory":"1.0001"})",
       R"("overhead":{"cpu":"1m","memory":"1001m"})"},
      {"the pool of RBD", R"("volumes":[{"name":"a","rbd":{"image":"i"}}])",
       R"("volumes":[{"name":"a","rbd":{"image":"i","pool":"rbd"}}])"},
      {"the kind of an Azure disk",
       R"("volumes":[{"azureDisk":{"diskName":"d"}},{"azureDisk":{"kind":"Managed"}}])",
       R"("volumes":[{"azureDisk":{"diskName":"d","kind":"Shared"}},{"azureDisk":{"kind":"Managed"}}])"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Pod pod = read<Pod>(spec(row.written));
    Pod stored = read<Pod>(spec(row.stored));
    stored.spec.scheduler_name = "default-scheduler";
    set_defaults(pod);
    CHECK((pod == stored));
    set_defaults(stored);
    CHECK_MESSAGE((pod == stored), "a pod that has them stays as it is");
  }
}

TEST_CASE("a new pod is prepared as by the API server") {
  const Row rows[] = {
      {"matchLabelKeys of an affinity become expressions",
       R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z",)"
       R"("labelSelector":{},"matchLabelKeys":["app","absent"],"mismatchLabelKeys":["app"]}]}})",
       R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z",)"
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"In","values":["web"]},)"
       R"({"key":"app","operator":"NotIn","values":["web"]}]},)"
       R"("matchLabelKeys":["app","absent"],"mismatchLabelKeys":["app"]}]}})"},
      {"not where there is no selector", R"("topologySpreadConstraints":[{"matchLabelKeys":["app"]}])",
       R"("topologySpreadConstraints":[{"matchLabelKeys":["app"]}])"},
      {"nor do those of a spread constraint stay alone",
       R"("topologySpreadConstraints":[{"labelSelector":{},"matchLabelKeys":["app"]}])",
       R"("topologySpreadConstraints":[{"labelSelector":{"matchExpressions":[{"key":"app","operator":"In",)"
       R"("values":["web"]}]},"matchLabelKeys":["app"]}])"},
      {"a pod-level limit is requested", R"("resources":{"limits":{"cpu":"3"}})",
       R"("resources":{"limits":{"cpu":"3"},"requests":{"cpu":"3"}})"},
      {"but the containers' requests go first",
       R"("containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}],"resources":{"limits":{"cpu":"3"}})",
       R"("containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}],)"
       R"("resources":{"limits":{"cpu":"3"},"requests":{"cpu":"1","memory":"1Gi"}})"},
      {"where all containers have a limit, the pod has one",
       R"("containers":[{"resources":{"limits":{"cpu":"2"}}}],"resources":{"requests":{"cpu":"1"}})",
       R"("containers":[{"resources":{"limits":{"cpu":"2"}}}],"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2"}})"},
      {"a request above those limits is the limit",
       R"("containers":[{"resources":{"limits":{"cpu":"2"}}}],"resources":{"requests":{"cpu":"5"}})",
       R"("containers":[{"resources":{"limits":{"cpu":"2"}}}],"resources":{"requests":{"cpu":"5"},"limits":{"cpu":"5"}})"},
      {"huge pages of containers are limits and requests of the pod",
       R"("containers":[{"resources":{"limits":{"hugepages-2Mi":"4Mi"}}},{"resources":{}}],"resources":{"requests":{"cpu":"1"}})",
       R"("containers":[{"resources":{"limits":{"hugepages-2Mi":"4Mi"}}},{"resources":{}}],)"
       R"("resources":{"requests":{"cpu":"1","hugepages-2Mi":"4Mi"},"limits":{"hugepages-2Mi":"4Mi"}})"},
      {"empty pod-level resources stay empty",
       R"("containers":[{"resources":{"limits":{"cpu":"2"}}}],"resources":{})",
       R"("containers":[{"resources":{"limits":{"cpu":"2"}}}],"resources":{})"},
      {"bindMountOptions go", R"("containers":[{"volumeMounts":[{"bindMountOptions":["noexec"]}]}])",
       R"("containers":[{"volumeMounts":[{}]}])"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Pod pod = read<Pod>(spec(row.written));
    prepare_for_create(pod);
    CHECK((pod == read<Pod>(spec(row.stored))));
  }
}

/// Checks that the defaults make `stored` of `written`, and leave that as it is.
template <class Object>
void check(const char* sentence, const std::string& written, const std::string& stored) {
  CAPTURE(sentence);
  Object object = read<Object>(written);
  Object expected = read<Object>(stored);
  set_defaults(object);
  CHECK((object == expected));
  set_defaults(expected);
  CHECK((object == expected));
}

TEST_CASE("other kinds get theirs") {
  check<Node>("allocatable is the capacity", R"({"status":{"capacity":{"cpu":"4","memory":"0.0001"}}})",
              R"({"status":{"capacity":{"cpu":"4","memory":"1m"},"allocatable":{"cpu":"4","memory":"1m"}}})");
  check<Node>("allocatable that is there stays",
              R"({"status":{"capacity":{"cpu":"4"},"allocatable":{"pods":"3"}}})",
              R"({"status":{"capacity":{"cpu":"4"},"allocatable":{"pods":"3"}}})");
  check<Namespace>("a namespace has its name as a label", R"({"metadata":{"name":"shop"}})",
                   R"({"metadata":{"name":"shop","labels":{"kubernetes.io/metadata.name":"shop"}}})");
  const std::string tail = R"("template":{"metadata":{"labels":{"app":"web"}}}}})";
  check<ReplicationController>(
      "a controller selects what it makes", R"({"metadata":{"name":"rc"},"spec":{)" + tail,
      R"({"metadata":{"name":"rc","labels":{"app":"web"}},"spec":{"selector":{"app":"web"},)" + tail);
  check<ReplicationController>("a selector stays",
                               R"({"metadata":{"labels":{"a":"b"}},"spec":{"selector":{"app":"db"},)" + tail,
                               R"({"metadata":{"labels":{"a":"b"}},"spec":{"selector":{"app":"db"},)" + tail);
  check<PersistentVolume>(
      "phase and mode of a volume", R"({"spec":{"rbd":{"image":"i"}}})",
      R"({"spec":{"volumeMode":"Filesystem","rbd":{"image":"i","pool":"rbd"}},"status":{"phase":"Pending"}})");
  check<PersistentVolumeClaim>("phase and mode of a claim", R"({"spec":{"volumeMode":"Block"}})",
                               R"({"spec":{"volumeMode":"Block"},"status":{"phase":"Pending"}})");
  check<StorageClass>("a class binds at once", R"({"provisioner":"x"})",
                      R"({"provisioner":"x","volumeBindingMode":"Immediate"})");
  check<VolumeAttachment>(
      "the source of an inline volume",
      R"({"spec":{"source":{"inlineVolumeSpec":{"azureDisk":{"diskName":"d"}}}}})",
      R"({"spec":{"source":{"inlineVolumeSpec":{"azureDisk":{"diskName":"d","kind":"Shared"}}}}})");
}

TEST_CASE("requests of devices get theirs, in claims and in templates") {
  const auto devices = [](const std::string& request) {
    return R"({"devices":{"requests":[)" + request + "]}}";
  };
  const Row rows[] = {
      {"one device", R"({"exactly":{"deviceClassName":"gpu"}})",
       R"({"exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}})"},
      {"a count stays", R"({"exactly":{"count":3}})",
       R"({"exactly":{"allocationMode":"ExactCount","count":3}})"},
      {"of all there is no count", R"({"exactly":{"allocationMode":"All"}})",
       R"({"exactly":{"allocationMode":"All"}})"},
      {"alternatives too", R"({"firstAvailable":[{"name":"big","count":2},{"tolerations":[{"key":"k"}]}]})",
       R"({"firstAvailable":[{"name":"big","allocationMode":"ExactCount","count":2},)"
       R"({"allocationMode":"ExactCount","count":1,"tolerations":[{"key":"k","operator":"Equal"}]}]})"},
      {"an operator", R"({"exactly":{"tolerations":[{"value":"v"},{"operator":"Exists"}]}})",
       R"({"exactly":{"allocationMode":"ExactCount","count":1,)"
       R"("tolerations":[{"value":"v","operator":"Equal"},{"operator":"Exists"}]}})"},
      {"a request of v1beta1", R"({"deviceClassName":"gpu"})",
       R"({"exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}})"},
      {"nothing for a request of an unknown type", R"({"name":"one"})", R"({"name":"one"})"},
  };
  for (const Row& row : rows) {
    check<ResourceClaim>(row.sentence, R"({"spec":)" + devices(row.written) + "}",
                         R"({"spec":)" + devices(row.stored) + "}");
    check<ResourceClaimTemplate>(row.sentence, R"({"spec":{"spec":)" + devices(row.written) + "}}",
                                 R"({"spec":{"spec":)" + devices(row.stored) + "}}");
  }
}

}  // namespace
}  // namespace winnow::defaults_test
