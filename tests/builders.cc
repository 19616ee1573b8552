#include "tests/builders.h"

#include <stdexcept>

namespace winnow::test {

Quantity quantity(std::string_view text) {
  const std::optional<Quantity> parsed = Quantity::parse(text);
  if (!parsed) throw std::invalid_argument("not a quantity: " + std::string(text));
  return *parsed;
}

ObjectMeta meta(std::string ns, std::string name) {
  ObjectMeta made;
  made.namespace_ = std::move(ns);
  made.name = std::move(name);
  return made;
}

LabelSelector selects(StringMap labels) { return {std::move(labels), {}}; }

LabelSelector invalid_selector() { return {{}, {{"app", "In", {"no label value"}}}}; }
const char* const kInvalidSelectorError =
    "invalid label value: \"no label value\": at key: \"app\": a valid label must be an empty string or "
    "consist "
    "of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. "
    "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

PodAffinityTerm pods_with(StringMap labels, std::string topology_key, std::vector<std::string> namespaces) {
  PodAffinityTerm term;
  term.label_selector = selects(std::move(labels));
  term.topology_key = std::move(topology_key);
  term.namespaces = std::move(namespaces);
  return term;
}

// ---- pods ----

PodBuilder::PodBuilder(std::string name) {
  pod_.metadata = meta("default", std::move(name));
  pod_.metadata.uid = "uid-of-" + pod_.metadata.name;
}

PodBuilder& PodBuilder::in(std::string ns) {
  pod_.metadata.namespace_ = std::move(ns);
  return *this;
}

PodBuilder& PodBuilder::uid(std::string uid) {
  pod_.metadata.uid = std::move(uid);
  return *this;
}

PodBuilder& PodBuilder::label(std::string key, std::string value) {
  pod_.metadata.labels[std::move(key)] = std::move(value);
  return *this;
}

PodBuilder& PodBuilder::owner(std::string kind, std::string uid, bool controller) {
  OwnerReference reference;
  reference.kind = std::move(kind);
  reference.uid = std::move(uid);
  reference.controller = controller;
  pod_.metadata.owner_references.push_back(std::move(reference));
  return *this;
}

PodBuilder& PodBuilder::deleting() {
  pod_.metadata.deleting = true;
  return *this;
}

PodBuilder& PodBuilder::on(std::string node_name) {
  pod_.spec.node_name = std::move(node_name);
  return *this;
}

PodBuilder& PodBuilder::phase(std::string phase) {
  pod_.status.phase = std::move(phase);
  return *this;
}

PodBuilder& PodBuilder::container(std::string name) {
  in_init_ = false;
  pod_.spec.containers.emplace_back().name = std::move(name);
  return *this;
}

PodBuilder& PodBuilder::init(std::string name) {
  in_init_ = true;
  pod_.spec.init_containers.emplace_back().name = std::move(name);
  return *this;
}

PodBuilder& PodBuilder::sidecar(std::string name) {
  init(std::move(name));
  current().restart_policy = "Always";
  return *this;
}

Container& PodBuilder::current() {
  if (in_init_) return pod_.spec.init_containers.back();
  if (pod_.spec.containers.empty()) container();
  return pod_.spec.containers.back();
}

PodBuilder& PodBuilder::asks(std::string resource, std::string_view amount) {
  current().resources.requests[std::move(resource)] = quantity(amount);
  return *this;
}

PodBuilder& PodBuilder::limit(std::string resource, std::string_view amount) {
  current().resources.limits[std::move(resource)] = quantity(amount);
  return *this;
}

PodBuilder& PodBuilder::image(std::string image) {
  current().image = std::move(image);
  return *this;
}

PodBuilder& PodBuilder::host_port(std::int32_t port, std::string protocol, std::string address) {
  current().ports.push_back({port, port, std::move(protocol), std::move(address)});
  return *this;
}

PodBuilder& PodBuilder::overhead(std::string resource, std::string_view amount) {
  if (!pod_.spec.overhead) pod_.spec.overhead.emplace();
  (*pod_.spec.overhead)[std::move(resource)] = quantity(amount);
  return *this;
}

PodBuilder& PodBuilder::pod_level(std::string resource, std::string_view amount) {
  if (!pod_.spec.resources) pod_.spec.resources.emplace();
  pod_.spec.resources->requests[std::move(resource)] = quantity(amount);
  return *this;
}

PodBuilder& PodBuilder::tolerates(std::string key, std::string op, std::string value, std::string effect) {
  pod_.spec.tolerations.push_back({std::move(key), std::move(op), std::move(value), std::move(effect), {}});
  return *this;
}

PodBuilder& PodBuilder::selects_nodes(std::string key, std::string value) {
  pod_.spec.node_selector[std::move(key)] = std::move(value);
  return *this;
}

NodeAffinity& PodBuilder::node_affinity() {
  if (!pod_.spec.affinity) pod_.spec.affinity.emplace();
  std::optional<NodeAffinity>& affinity = pod_.spec.affinity->node_affinity;
  return affinity ? *affinity : affinity.emplace();
}

PodBuilder& PodBuilder::requires_nodes(std::vector<SelectorRequirement> labels,
                                       std::vector<SelectorRequirement> fields) {
  std::optional<NodeSelector>& required = node_affinity().required;
  if (!required) required.emplace();
  required->terms.push_back({std::move(labels), std::move(fields)});
  return *this;
}

PodBuilder& PodBuilder::prefers_nodes(std::int32_t weight, std::vector<SelectorRequirement> labels,
                                      std::vector<SelectorRequirement> fields) {
  node_affinity().preferred.push_back({weight, {std::move(labels), std::move(fields)}});
  return *this;
}

PodAffinity& PodBuilder::pod_affinity() {
  if (!pod_.spec.affinity) pod_.spec.affinity.emplace();
  std::optional<PodAffinity>& affinity = pod_.spec.affinity->pod_affinity;
  return affinity ? *affinity : affinity.emplace();
}

PodAffinity& PodBuilder::pod_anti_affinity() {
  if (!pod_.spec.affinity) pod_.spec.affinity.emplace();
  std::optional<PodAffinity>& affinity = pod_.spec.affinity->pod_anti_affinity;
  return affinity ? *affinity : affinity.emplace();
}

PodBuilder& PodBuilder::joins(PodAffinityTerm term) {
  pod_affinity().required.push_back(std::move(term));
  return *this;
}

PodBuilder& PodBuilder::avoids(PodAffinityTerm term) {
  pod_anti_affinity().required.push_back(std::move(term));
  return *this;
}

PodBuilder& PodBuilder::likes(std::int32_t weight, PodAffinityTerm term) {
  pod_affinity().preferred.push_back({weight, std::move(term)});
  return *this;
}

PodBuilder& PodBuilder::dislikes(std::int32_t weight, PodAffinityTerm term) {
  pod_anti_affinity().preferred.push_back({weight, std::move(term)});
  return *this;
}

PodBuilder& PodBuilder::spreads(std::string topology_key, std::optional<LabelSelector> selector,
                                std::int32_t max_skew, bool hard) {
  TopologySpreadConstraint constraint;
  constraint.max_skew = max_skew;
  constraint.topology_key = std::move(topology_key);
  constraint.when_unsatisfiable = hard ? "DoNotSchedule" : "ScheduleAnyway";
  constraint.label_selector = std::move(selector);
  pod_.spec.topology_spread_constraints.push_back(std::move(constraint));
  return *this;
}

PodBuilder& PodBuilder::mounts(Volume volume) {
  pod_.spec.volumes.push_back(std::move(volume));
  return *this;
}

// ---- nodes ----

NodeBuilder::NodeBuilder(std::string name) { node_.metadata.name = std::move(name); }

NodeBuilder& NodeBuilder::label(std::string key, std::string value) {
  node_.metadata.labels[std::move(key)] = std::move(value);
  return *this;
}

NodeBuilder& NodeBuilder::avoids(std::string kind, std::string uid) {
  node_.prefer_avoid_pods.push_back({std::move(kind), std::move(uid)});
  return *this;
}

NodeBuilder& NodeBuilder::offers(std::string resource, std::string_view amount) {
  node_.status.allocatable[std::move(resource)] = quantity(amount);
  return *this;
}

NodeBuilder& NodeBuilder::taint(std::string key, std::string value, std::string effect) {
  node_.spec.taints.push_back({std::move(key), std::move(value), std::move(effect)});
  return *this;
}

NodeBuilder& NodeBuilder::condition(std::string type, std::string status) {
  node_.status.conditions.push_back({std::move(type), std::move(status)});
  return *this;
}

NodeBuilder& NodeBuilder::cordoned() {
  node_.spec.unschedulable = true;
  return *this;
}

NodeBuilder& NodeBuilder::image(std::string name, std::int64_t bytes) {
  node_.status.images.push_back({{std::move(name)}, bytes});
  return *this;
}

// ---- volumes ----

namespace {

Volume volume(VolumeSource source, std::string id, bool read_only) {
  Volume made;
  made.name = "volume-" + id;
  made.source = source;
  made.id = std::move(id);
  made.read_only = read_only;
  return made;
}

}  // namespace

Volume gce_disk(std::string name, bool read_only) {
  return volume(VolumeSource::kGcePersistentDisk, std::move(name), read_only);
}

Volume ebs_volume(std::string id, bool read_only) {
  return volume(VolumeSource::kAwsElasticBlockStore, std::move(id), read_only);
}

Volume iscsi_target(std::string iqn, bool read_only) {
  return volume(VolumeSource::kIscsi, std::move(iqn), read_only);
}

Volume rbd_image(std::string image, std::string pool, std::vector<std::string> monitors, bool read_only) {
  Volume made = volume(VolumeSource::kRbd, std::move(image), read_only);
  made.pool = std::move(pool);
  made.monitors = std::move(monitors);
  return made;
}

Volume azure_disk(std::string name) { return volume(VolumeSource::kAzureDisk, std::move(name), false); }

Volume cinder_volume(std::string id) { return volume(VolumeSource::kCinder, std::move(id), false); }

Volume claim(std::string name) {
  return volume(VolumeSource::kPersistentVolumeClaim, std::move(name), false);
}

}  // namespace winnow::test
