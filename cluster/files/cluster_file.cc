#include "cluster/files/cluster_file.h"

#include <array>
#include <format>
#include <utility>

#include "cluster/decode/reader.h"
#include "cluster/text/json/document.h"
#include "cluster/text/keyed_hash.h"
#include "cluster/text/source.h"

namespace winnow {
namespace {

/// The kind and the API group of an object. The group matters: serving.knative.dev has a Service too.
struct TypeMeta {
  std::string kind;
  std::string group;
  bool has_group = false;  ///< Items of raw lists have neither; then any group matches.

  bool is(const KindInfo& info) const {
    return kind == info.kind && (!has_group || group == group_of(info.api_version) || is_older_group(info));
  }

 private:
  /// kubectl wrote ReplicaSets of this group until Kubernetes 1.15.
  bool is_older_group(const KindInfo& info) const {
    return group == "extensions" && info.kind == info_of(kind_of<ReplicaSet>).kind;
  }
};

/// A collector of the objects of several texts.
class Gatherer {
 public:
  std::expected<void, FileError> add(std::string_view name, std::string text);
  ClusterObjects finish();

 private:
  bool add_value(const Reader& value, const TypeMeta& assumed);
  bool add_items(const Reader& list, const TypeMeta& assumed);
  bool add_object(const Reader& value, const TypeMeta& type);
  template <class Object>
  bool keep(const Reader& value, KindScope scope);

  ClusterObjects objects_;
  std::string error_;
  /// By kind, then by NAMESPACE/NAME: the index in the kind's list.
  std::array<TextMap<std::size_t>, kResourceKinds> places_;
};

void complete(Pod& pod) {
  if (pod.metadata.uid.empty()) pod.metadata.uid = pod.metadata.namespace_ + "/" + pod.metadata.name;
}
template <class Object>
void complete(Object&) {}

template <class Object>
bool Gatherer::keep(const Reader& value, KindScope scope) {
  Object object;
  if (!read_value(value, object)) return false;
  ObjectMeta& metadata = object.metadata;
  if (metadata.name.empty()) return value.complain("has no metadata.name");
  if (scope == kNamespaced && metadata.namespace_.empty()) metadata.namespace_ = "default";
  complete(object);
  std::vector<Object>& list = objects_.of<Object>();
  auto& places = places_[static_cast<std::size_t>(kind_of<Object>)];
  const auto [place, is_new] = places.try_emplace(metadata.namespace_ + "/" + metadata.name, list.size());
  if (is_new) {
    list.push_back(std::move(object));
  } else {
    list[place->second] = std::move(object);
  }
  return true;
}

/// Reads kind and group. What the object lacks stays as assumed.
bool read_kind(const Reader& value, TypeMeta& type) {
  std::string own_kind;
  std::string version;
  if (!value.expect_object() || !value.read("kind", own_kind) || !value.read("apiVersion", version))
    return false;
  if (!own_kind.empty()) type.kind = std::move(own_kind);
  if (version.empty()) return true;
  type.group = group_of(version);
  type.has_group = true;
  return true;
}

bool Gatherer::add_value(const Reader& value, const TypeMeta& assumed) {
  TypeMeta type = assumed;
  if (!read_kind(value, type)) return false;
  if (type.kind.empty()) return value.complain("has no kind");
  if (!type.kind.ends_with("List") || !value.has("items")) return add_object(value, type);
  type.kind.resize(type.kind.size() - std::string_view("List").size());
  // Items of a v1 List have any kind, and name it.
  return add_items(value, type.kind.empty() ? TypeMeta() : type);
}

bool Gatherer::add_items(const Reader& list, const TypeMeta& assumed) {
  return list.for_each_in("items", [&](const Reader& item) { return add_value(item, assumed); });
}

bool Gatherer::add_object(const Reader& value, const TypeMeta& type) {
  bool known = false;
  bool good = true;
  for_each_kind([&]<class Object>(const Kind<Object>& kind) {
    if (!type.is(kind)) return;
    known = true;
    good = keep<Object>(value, kind.scope);
  });
  if (!known) ++objects_.skipped[type.group.empty() ? type.kind : type.kind + "." + type.group];
  return good;
}

std::expected<void, FileError> Gatherer::add(std::string_view name, std::string text) {
  DocumentReader documents(std::move(text));
  for (std::size_t number = 1;; ++number) {
    rapidjson::Document document;
    const auto more = documents.next(document);
    if (!more) return std::unexpected(FileError{std::format("{}: {}", name, more.error().text())});
    if (!*more && number == 1) return std::unexpected(FileError{std::format("{}: holds no objects", name)});
    if (!*more) return {};
    if (document.IsNull() || add_value(Reader(document, nullptr, error_), TypeMeta())) continue;
    const std::string place = number == 1 ? "" : std::format("document {}: ", number);
    return std::unexpected(FileError{std::format("{}: {}{}", name, place, error_)});
  }
}

ClusterObjects Gatherer::finish() {
  objects_.finished_pods = std::erase_if(objects_.of<Pod>(), [](const Pod& pod) {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  });
  return std::move(objects_);
}

}  // namespace

std::expected<ClusterObjects, FileError> read_cluster(std::span<const std::string> files) {
  Gatherer gatherer;
  for (const auto& file : files) {
    auto text = read_source(file);
    if (!text) return std::unexpected(FileError{std::format("{}: {}", file, text.error())});
    if (auto added = gatherer.add(file, std::move(*text)); !added)
      return std::unexpected(std::move(added.error()));
  }
  return gatherer.finish();
}

std::expected<ClusterObjects, FileError> read_cluster_text(std::string_view name, std::string text) {
  Gatherer gatherer;
  if (auto added = gatherer.add(name, std::move(text)); !added)
    return std::unexpected(std::move(added.error()));
  return gatherer.finish();
}

}  // namespace winnow
