#include "tests/bench/sample_json.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "tests/bench/affinity_json.h"

namespace winnow::bench {
namespace {

void raw(Writer& out, const char* key, std::string_view json) {
  out.Key(key);
  out.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}

void text_map(Writer& out, const char* key, const StringMap& map) {
  if (map.empty()) return;
  out.Key(key);
  out.StartObject();
  for (const auto& [name, value] : map) text(out, name.c_str(), value);
  out.EndObject();
}

std::string amount(const std::string& resource, const Quantity& quantity) {
  return resource == "cpu" ? std::to_string(quantity.milli_value()) + 'm' : std::to_string(quantity.value());
}

void resources(Writer& out, const char* key, const ResourceList& list) {
  out.Key(key);
  out.StartObject();
  for (const auto& [name, quantity] : list) text(out, name.c_str(), amount(name, quantity));
  out.EndObject();
}

void metadata(Writer& out, const ObjectMeta& meta) {
  out.Key("metadata");
  out.StartObject();
  text(out, "name", meta.name);
  if (!meta.namespace_.empty()) text(out, "namespace", meta.namespace_);
  text(out, "uid", meta.uid);
  text(out, "resourceVersion", "184467440");
  text(out, "creationTimestamp", "2026-11-20T23:11:01Z");
  text_map(out, "labels", meta.labels);
  text_map(out, "annotations", meta.annotations);
  if (!meta.owner_references.empty()) {
    out.Key("ownerReferences");
    out.StartArray();
    for (const OwnerReference& owner : meta.owner_references) {
      out.StartObject();
      text(out, "apiVersion", owner.api_version);
      text(out, "kind", owner.kind);
      text(out, "name", owner.name);
      text(out, "uid", owner.uid);
      raw(out, "controller", "true");
      raw(out, "blockOwnerDeletion", "true");
      out.EndObject();
    }
    out.EndArray();
  }
  out.EndObject();
}

constexpr std::string_view kApiAccess =
    R"([{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}])";

void volumes(Writer& out, const std::vector<Volume>& list) {
  out.Key("volumes");
  out.StartArray();
  for (const Volume& volume : list) {
    out.StartObject();
    text(out, "name", volume.name);
    out.Key("projected");
    out.StartObject();
    raw(out, "sources", kApiAccess);
    raw(out, "defaultMode", "420");
    out.EndObject();
    out.EndObject();
  }
  out.EndArray();
}

void container(Writer& out, const Container& one, std::string_view mount) {
  out.StartObject();
  text(out, "name", one.name);
  text(out, "image", one.image);
  out.Key("resources");
  out.StartObject();
  resources(out, "requests", one.resources.requests);
  if (!one.resources.limits.empty()) resources(out, "limits", one.resources.limits);
  out.EndObject();
  out.Key("volumeMounts");
  out.StartArray();
  out.StartObject();
  text(out, "name", mount);
  raw(out, "readOnly", "true");
  text(out, "mountPath", "/var/run/secrets/kubernetes.io/serviceaccount");
  out.EndObject();
  out.EndArray();
  text(out, "terminationMessagePath", "/dev/termination-log");
  text(out, "terminationMessagePolicy", "File");
  text(out, "imagePullPolicy", "IfNotPresent");
  out.EndObject();
}

void tolerations(Writer& out, const std::vector<Toleration>& list) {
  out.Key("tolerations");
  out.StartArray();
  for (const Toleration& toleration : list) {
    out.StartObject();
    text(out, "key", toleration.key);
    text(out, "operator", toleration.op);
    if (!toleration.value.empty()) text(out, "value", toleration.value);
    if (!toleration.effect.empty()) text(out, "effect", toleration.effect);
    if (toleration.toleration_seconds)
      raw(out, "tolerationSeconds", std::to_string(*toleration.toleration_seconds));
    out.EndObject();
  }
  out.EndArray();
}

void pod_spec(Writer& out, const PodSpec& spec) {
  out.Key("spec");
  out.StartObject();
  volumes(out, spec.volumes);
  out.Key("containers");
  out.StartArray();
  for (const Container& one : spec.containers) container(out, one, spec.volumes.front().name);
  out.EndArray();
  text(out, "restartPolicy", "Always");
  raw(out, "terminationGracePeriodSeconds", "30");
  text(out, "dnsPolicy", "ClusterFirst");
  text(out, "serviceAccountName", "default");
  text(out, "serviceAccount", "default");
  raw(out, "securityContext", "{}");
  if (!spec.node_name.empty()) text(out, "nodeName", spec.node_name);
  if (spec.affinity) write_affinity(out, *spec.affinity);
  if (!spec.topology_spread_constraints.empty()) write_spread(out, spec.topology_spread_constraints);
  text(out, "schedulerName", spec.scheduler_name);
  tolerations(out, spec.tolerations);
  raw(out, "priority", "0");
  raw(out, "enableServiceLinks", "true");
  text(out, "preemptionPolicy", spec.preemption_policy);
  out.EndObject();
}

void node_spec(Writer& out, const NodeSpec& spec) {
  out.Key("spec");
  out.StartObject();
  if (spec.unschedulable) raw(out, "unschedulable", "true");
  if (!spec.taints.empty()) {
    out.Key("taints");
    out.StartArray();
    for (const Taint& taint : spec.taints) {
      out.StartObject();
      text(out, "key", taint.key);
      text(out, "value", taint.value);
      text(out, "effect", taint.effect);
      out.EndObject();
    }
    out.EndArray();
  }
  out.EndObject();
}

void node_status(Writer& out, const NodeStatus& status) {
  out.Key("status");
  out.StartObject();
  resources(out, "capacity", status.capacity);
  resources(out, "allocatable", status.allocatable);
  out.Key("conditions");
  out.StartArray();
  for (const NodeCondition& condition : status.conditions) {
    out.StartObject();
    text(out, "type", condition.type);
    text(out, "status", condition.status);
    text(out, "lastHeartbeatTime", "2026-11-20T23:10:58Z");
    text(out, "lastTransitionTime", "2026-11-20T20:10:58Z");
    text(out, "reason", "KubeletHasSufficientMemory");
    text(out, "message", "kubelet has sufficient memory available");
    out.EndObject();
  }
  out.EndArray();
  out.Key("images");
  out.StartArray();
  for (const ContainerImage& image : status.images) {
    out.StartObject();
    out.Key("names");
    out.StartArray();
    for (const std::string& name : image.names) out.String(name.c_str());
    out.EndArray();
    out.Key("sizeBytes");
    out.Int64(image.size_bytes);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
}

/// {"Pod": the pod, and what `rest` is.
std::string args(const Pod& pod, std::string_view rest) {
  return "{\"Pod\":" + to_json(pod) + ',' + std::string(rest) + '}';
}

}  // namespace

std::string to_json(const Pod& pod) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  metadata(out, pod.metadata);
  pod_spec(out, pod.spec);
  raw(out, "status",
      pod.spec.node_name.empty() ? R"({"phase":"Pending","qosClass":"Burstable"})"
                                 : R"({"phase":"Running","qosClass":"Burstable"})");
  out.EndObject();
  return buffer.GetString();
}

std::string to_json(const Node& node) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  metadata(out, node.metadata);
  node_spec(out, node.spec);
  node_status(out, node.status);
  out.EndObject();
  return buffer.GetString();
}

