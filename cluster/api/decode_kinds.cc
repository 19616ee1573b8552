#include "cluster/api/decode.h"
#include "cluster/api/decoders.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/storage.h"
#include "cluster/api/wanted_fields.h"
#include "cluster/text/go_format.h"

namespace winnow {

static bool read_fields(const Reader& r, Taint& taint) {
  return r.read("key", taint.key) && r.read("value", taint.value) && r.read("effect", taint.effect);
}

static bool read_fields(const Reader& r, NodeSpec& spec) {
  return r.read("unschedulable", spec.unschedulable) && r.read("taints", spec.taints);
}

static bool read_fields(const Reader& r, NodeCondition& condition) {
  return r.read("type", condition.type) && r.read("status", condition.status);
}

static bool read_fields(const Reader& r, ContainerImage& image) {
  return r.read("names", image.names) && r.read("sizeBytes", image.size_bytes);
}

static bool read_fields(const Reader& r, NodeStatus& status) {
  return r.read("allocatable", status.allocatable) && r.read("capacity", status.capacity) &&
         r.read("conditions", status.conditions) && r.read("images", status.images) &&
         r.read("declaredFeatures", status.declared_features);
}

bool read_fields(const Reader& r, Node& node) {
  if (!r.read("metadata", node.metadata) || !r.read("spec", node.spec) || !r.read("status", node.status))
    return false;
  node.fields = kept_fields(FieldsOf::kNodes, r);
  const auto annotation = node.metadata.annotations.find(kPreferAvoidPods);
  if (annotation != node.metadata.annotations.end())
    if (auto controllers = parse_prefer_avoid_pods(annotation->second))
      node.prefer_avoid_pods = std::move(*controllers);
  return true;
}

static bool read_usage(const Reader& r, NodeMetrics& measured) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kLatest = 9'000'000'000;  // Seconds; the nanoseconds of later ones do not fit.
  constexpr std::int64_t kLongestWindow = 86'400 * kSecond;
  NodeUsage usage;
  Quantity cpu, memory;
  std::optional<Time> taken;
  std::string window;
  const bool good =
      r.read("timestamp", taken) && r.read("window", window) && r.within("usage", [&](const Reader& amounts) {
        return amounts.read("cpu", cpu) && amounts.read("memory", memory);
      });
  if (!good || !r.has("usage")) return good;
  if (taken && (taken->seconds < 0 || taken->seconds > kLatest))
    return r.complain("has a timestamp that is out of range");
  if (taken) usage.taken = taken->seconds * kSecond;
  if (!window.empty()) {
    const auto length = parse_go_duration(window);
    if (!length) return r.complain("has a window that is no duration");
    if (*length < 0 || *length > kLongestWindow) return r.complain("has a window that is out of range");
    usage.window = *length;
  }
  usage.cpu = cpu.as_double();
  usage.memory = memory.as_double();
  measured.usage = usage;
  return true;
}

bool read_fields(const Reader& r, NodeMetrics& measured) {
  return r.read("metadata", measured.metadata) && read_usage(r, measured) &&
         r.within("metrics", [&](const Reader& metrics) {
           return metrics.for_each_member([&](std::string_view name, const Reader& member) {
             if (!member.value().IsNumber()) return member.fail("a number");
             measured.metrics.insert_or_assign(std::string(name), member.value().GetDouble());
             return true;
           });
         });
}

static bool read_phase(const Reader& r, std::string& phase) {
  return r.within("status", [&](const Reader& status) { return status.read("phase", phase); });
}

static bool read_csi_handle(const Reader& r, std::string& handle) {
  return r.within("csi", [&](const Reader& csi) { return csi.read("volumeHandle", handle); });
}

static bool read_volume_spec(const Reader& r, PersistentVolume& volume) {
  return r.read("capacity", volume.capacity) && r.read("accessModes", volume.access_modes) &&
         r.read("storageClassName", volume.storage_class_name) && r.read("volumeMode", volume.volume_mode) &&
         r.read("volumeAttributesClassName", volume.attributes_class_name) &&
         r.within("nodeAffinity",
                  [&](const Reader& affinity) { return affinity.read("required", volume.node_affinity); }) &&
         r.within("claimRef",
                  [&](const Reader& claim) {
                    return claim.read("namespace", volume.claim_namespace) &&
                           claim.read("name", volume.claim_name) && claim.read("uid", volume.claim_uid);
                  }) &&
         read_volume_source(r, volume.source) && read_csi_handle(r, volume.csi_volume_handle);
}

