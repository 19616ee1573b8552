#include "tests/cluster/state/random_cluster.h"

#include <array>

namespace winnow::test {
namespace {

const std::vector<std::string> kScalars = {"example.com/gpu", "hugepages-2Mi", "attachable-volumes-aws-ebs"};
const std::vector<std::string> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
const std::vector<std::string> kImages = {"web:latest", "db:1", "registry:5000/cache:latest"};
constexpr std::int64_t kMebibyte = 1024 * 1024;

}  // namespace

StringMap RandomCluster::labels() {
  StringMap made;
  for (const char* key : {"app", "tier", "track"})
    if (!one_in(3)) made[key] = value();
  return made;
}

Node RandomCluster::node(const std::string& name) {
  NodeBuilder made(name);
  made.cpu(std::to_string(below(8))).memory(std::to_string(below(16)) + "Gi").pods(std::to_string(below(12)));
  made.label("kubernetes.io/hostname", name);
  if (one_in(2)) made.label("disk", one_in(2) ? "ssd" : std::to_string(below(5)));
  if (one_in(2)) made.label("failure-domain.beta.kubernetes.io/zone", value());
  if (one_in(3)) made.label("topology.kubernetes.io/zone", value());
  if (one_in(3)) made.label("topology.kubernetes.io/region", value());
  if (one_in(4)) made.cordoned();
  for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"})
    if (one_in(3)) made.condition(type, one_in(2) ? "True" : "False");
  for (const std::string& resource : kScalars)
    if (one_in(3)) made.offers(resource, std::to_string(below(5)));
  while (one_in(2)) made.taint("t" + std::to_string(below(2)), value(), kEffects[below(3)]);
  while (!one_in(3)) made.image(kImages[below(3)], static_cast<std::int64_t>(below(900)) * kMebibyte);
  if (one_in(3))
    made.annotation(
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        one_in(4) ? "garbage"
                  : R"({"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":")" +
                        value() + R"("}}}]})");
  return made;
}

Volume RandomCluster::volume() {
  switch (below(4)) {
    case 0:
      return gce_disk(value(), one_in(2));
    case 1:
      return ebs_volume(value(), one_in(2));
    case 2:
      return iscsi_target(value(), one_in(2));
    default:
      return rbd_image(value(), "rbd", {value(), value()}, one_in(2));
  }
}

void RandomCluster::add_containers(PodBuilder& made) {
  for (std::size_t i = below(3); i-- > 0;) {
    made.container("c" + std::to_string(i)).image(one_in(2) ? "web" : kImages[below(3)]);
    if (!one_in(3)) made.cpu(std::to_string(below(900)) + "m");
    if (!one_in(3)) made.memory(std::to_string(below(900)) + "Mi");
    if (one_in(4)) made.asks("ephemeral-storage", std::to_string(below(4)) + "Ki");
    if (one_in(3)) made.asks(kScalars[below(3)], std::to_string(below(3)));
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
  return one_in(4) ? both_of(made, query()) : made;
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
  return made;
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
