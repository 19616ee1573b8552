#include "cluster/feed/cluster_file.h"

#include <format>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cluster/decode/reader.h"
#include "cluster/feed/document.h"
#include "cluster/feed/source.h"

namespace winnow {
namespace {

/// The kind of an object, and its API group: Service is somebody else's in serving.knative.dev.
struct Kind {
  std::string kind;
  std::string group;
  bool has_group = false;  ///< Raw lists give their items neither; then any group will do.
};

/// Takes one text after another and gathers the objects.
class Gatherer {
 public:
  std::expected<void, FeedError> add(std::string_view name, std::string text);
  ClusterObjects finish();

 private:
  struct Row;
  static const Row kRows[];

  bool add_value(const Reader& value, const Kind& assumed);
  bool add_items(const Reader& list, const Kind& assumed);
  bool add_object(const Reader& value, const Kind& kind);

  template <auto kList, bool kNamespaced>
  static bool keep(Gatherer& gatherer, const Reader& value, std::size_t row);

  ClusterObjects objects_;
  std::string error_;
  std::vector<std::unordered_map<std::string, std::size_t>> places_;  ///< By row, then NAMESPACE/NAME.
};

struct Gatherer::Row {
  std::string_view kind;
  std::string_view group;
  bool (*keep)(Gatherer&, const Reader&, std::size_t row);
};

const Gatherer::Row Gatherer::kRows[] = {
    {"Pod", "", keep<&ClusterObjects::pods, true>},
    {"Node", "", keep<&ClusterObjects::nodes, false>},
    {"Namespace", "", keep<&ClusterObjects::namespaces, false>},
    {"Service", "", keep<&ClusterObjects::services, true>},
    {"ReplicationController", "", keep<&ClusterObjects::replication_controllers, true>},
    {"ReplicaSet", "apps", keep<&ClusterObjects::replica_sets, true>},
    {"ReplicaSet", "extensions", keep<&ClusterObjects::replica_sets, true>},
    {"StatefulSet", "apps", keep<&ClusterObjects::stateful_sets, true>},
    {"PodDisruptionBudget", "policy", keep<&ClusterObjects::pod_disruption_budgets, true>},
    {"PersistentVolume", "", keep<&ClusterObjects::persistent_volumes, false>},
    {"PersistentVolumeClaim", "", keep<&ClusterObjects::persistent_volume_claims, true>},
    {"StorageClass", "storage.k8s.io", keep<&ClusterObjects::storage_classes, false>},
    {"CSINode", "storage.k8s.io", keep<&ClusterObjects::csi_nodes, false>},
    {"CSIDriver", "storage.k8s.io", keep<&ClusterObjects::csi_drivers, false>},
    {"CSIStorageCapacity", "storage.k8s.io", keep<&ClusterObjects::csi_storage_capacities, true>},
    {"VolumeAttachment", "storage.k8s.io", keep<&ClusterObjects::volume_attachments, false>},
};

void complete(Pod& pod) {
  if (pod.metadata.uid.empty()) pod.metadata.uid = pod.metadata.namespace_ + "/" + pod.metadata.name;
}
template <class Object>
void complete(Object&) {}

template <auto kList, bool kNamespaced>
bool Gatherer::keep(Gatherer& gatherer, const Reader& value, std::size_t row) {
  auto& list = gatherer.objects_.*kList;
  typename std::remove_reference_t<decltype(list)>::value_type object;
  if (!read_value(value, object)) return false;
  ObjectMeta& metadata = object.metadata;
  if (metadata.name.empty()) return value.complain("has no metadata.name");
  if (kNamespaced && metadata.namespace_.empty()) metadata.namespace_ = "default";
  complete(object);
  const auto [place, is_new] =
      gatherer.places_[row].try_emplace(metadata.namespace_ + "/" + metadata.name, list.size());
  if (is_new) {
    list.push_back(std::move(object));
  } else {
    list[place->second] = std::move(object);
  }
  return true;
}

/// Reads kind and group; what the object does not have stays as assumed.
bool read_kind(const Reader& value, Kind& kind) {
  std::string own_kind;
  std::string version;
  if (!value.expect_object() || !value.read("kind", own_kind) || !value.read("apiVersion", version))
    return false;
  if (!own_kind.empty()) kind.kind = std::move(own_kind);
  if (version.empty()) return true;
  const std::size_t slash = version.find('/');
  kind.group = slash == std::string::npos ? "" : version.substr(0, slash);
  kind.has_group = true;
  return true;
}

bool Gatherer::add_value(const Reader& value, const Kind& assumed) {
  Kind kind = assumed;
  if (!read_kind(value, kind)) return false;
  if (kind.kind.empty()) return value.complain("has no kind");
  if (!kind.kind.ends_with("List") || !value.has("items")) return add_object(value, kind);
  kind.kind.resize(kind.kind.size() - std::string_view("List").size());
  // The items of a v1 List are of any kind and say so.
  return add_items(value, kind.kind.empty() ? Kind() : kind);
}

bool Gatherer::add_items(const Reader& list, const Kind& assumed) {
  return list.for_each_in("items", [&](const Reader& item) { return add_value(item, assumed); });
}

bool Gatherer::add_object(const Reader& value, const Kind& kind) {
  for (std::size_t row = 0; row < std::size(kRows); ++row) {
    if (kRows[row].kind != kind.kind || (kind.has_group && kRows[row].group != kind.group)) continue;
    return kRows[row].keep(*this, value, row);
  }
  ++objects_.skipped[kind.group.empty() ? kind.kind : kind.kind + "." + kind.group];
  return true;
}

std::expected<void, FeedError> Gatherer::add(std::string_view name, std::string text) {
  places_.resize(std::size(kRows));
  DocumentReader documents(std::move(text));
  for (std::size_t number = 1;; ++number) {
    rapidjson::Document document;
    const auto more = documents.next(document);
    if (!more) return std::unexpected(FeedError{std::format("{}: {}", name, more.error().text())});
    if (!*more && number == 1) return std::unexpected(FeedError{std::format("{}: holds no objects", name)});
    if (!*more) return {};
    if (document.IsNull() || add_value(Reader(document, nullptr, error_), Kind())) continue;
    const std::string place = number == 1 ? "" : std::format("document {}: ", number);
    return std::unexpected(FeedError{std::format("{}: {}{}", name, place, error_)});
  }
}

ClusterObjects Gatherer::finish() {
  objects_.finished_pods = std::erase_if(objects_.pods, [](const Pod& pod) {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  });
  return std::move(objects_);
}

}  // namespace

std::expected<ClusterObjects, FeedError> read_cluster(std::span<const std::string> files) {
  Gatherer gatherer;
  for (const auto& file : files) {
    auto text = read_source(file);
    if (!text) return std::unexpected(FeedError{std::format("{}: {}", file, text.error())});
    if (auto added = gatherer.add(file, std::move(*text)); !added)
      return std::unexpected(std::move(added.error()));
  }
  return gatherer.finish();
}

std::expected<ClusterObjects, FeedError> read_cluster_text(std::string_view name, std::string text) {
  Gatherer gatherer;
  if (auto added = gatherer.add(name, std::move(text)); !added)
    return std::unexpected(std::move(added.error()));
  return gatherer.finish();
}

}  // namespace winnow