bool read_fields(const Reader& r, PersistentVolume& volume) {
  return r.read("metadata", volume.metadata) &&
         r.within("spec", [&](const Reader& spec) { return read_volume_spec(spec, volume); }) &&
         read_phase(r, volume.phase);
}

static bool read_claim_spec(const Reader& r, PersistentVolumeClaim& claim) {
  return r.read("volumeName", claim.volume_name) && r.read("storageClassName", claim.storage_class_name) &&
         r.read("accessModes", claim.access_modes) && r.read("volumeMode", claim.volume_mode) &&
         r.read("volumeAttributesClassName", claim.attributes_class_name) &&
         r.read("selector", claim.selector) && r.within("resources", [&](const Reader& resources) {
           return resources.read("requests", claim.requests);
         });
}

bool read_fields(const Reader& r, PersistentVolumeClaim& claim) {
  return r.read("metadata", claim.metadata) &&
         r.within("spec", [&](const Reader& spec) { return read_claim_spec(spec, claim); }) &&
         read_phase(r, claim.phase);
}

namespace {

/// One of a storage class's allowedTopologies. Its expressions have no operator; "In" is filled in.
struct TopologyTerm {
  std::vector<SelectorRequirement> requirements;
};

bool read_fields(const Reader& r, TopologyTerm& term) {
  if (!r.read("matchLabelExpressions", term.requirements)) return false;
  for (auto& requirement : term.requirements) requirement.op = "In";
  return true;
}

}  // namespace

bool read_fields(const Reader& r, StorageClass& storage_class) {
  std::vector<TopologyTerm> terms;
  const bool good =
      r.read("metadata", storage_class.metadata) && r.read("provisioner", storage_class.provisioner) &&
      r.read("volumeBindingMode", storage_class.volume_binding_mode) && r.read("allowedTopologies", terms);
  for (auto& term : terms) storage_class.allowed_topologies.push_back(std::move(term.requirements));
  return good;
}

static bool read_fields(const Reader& r, CsiNodeDriver& driver) {
  return r.read("name", driver.name) && r.read("nodeID", driver.node_id) &&
         r.read("topologyKeys", driver.topology_keys) &&
         r.within("allocatable", [&](const Reader& allocatable) {
           return allocatable.read("count", driver.allocatable_count);
         });
}

bool read_fields(const Reader& r, CsiNode& node) {
  return r.read("metadata", node.metadata) &&
         r.within("spec", [&](const Reader& spec) { return spec.read("drivers", node.drivers); });
}

bool read_fields(const Reader& r, CsiDriver& driver) {
  return r.read("metadata", driver.metadata) && r.within("spec", [&](const Reader& spec) {
    return spec.read("storageCapacity", driver.storage_capacity) &&
           spec.read("attachRequired", driver.attach_required) &&
           spec.read("preventPodSchedulingIfMissing", driver.prevent_pod_scheduling_if_missing);
  });
}

bool read_fields(const Reader& r, CsiStorageCapacity& capacity) {
  return r.read("metadata", capacity.metadata) && r.read("nodeTopology", capacity.node_topology) &&
         r.read("storageClassName", capacity.storage_class_name) && r.read("capacity", capacity.capacity) &&
         r.read("maximumVolumeSize", capacity.maximum_volume_size);
}

static bool read_attachment_source(const Reader& r, VolumeAttachment& attachment) {
  return r.read("persistentVolumeName", attachment.persistent_volume_name) &&
         r.within("inlineVolumeSpec", [&](const Reader& spec) {
           return read_volume_source(spec, attachment.inline_volume.emplace()) &&
                  read_csi_handle(spec, attachment.inline_csi_volume_handle);
         });
}

bool read_fields(const Reader& r, VolumeAttachment& attachment) {
  return r.read("metadata", attachment.metadata) && r.within("spec", [&](const Reader& spec) {
    return spec.read("attacher", attachment.attacher) && spec.read("nodeName", attachment.node_name) &&
           spec.within("source",
                       [&](const Reader& source) { return read_attachment_source(source, attachment); });
  }) && r.within("status", [&](const Reader& status) {
    return status.read("attached", attachment.attached);
  });
}