std::vector<std::size_t> scheduler_order(const Sample& sample, std::size_t from) {
  // Nodes stand zone after zone in turn already (sample.cc): only the start moves.
  std::vector<std::size_t> order(sample.nodes());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = (from + i) % order.size();
  return order;
}

std::vector<std::string> names_in_order(const Sample& sample, std::size_t from) {
  std::vector<std::string> names;
  for (const std::size_t i : scheduler_order(sample, from)) names.push_back(sample.node_name(i));
  return names;
}

std::string args_by_name(const Pod& pod, std::span<const std::string> names) {
  std::string rest = "\"Nodes\":null,\"NodeNames\":[";
  for (const std::string& name : names) rest.append("\"").append(name).append("\",");
  rest.back() = ']';
  return args(pod, rest);
}

std::string args_with_nodes(const Sample& sample, const Pod& pod, std::size_t from) {
  std::string rest = "\"Nodes\":{\"metadata\":{},\"items\":[";
  for (const std::size_t i : scheduler_order(sample, from)) rest.append(to_json(sample.node(i))).append(",");
  rest.back() = ']';
  return args(pod, rest + "},\"NodeNames\":null");
}

namespace {

/// A v1 List, an object at a time.
class List {
 public:
  explicit List(std::ostream& out) : out_(out) { out_ << R"({"apiVersion":"v1","kind":"List","items":[)"; }
  ~List() { out_ << "\n]}\n"; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  void add(std::string_view api_version, std::string_view kind, std::string_view object) {
    out_ << (std::exchange(first_, false) ? "\n" : ",\n") << R"({"apiVersion":")" << api_version
         << R"(","kind":")" << kind << "\"," << object.substr(1);
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

std::string to_json(const Service& service) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  metadata(out, service.metadata);
  out.Key("spec");
  out.StartObject();
  text_map(out, "selector", service.selector.value());
  out.EndObject();
  out.EndObject();
  return buffer.GetString();
}

std::string to_json(const Namespace& one) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  metadata(out, one.metadata);
  out.EndObject();
  return buffer.GetString();
}

std::string to_json(const ReplicaSet& set) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  metadata(out, set.metadata);
  out.Key("spec");
  out.StartObject();
  out.Key("selector");
  write_selector(out, set.selector.value());
  out.EndObject();
  out.EndObject();
  return buffer.GetString();
}

}  // namespace

void write_cluster(std::ostream& out, const Sample& sample) {
  List list(out);
  for (std::size_t i = 0; i < Sample::kNamespaces; ++i)
    list.add("v1", "Namespace", to_json(sample.name_space(i)));
  for (std::size_t i = 0; i < sample.nodes(); ++i) list.add("v1", "Node", to_json(sample.node(i)));
  for (std::size_t app = 0; app < sample.apps(); ++app) {
    list.add("v1", "Service", to_json(sample.service(app)));
    list.add("apps/v1", "ReplicaSet", to_json(sample.replica_set(app)));
  }
  for (std::size_t i = 0; i < sample.pods(); ++i) list.add("v1", "Pod", to_json(sample.pod(i)));
}

void write_pods(std::ostream& out, std::span<const Pod> pods) {
  List list(out);
  for (const Pod& pod : pods) list.add("v1", "Pod", to_json(pod));
}

}  // namespace winnow::bench
