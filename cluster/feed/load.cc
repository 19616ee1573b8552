#include "cluster/feed/load.h"

#include "cluster/feed/apply.h"

namespace winnow {
namespace {

template <class T>
void apply_all(State& state, std::vector<T>& objects) {
  for (T& object : objects) apply(state, std::move(object));
}

}  // namespace

void load(State& state, ClusterObjects objects) {
  apply_all(state, objects.storage_classes);
  apply_all(state, objects.persistent_volumes);
  apply_all(state, objects.persistent_volume_claims);
  apply_all(state, objects.csi_nodes);
  apply_all(state, objects.csi_storage_capacities);
  apply_all(state, objects.volume_attachments);
  apply_all(state, objects.nodes);
  apply_all(state, objects.pods);
  apply_all(state, objects.services);
  apply_all(state, objects.replication_controllers);
  apply_all(state, objects.replica_sets);
  apply_all(state, objects.stateful_sets);
  apply_all(state, objects.namespaces);
  apply_all(state, objects.csi_drivers);
  apply_all(state, objects.pod_disruption_budgets);
}

}  // namespace winnow
