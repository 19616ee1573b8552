#include "cluster/defaults/defaults.h"

#include "cluster/defaults/field_defaults.h"

namespace winnow {
namespace {

void set_if_empty(std::string& field, const char* value) {
  if (field.empty()) field = value;
}

}  // namespace

void round_up(ResourceList& list) {
  for (auto& [name, amount] : list) amount.round_up_to_millis();
}

void set_source_defaults(Volume& volume) {
  if (volume.source == VolumeSource::kRbd) set_if_empty(volume.pool, "rbd");
  if (volume.source == VolumeSource::kAzureDisk && !volume.kind) volume.kind = "Shared";
}

void set_defaults(Node& node) {
  NodeStatus& status = node.status;
  if (status.allocatable.empty()) status.allocatable = status.capacity;
  round_up(status.capacity);
  round_up(status.allocatable);
}

void set_defaults(Namespace& name_space) {
  ObjectMeta& metadata = name_space.metadata;
  if (!metadata.name.empty()) metadata.labels["kubernetes.io/metadata.name"] = metadata.name;
}

void set_defaults(ReplicationController& controller) {
  if (controller.selector.empty()) controller.selector = controller.template_labels;
  if (controller.metadata.labels.empty()) controller.metadata.labels = controller.template_labels;
}

void set_defaults(PersistentVolume& volume) {
  set_if_empty(volume.phase, "Pending");
  set_if_empty(volume.volume_mode, "Filesystem");
  round_up(volume.capacity);
  set_source_defaults(volume.source);
}

void set_defaults(PersistentVolumeClaim& claim) {
  set_if_empty(claim.phase, "Pending");
  set_if_empty(claim.volume_mode, "Filesystem");
  round_up(claim.requests);
}

void set_defaults(StorageClass& storage_class) {
  if (!storage_class.volume_binding_mode) storage_class.volume_binding_mode = "Immediate";
}

void set_defaults(VolumeAttachment& attachment) {
  if (attachment.inline_volume) set_source_defaults(*attachment.inline_volume);
}

void set_defaults(PriorityClass& priority_class) {
  set_if_empty(priority_class.preemption_policy, "PreemptLowerPriority");
}

// Upstream: defaults.go SetDefaults_LimitRangeItem v1.37.0.
void set_defaults(LimitRange& range) {
  for (LimitRangeItem& item : range.limits) {
    if (item.type == "Container") {
      item.default_limits.insert(item.max.begin(), item.max.end());
      item.default_requests.insert(item.default_limits.begin(), item.default_limits.end());
      item.default_requests.insert(item.min.begin(), item.min.end());
    }
    for (ResourceList* list :
         {&item.max, &item.min, &item.default_limits, &item.default_requests, &item.max_ratios})
      round_up(*list);
  }
}

}  // namespace winnow