namespace {

/// Reads the fields that all of these kinds have: metadata and spec.selector. The type of the member decides
/// whether the selector is a map or a LabelSelector.
template <class Object>
bool read_selecting(const Reader& r, Object& object) {
  return r.read("metadata", object.metadata) &&
         r.within("spec", [&](const Reader& spec) { return spec.read("selector", object.selector); });
}

}  // namespace

bool read_fields(const Reader& r, Namespace& name_space) { return r.read("metadata", name_space.metadata); }

bool read_fields(const Reader& r, Service& service) { return read_selecting(r, service); }

static bool read_template_labels(const Reader& r, StringMap& labels) {
  return r.within("spec", [&](const Reader& spec) {
    return spec.within("template", [&](const Reader& pods) {
      return pods.within("metadata", [&](const Reader& metadata) { return metadata.read("labels", labels); });
    });
  });
}

bool read_fields(const Reader& r, ReplicationController& controller) {
  return read_selecting(r, controller) && read_template_labels(r, controller.template_labels);
}

bool read_fields(const Reader& r, ReplicaSet& set) { return read_selecting(r, set); }

bool read_fields(const Reader& r, StatefulSet& set) { return read_selecting(r, set); }

/// Reads status.disruptedPods. The times are kept as text, but they must parse.
static bool read_disrupted_pods(const Reader& r, StringMap& pods) {
  return r.within("disruptedPods", [&](const Reader& members) {
    return members.for_each_member([&](std::string_view name, const Reader& time) {
      Time evicted;
      std::string& text = pods[std::string(name)];
      text.clear();
      return time.is_null() || (read_value(time, evicted) && read_value(time, text));
    });
  });
}

bool read_fields(const Reader& r, PodDisruptionBudget& budget) {
  return read_selecting(r, budget) && r.within("status", [&](const Reader& status) {
    return status.read("disruptionsAllowed", budget.disruptions_allowed) &&
           status.read("currentHealthy", budget.current_healthy) &&
           status.read("desiredHealthy", budget.desired_healthy) &&
           read_disrupted_pods(status, budget.disrupted_pods);
  });
}

bool read_fields(const Reader& r, EndpointSlice& slice) {
  const auto read_endpoint = [&](const Reader& endpoint) {
    std::vector<std::string> addresses;
    std::optional<bool> ready;
    const bool good =
        endpoint.read("addresses", addresses) && endpoint.within("conditions", [&](const Reader& conditions) {
          return conditions.read("ready", ready);
        });
    if (good && ready.value_or(true))
      slice.addresses.insert(slice.addresses.end(), addresses.begin(), addresses.end());
    return good;
  };
  const auto read_port = [&](const Reader& port) {
    auto& [name, number] = slice.ports.emplace_back();
    return port.read("name", name) && port.read("port", number);
  };
  return r.read("metadata", slice.metadata) && r.read("addressType", slice.address_type) &&
         r.for_each_in("endpoints", read_endpoint) && r.for_each_in("ports", read_port);
}

bool read_fields(const Reader& r, PriorityClass& priority) {
  return r.read("metadata", priority.metadata) && r.read("value", priority.value) &&
         r.read("globalDefault", priority.global_default) &&
         r.read("preemptionPolicy", priority.preemption_policy);
}

static bool read_fields(const Reader& r, LimitRangeItem& item) {
  return r.read("type", item.type) && r.read("max", item.max) && r.read("min", item.min) &&
         r.read("default", item.default_limits) && r.read("defaultRequest", item.default_requests) &&
         r.read("maxLimitRequestRatio", item.max_ratios);
}

bool read_fields(const Reader& r, LimitRange& range) {
  return r.read("metadata", range.metadata) &&
         r.within("spec", [&](const Reader& spec) { return spec.read("limits", range.limits); });
}

static bool read_fields(const Reader& r, RuntimeClass::Scheduling& scheduling) {
  return r.read("nodeSelector", scheduling.node_selector) && r.read("tolerations", scheduling.tolerations);
}

bool read_fields(const Reader& r, RuntimeClass& runtime_class) {
  return r.read("metadata", runtime_class.metadata) && r.within("overhead", [&](const Reader& overhead) {
    runtime_class.overhead.emplace();
    return overhead.read("podFixed", runtime_class.overhead);
  }) && r.read("scheduling", runtime_class.scheduling);
}

}  // namespace winnow
