#include <optional>

#include "cluster/defaults/defaults.h"
#include "cluster/defaults/field_defaults.h"

namespace winnow {
namespace {

void round_up(std::optional<ResourceList>& list) {
  if (list) winnow::round_up(*list);
}

void round_up(ResourceRequirements& resources) {
  winnow::round_up(resources.limits);
  winnow::round_up(resources.requests);
}

void set_container_defaults(Container& container, bool host_network) {
  for (ContainerPort& port : container.ports) {
    if (host_network && port.host_port == 0) port.host_port = port.container_port;
    if (port.protocol.empty()) port.protocol = "TCP";
  }
  round_up(container.resources);
}

/// A key that is there stays as it is.
void request_limits(Container& container) {
  const ResourceList& limits = container.resources.limits;
  container.resources.requests.insert(limits.begin(), limits.end());
}

void set_status_defaults(PodStatus& status) {
  for (auto* list : {&status.container_statuses, &status.init_container_statuses}) {
    for (ContainerStatus& one : *list) {
      round_up(one.allocated_resources);
      if (one.resources) round_up(one.resources->requests);
    }
  }
  round_up(status.allocated_resources);
  if (status.resources) round_up(status.resources->requests);
}

}  // namespace

// Upstream: defaults.go SetDefaults_Pod, SetDefaults_PodSpec, zz_generated.defaults.go SetObjectDefaults_Pod
// v1.37.0.
void set_defaults(Pod& pod) {
  PodSpec& spec = pod.spec;
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  for (auto* list : {&spec.containers, &spec.init_containers}) {
    for (Container& container : *list) {
      request_limits(container);
      set_container_defaults(container, spec.host_network);
    }
  }
  for (Container& container : spec.ephemeral_containers)
    set_container_defaults(container, /*host_network=*/false);
  for (Volume& volume : spec.volumes) set_source_defaults(volume);
  round_up(spec.overhead);
  if (spec.resources) round_up(*spec.resources);
  set_status_defaults(pod.status);
}

}  // namespace winnow
