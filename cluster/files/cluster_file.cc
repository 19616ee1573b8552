#include "cluster/files/cluster_file.h"

#include <array>
#include <format>
#include <unordered_set>
#include <utility>

#include "cluster/decode/reader.h"
#include "cluster/defaults/defaults.h"
#include "cluster/memory_limit.h"
#include "cluster/text/go_quote.h"
#include "cluster/text/json/document.h"
#include "cluster/text/json/json_list.h"
#include "cluster/text/keyed_hash.h"
#include "cluster/text/source.h"
#include "cluster/validation/admit.h"

namespace winnow {
namespace {

/// A text takes as much memory again while it is read, and its objects too.
std::size_t max_cluster_bytes() { return share_of_memory(4, std::size_t{64} << 20, kMaxSourceBytes); }

/// The kind and the API group of an object. The group matters: serving.knative.dev has a Service too.
struct TypeMeta {
  std::string kind;
  std::string group;
  std::string version;     ///< "v1beta1"
  bool has_group = false;  ///< Items of raw lists have neither; then any group matches.

  /// Whether the object is of the version that Winnow reads, or of an older one that is not stable. Those
  /// have the same fields.
  bool is_known_version(const KindInfo& info) const {
    const std::string_view known = info.api_version.substr(info.api_version.rfind('/') + 1);
    return !has_group || version.starts_with(std::string(known) + "alpha") ||
           version.starts_with(std::string(known) + "beta") || version == known;
  }

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
  std::expected<void, FileError> add_documents(std::string_view name, std::string text);
  std::expected<void, FileError> add_list(std::string_view name, JsonList list);
  void note_shared_uids();
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

/// Notes the first fields of the files, and counts the others.
void note_refused(ClusterObjects::Refused& refused, const Pod& pod, const std::vector<FieldError>& errors) {
  if (errors.empty() || has_ended(pod)) return;
  ++refused.pods;
  refused.fields += errors.size();
  for (const FieldError& error : errors) {
    if (refused.lines.size() == ClusterObjects::Refused::kMostLines) return;
    refused.lines.push_back(std::format("{}/{}: {}", pod.metadata.namespace_, pod.metadata.name, error.text));
  }
}

void complete(Pod& pod, ClusterObjects& objects) {
  note_refused(objects.refused, pod, admit(pod));
  if (pod.metadata.uid.empty()) pod.metadata.uid = pod.metadata.namespace_ + "/" + pod.metadata.name;
}
template <class Object>
void complete(Object& object, ClusterObjects&) {
  set_defaults(object);
}

template <class Object>
bool Gatherer::keep(const Reader& value, KindScope scope) {
  Object object;
  if (!read_value(value, object)) return false;
  ObjectMeta& metadata = object.metadata;
  if (metadata.name.empty()) return value.complain("has no metadata.name");
  if (scope == kNamespaced && metadata.namespace_.empty()) metadata.namespace_ = "default";
  complete(object, objects_);
  std::vector<Object>& list = objects_.of<Object>();
  auto& places = places_[static_cast<std::size_t>(kind_of<Object>)];
  const auto [place, is_new] = places.try_emplace(metadata.namespace_ + "/" + metadata.name, list.size());
  if (is_new) {
    list.push_back(std::move(object));
    return true;
  }
  if (++objects_.repeated == 1)
    objects_.first_repeated = std::format("{} {}", info_of(kind_of<Object>).kind, place->first);
  list[place->second] = std::move(object);
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
  type.version = version.substr(type.group.empty() ? 0 : type.group.size() + 1);
  type.has_group = true;
  return true;
}

/// The type of a list's items that have none of their own. Items of a v1 List have any kind, and name it.
TypeMeta item_type(TypeMeta list) {
  list.kind.resize(list.kind.size() - std::string_view("List").size());
  return list.kind.empty() ? TypeMeta() : list;
}

bool Gatherer::add_value(const Reader& value, const TypeMeta& assumed) {
  TypeMeta type = assumed;
  if (!read_kind(value, type)) return false;
  if (type.kind.empty()) return value.complain("has no kind");
  if (!type.kind.ends_with("List") || !value.has("items")) return add_object(value, type);
  return add_items(value, item_type(std::move(type)));
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
    good = type.is_known_version(kind)
               ? keep<Object>(value, kind.scope)
               : value.complain(std::format("apiVersion: {} is none of {}'s; expected {}",
                                            go_quote(type.version), kind.kind, kind.api_version));
  });
  if (!known) ++objects_.skipped[type.group.empty() ? type.kind : type.kind + "." + type.group];
  return good;
}

std::expected<void, FileError> Gatherer::add(std::string_view name, std::string text) {
  if (auto list = JsonList::find(text)) return add_list(name, std::move(*list));
  return add_documents(name, std::move(text));
}

std::expected<void, FileError> Gatherer::add_list(std::string_view name, JsonList list) {
  const auto error = [&](const std::string& what) {
    return std::unexpected(FileError{std::format("{}: {}", name, what)});
  };
  rapidjson::Document frame;
  if (const auto read = list.read_frame(frame); !read) return error(read.error().text());
  TypeMeta type;
  const Reader reader(frame, nullptr, error_);
  if (!read_kind(reader, type)) return error(error_);
  if (type.kind.empty()) {
    reader.complain("has no kind");
    return error(error_);
  }
  // An object that is no list, and has a field `items`: nobody reads these, but the file must be JSON.
  if (!type.kind.ends_with("List")) {
    if (!add_object(reader, type)) return error(error_);
    const auto is_json = list.for_each([](const rapidjson::Document&, std::size_t) { return true; });
    return is_json ? std::expected<void, FileError>() : error(is_json.error().text());
  }
  const TypeMeta assumed = item_type(type);
  const PathStep items{nullptr, "items", std::nullopt};
  bool good = true;
  const auto read = list.for_each([&](const rapidjson::Document& element, std::size_t index) {
    const PathStep step{&items, {}, index};
    return good = add_value(Reader(element, &step, error_), assumed);
  });
  if (!read) return error(read.error().text());
  return good ? std::expected<void, FileError>() : error(error_);
}

std::expected<void, FileError> Gatherer::add_documents(std::string_view name, std::string text) {
  DocumentReader documents(std::move(text));
  bool any = false;
  for (std::size_t number = 1;; ++number) {
    rapidjson::Document document;
    const auto more = documents.next(document);
    if (!more) return std::unexpected(FileError{std::format("{}: {}", name, more.error().text())});
    if (!*more && !any) return std::unexpected(FileError{std::format("{}: holds no objects", name)});
    if (!*more) return {};
    if (document.IsNull()) continue;  // A "---" too many.
    any = true;
    if (add_value(Reader(document, nullptr, error_), TypeMeta())) continue;
    const std::string place = number == 1 ? "" : std::format("document {}: ", number);
    return std::unexpected(FileError{std::format("{}: {}{}", name, place, error_)});
  }
}

/// kube-scheduler and Winnow know a pod by its UID.
void Gatherer::note_shared_uids() {
  std::unordered_set<std::string_view, TextHash, std::equal_to<>> uids;
  for (const Pod& pod : objects_.of<Pod>())
    if (!uids.insert(pod.metadata.uid).second && ++objects_.shared_uids == 1)
      objects_.first_shared_uid = pod.metadata.uid;
}

ClusterObjects Gatherer::finish() {
  note_shared_uids();
  objects_.finished_pods = std::erase_if(objects_.of<Pod>(), [](const Pod& pod) {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  });
  return std::move(objects_);
}

}  // namespace

std::expected<ClusterObjects, FileError> read_cluster(std::span<const std::string> files) {
  Gatherer gatherer;
  for (const auto& file : files) {
    auto text = read_source(file, max_cluster_bytes());
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
