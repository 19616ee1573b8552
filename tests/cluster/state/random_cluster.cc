#include "tests/cluster/state/random_cluster.h"

#include <array>
#include <format>
#include <tuple>
#include <utility>

#include "cluster/api/device.h"
#include "cluster/state/node_column_list.h"
#include "cluster/state/node_columns.h"

namespace winnow::test {
namespace {

const std::vector<std::string> kDrivers = {"ebs.example.com", "nfs.example.com",
                                           "a-driver-with-a-name-too-long-for-a-resource.example.com"};
const std::vector<std::string> kProvisioners = {"kubernetes.io/aws-ebs", "kubernetes.io/gce-pd",
                                                "kubernetes.io/no-provisioner", "ebs.example.com",
                                                "nfs.example.com"};
const std::vector<std::string> kModes = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"};
const std::vector<std::string> kScalars = {"example.com/gpu", "hugepages-2Mi", "attachable-volumes-aws-ebs",
                                           "attachable-volumes-csi-nfs.example.com"};
const std::vector<std::string> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
const std::vector<std::string> kRandomImages = {"web:latest", "db:1", "registry:5000/cache:latest"};
constexpr std::int64_t kMebibyte = 1024 * 1024;

std::string drawn(Draws& draws) { return "v" + std::to_string(draws.below(3)); }

/// Draws what a column of nodes is read from. A column without a function here does not compile.
template <auto kColumn>
void draw(NodeBuilder& made, Draws& draws) = delete;

template <>
void draw<&NodeColumns::name>(NodeBuilder&, Draws&) {}  // The caller has named it.

template <>
void draw<&NodeColumns::flags>(NodeBuilder& made, Draws& draws) {
  if (draws.one_in(4)) made.cordoned();
  for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"})
    if (draws.one_in(3)) made.condition(type, draws.one_in(2) ? "True" : "False");
}

template <>
void draw<&NodeColumns::features>(NodeBuilder& made, Draws& draws) {
  if (draws.one_in(3)) made.object().status.declared_features = {"RestartAllContainersOnContainerExits"};
}

template <>
void draw<&NodeColumns::allocatable_cpu>(NodeBuilder& made, Draws& draws) {
  made.cpu(std::to_string(draws.below(8)));
}

template <>
void draw<&NodeColumns::allocatable_memory>(NodeBuilder& made, Draws& draws) {
  made.memory(std::to_string(draws.below(16)) + "Gi");
}

template <>
void draw<&NodeColumns::allocatable_ephemeral>(NodeBuilder& made, Draws& draws) {
  made.offers("ephemeral-storage", std::to_string(draws.below(5)) + "Ki");
}

template <>
void draw<&NodeColumns::allocatable_pods>(NodeBuilder& made, Draws& draws) {
  made.pods(std::to_string(draws.below(12)));
}

template <>
void draw<&NodeColumns::taints>(NodeBuilder& made, Draws& draws) {
  while (draws.one_in(2))
    made.taint("t" + std::to_string(draws.below(2)), drawn(draws), kEffects[draws.below(3)]);
}

template <>
void draw<&NodeColumns::avoids>(NodeBuilder& made, Draws& draws) {
  if (draws.one_in(3)) made.avoids("ReplicaSet", drawn(draws));
}

template <>
void draw<&NodeColumns::zone>(NodeBuilder& made, Draws& draws) {
  if (draws.one_in(2)) made.label("failure-domain.beta.kubernetes.io/zone", drawn(draws));
  if (draws.one_in(3)) made.label("topology.kubernetes.io/zone", drawn(draws));
  if (draws.one_in(3)) made.label("topology.kubernetes.io/region", drawn(draws));
}

template <>
void draw<&NodeColumns::labels>(NodeBuilder& made, Draws& draws) {
  made.label("kubernetes.io/hostname", made.object().metadata.name);
  if (draws.one_in(2)) made.label("disk", draws.one_in(2) ? "ssd" : std::to_string(draws.below(5)));
}

template <>
void draw<&NodeColumns::image_names>(NodeBuilder& made, Draws& draws) {
  while (!draws.one_in(3))
    made.image(kRandomImages[draws.below(3)], static_cast<std::int64_t>(draws.below(900)) * kMebibyte);
}

template <>
void draw<&NodeColumns::offers>(NodeBuilder& made, Draws& draws) {
  for (const std::string& resource : kScalars)
    if (draws.one_in(3)) made.offers(resource, std::to_string(draws.below(5)));
}

}  // namespace

Draws& RandomCluster::own(const std::string& field) {
  std::uint64_t seed = seed_;
  for (const char c : field) seed = seed * 31 + static_cast<unsigned char>(c);
  return own_.try_emplace(field, seed).first->second;
}

StringMap RandomCluster::labels() {
  StringMap made;
  for (const char* key : {"app", "tier", "track"})
    if (!one_in(3)) made[key] = value();
  return made;
}

template <std::size_t kColumn>
void RandomCluster::add_column(NodeBuilder& made) {
  constexpr NodeColumn column = std::get<kColumn>(kNodeColumns);
  if constexpr (kIsOfNode<typename decltype(column)::Source>)
    draw<column.values>(made, own("node's " + std::string(column.name)));
}

Node RandomCluster::node(const std::string& name) {
  NodeBuilder made(name);
  [&]<std::size_t... kColumns>(std::index_sequence<kColumns...>) {
    (add_column<kColumns>(made), ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(kNodeColumns)>>());
  add_rare_keys(made);
  add_facts(made);
  return made;
}

std::vector<NodeFact> random_facts() {
  using enum NodeFact::From;
  return {{kAnnotation, "example.com/load"}, {kAnnotation, "example.com/watts"}, {kLabel, "disk"}};
}

void RandomCluster::add_facts(NodeBuilder& made) {
  Draws& draws = own("node's facts");
  StringMap& annotations = made.object().metadata.annotations;
  if (!draws.one_in(3)) annotations["example.com/load"] = std::format("0.{}", draws.below(1000));
  if (draws.one_in(3)) annotations["example.com/watts"] = draws.one_in(2) ? "-3e2" : "much";
}

/// Keys that for a while nearly all nodes have, and then nearly none: their columns turn, and end.
void RandomCluster::add_rare_keys(NodeBuilder& made) {
  Draws& draws = own("node's rare keys");
  const bool crowd = nodes_made_++ / 20 % 2 == 1;
  for (const char* const key : {"example.com/rare-0", "example.com/rare-1"}) {
    if (draws.one_in(8) != crowd) made.label(key, "r" + std::to_string(draws.below(3)));
    if (draws.one_in(8) != crowd) made.offers(key, std::to_string(draws.below(4)));
    if (draws.one_in(8) != crowd) made.offers(std::string("attachable-volumes-csi-") + (key + 12), "3");
  }
}

Volume RandomCluster::volume() {
  switch (below(8)) {
    case 0:
    case 1:
    case 2:
      return claim(one_in(40) ? "" : claim_name());
    case 3:
      return cinder_volume(value());
    case 4:
      return gce_disk(value(), one_in(2));
    case 5:
      return ebs_volume(value(), one_in(2));
    case 6:
      return iscsi_target(value(), one_in(2));
    default:
      return rbd_image(value(), "rbd", {value(), value()}, one_in(2));
  }
}

void RandomCluster::add_containers(PodBuilder& made) {
  for (std::size_t i = below(3); i-- > 0;) {
    made.container("c" + std::to_string(i)).image(one_in(2) ? "web" : kRandomImages[below(3)]);
    if (!one_in(3)) made.cpu(std::to_string(below(900)) + "m");
    if (!one_in(3)) made.memory(std::to_string(below(900)) + "Mi");
    if (one_in(4)) made.asks("ephemeral-storage", std::to_string(below(4)) + "Ki");
    if (one_in(3)) made.asks(kScalars[below(4)], std::to_string(below(3)));
    if (Draws& draws = own("container's rare resource"); draws.one_in(8))
      made.asks("example.com/rare-" + std::to_string(draws.below(2)), std::to_string(draws.below(3)));
    while (one_in(3))
      made.host_port(static_cast<std::int32_t>(8080 + below(2)), one_in(3) ? "UDP" : "",
                     one_in(2) ? "10.0.0." + std::to_string(below(2)) : "");
  }
  while (one_in(3)) (one_in(2) ? made.sidecar() : made.init()).cpu(std::to_string(below(2000)) + "m");
  if (one_in(4)) made.overhead("memory", "32Mi");
  if (one_in(8)) made.pod_level("cpu", std::to_string(below(3)));
}

void RandomCluster::add_affinity(PodBuilder& made) {
  if (one_in(4))
    made.tolerates("t" + std::to_string(below(2)), "Exists", "", one_in(2) ? "" : kEffects[below(3)]);
  if (one_in(6)) made.selects_nodes("disk", "ssd");
  if (one_in(6)) made.requires_nodes({{"disk", one_in(2) ? "Exists" : "DoesNotExist", {}}});
  if (one_in(6)) made.requires_nodes({}, {{"metadata.name", "In", {node_name()}}});
  while (one_in(3))
    made.prefers_nodes(static_cast<std::int32_t>(1 + below(5)), {{"disk", one_in(2) ? "Gt" : "Lt", {"2"}}});
  while (one_in(6)) made.joins(term());
  while (one_in(5)) made.avoids(term());
  while (one_in(5)) made.likes(static_cast<std::int32_t>(1 + below(100)), term());
  while (one_in(5)) made.dislikes(static_cast<std::int32_t>(1 + below(100)), term());
  while (one_in(3))
    made.spreads(topology_key(), label_selector(), static_cast<std::int32_t>(1 + below(4)), one_in(2));
}

std::string RandomCluster::topology_key() {
  constexpr std::array<const char*, 4> kKeys = {
      "kubernetes.io/hostname", "failure-domain.beta.kubernetes.io/zone", "disk", "unheard-of"};
  return kKeys[below(one_in(8) ? 4 : 3)];
}

PodAffinityTerm RandomCluster::term() {
  PodAffinityTerm made;
  made.topology_key = one_in(60) ? "" : topology_key();
  if (!one_in(8)) made.label_selector = label_selector();
  while (one_in(3)) made.namespaces.push_back(ns());
  return made;
}

PodQuery RandomCluster::query() {
  PodQuery made = resolve(TermKind::kRequiredAffinity, 0, term(), ns()).query();
  if (one_in(4)) made.namespaces.clear();
  made.deleting = one_in(2);
  if (!one_in(4)) return made;
  AllQueries both;
  both.add(made);
  both.add(query());
  return both.take();
}

void RandomCluster::add_status(Pod& pod) {
  ContainerStatus status;
  status.name = "c0";
  status.allocated_resources = ResourceList{{"cpu", quantity(std::to_string(below(3)))}};
  pod.status.container_statuses.push_back(std::move(status));
  if (one_in(3)) pod.status.conditions.push_back({"PodResizePending", "True", "Infeasible"});
}

Pod RandomCluster::pod(const std::string& ns, const std::string& name) {
  PodBuilder made(name);
  made.in(ns).object().metadata.labels = labels();
  if (!one_in(4)) made.on(node_name());
  if (one_in(6)) made.deleting();
  if (one_in(12)) made.phase(one_in(2) ? "Succeeded" : "Failed");
  if (one_in(2)) made.owner("ReplicaSet", value());
  add_containers(made);
  add_affinity(made);
  while (one_in(3)) made.mounts(volume());
  if (one_in(4)) add_status(made.object());
  add_resource_claims(made.object());
  return made;
}

/// Some pods of one spec have each a claim of their own, some share one, and some wait for theirs.
void RandomCluster::add_resource_claims(Pod& pod) {
  Draws& draws = own("spec.resourceClaims");
  const auto claim = [&] { return "devices-" + std::to_string(draws.below(4)); };
  if (draws.one_in(6)) pod.spec.resource_claims.push_back({"shared", "devices-0", std::nullopt});
  if (draws.one_in(6)) {
    pod.spec.resource_claims.push_back({"own", std::nullopt, "gpu"});
    if (!draws.one_in(4))
      pod.status.resource_claim_statuses.push_back(
          {"own", draws.one_in(6) ? std::nullopt : std::optional(claim())});
  }
  if (draws.one_in(12)) pod.status.extended_resource_claim_name = claim();
}

ResourceSlice RandomCluster::resource_slice(const std::string& name) {
  Draws& draws = own("resource slice");
  ResourceSlice made;
  made.metadata.name = name;
  made.driver = kDrivers[draws.below(2)];
  made.pool = {.name = "pool-" + std::to_string(draws.below(3)),
               .generation = static_cast<std::int64_t>(draws.below(2)),
               .resource_slice_count = 1};
  if (draws.one_in(4))
    made.all_nodes = true;
  else
    made.node_name = "node-" + std::to_string(draws.below(12));
  for (std::size_t i = draws.below(4); i-- > 0;) {
    Device& device = made.devices.emplace_back();
    device.name = "device-" + std::to_string(i);
    device.attributes["model"] = drawn(draws);
    device.capacity["memory"] = {.value = quantity(std::to_string(draws.below(5)) + "Gi"),
                                 .request_policy = {}};
    if (draws.one_in(4)) device.taints.push_back({.key = "t", .value = drawn(draws), .effect = "NoSchedule"});
  }
  return made;
}

DeviceTaintRule RandomCluster::taint_rule(const std::string& name) {
  Draws& draws = own("device taint rule");
  DeviceTaintRule made;
  made.metadata.name = name;
  made.has_selector = !draws.one_in(4);
  if (draws.one_in(2)) made.driver = kDrivers[draws.below(2)];
  if (draws.one_in(2)) made.pool = "pool-" + std::to_string(draws.below(3));
  made.taint = {.key = "r", .value = drawn(draws), .effect = draws.one_in(2) ? "NoSchedule" : "NoExecute"};
  return made;
}

ResourceClaim RandomCluster::resource_claim(const std::string& ns, const std::string& name) {
  Draws& draws = own("resource claim");
  ResourceClaim made;
  made.metadata = meta(ns, name);
  made.metadata.uid = ns + '/' + name + '/' + drawn(draws);
  DeviceRequestBody& body = made.spec.requests.emplace_back().exactly.emplace();
  made.spec.requests.back().name = "one";
  body.device_class_name = "gpu";
  body.allocation_mode = draws.one_in(4) ? "All" : "ExactCount";
  body.count = static_cast<std::int64_t>(1 + draws.below(2));
  if (draws.one_in(2)) {
    AllocatedDevice& device = made.allocation.emplace().devices.emplace_back();
    device.request = "one";
    device.driver = kDrivers[draws.below(2)];
    device.pool = "pool-" + std::to_string(draws.below(3));
    device.device = "device-" + std::to_string(draws.below(4));
  }
  if (made.allocation && draws.one_in(2))
    made.reserved_for.push_back({.api_group = "", .resource = "pods", .name = "pod-0", .uid = drawn(draws)});
  return made;
}

PersistentVolumeClaim RandomCluster::volume_claim(const std::string& ns, const std::string& name) {
  ClaimBuilder made(name);
  made.in(ns).uid(value()).size(std::to_string(below(4)) + "Gi").access(kModes[below(3)]);
  if (!one_in(4)) made.of_class(class_name());
  if (one_in(6)) made.annotation("volume.beta.kubernetes.io/storage-class", class_name());
  if (one_in(2)) one_in(4) ? made.names(volume_name()) : made.bound_to(volume_name());
  if (one_in(8)) made.selected(node_name());
  if (one_in(6)) made.selects(label_selector());
  if (one_in(8)) made.mode("Block");
  return made;
}

PersistentVolume RandomCluster::persistent_volume(const std::string& name) {
  VolumeBuilder made(name);
  made.of_class(class_name()).size(std::to_string(below(5)) + "Gi");
  for (const std::string& mode : kModes)
    if (!one_in(4)) made.access(mode);
  if (one_in(3))
    made.csi(kDrivers[below(3)], one_in(8) ? "" : value());
  else if (const Volume source = volume(); source.source != VolumeSource::kPersistentVolumeClaim)
    made.source(source);
  if (one_in(3)) made.label("failure-domain.beta.kubernetes.io/zone", value());
  if (one_in(3)) made.label("topology.kubernetes.io/zone", value() + "__" + value());
  if (one_in(3)) made.label("app", value());
  if (one_in(2)) made.only_on({{"disk", one_in(2) ? "In" : "NotIn", {"ssd", std::to_string(below(5))}}});
  if (one_in(4)) made.only_on({{"kubernetes.io/hostname", "In", {node_name(), node_name()}}});
  if (one_in(6)) made.claimed_by(ns(), claim_name(), one_in(2) ? "" : value());
  if (one_in(6)) made.phase("Bound");
  if (one_in(8)) made.mode("Block");
  if (one_in(12)) made.deleting();
  return made;
}

StorageClass RandomCluster::storage_class(const std::string& name) {
  StorageClass made = test::storage_class(name, kProvisioners[below(5)],
                                          one_in(4)   ? "Immediate"
                                          : one_in(8) ? ""
                                                      : "WaitForFirstConsumer");
  while (one_in(3)) made.allowed_topologies.push_back({{"topology.kubernetes.io/zone", "In", {value()}}});
  return made;
}

CsiNode RandomCluster::csi_node(const std::string& name) {
  std::vector<std::pair<std::string, std::optional<int>>> drivers;
  for (const std::string& driver : kDrivers)
    if (one_in(2))
      drivers.emplace_back(driver, one_in(4) ? std::nullopt : std::optional(static_cast<int>(below(4))));
  if (own("driver that is rare").one_in(6)) drivers.emplace_back("rare-1", 2);
  return test::csi_node(name, std::move(drivers));
}

LabelSelector RandomCluster::label_selector() {
  LabelSelector made;
  if (!one_in(4)) made.match_labels["app"] = value();
  if (one_in(3)) made.match_expressions.push_back({"tier", one_in(2) ? "In" : "NotIn", {value(), value()}});
  if (one_in(4)) made.match_expressions.push_back({"track", one_in(2) ? "Exists" : "DoesNotExist", {}});
  if (one_in(invalid_)) made.match_expressions.push_back({"track", "no operator", {}});
  return made;
}

Selector RandomCluster::selector() {
  const auto parsed = parse_label_selector(label_selector());
  return parsed ? *parsed : Selector::nothing();
}

}  // namespace winnow::test
