#include "cluster/files/object_reader.h"

#include <cstddef>
#include <format>
#include <optional>
#include <string_view>
#include <utility>

#include "cluster/admission/unknown_fields.h"
#include "cluster/api/kinds.h"
#include "cluster/files/dump.h"
#include "cluster/memory_budget.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/other_texts.h"
#include "cluster/text/source.h"

namespace winnow {
namespace {

/// kubectl wrote Deployments, ReplicaSets and DaemonSets of this group until Kubernetes 1.15.
bool is_older_group(std::string_view group, const KindInfo& info) {
  return group == "extensions" && group_of(info.api_version) == "apps";
}

}  // namespace

bool TypeMeta::is(const KindInfo& info) const {
  return kind == info.kind &&
         (!has_group || group == group_of(info.api_version) || is_older_group(group, info));
}

bool TypeMeta::is_known_version(const KindInfo& info) const {
  const std::string_view known = info.api_version.substr(info.api_version.rfind('/') + 1);
  return !has_group || version.starts_with(std::string(known) + "alpha") ||
         version.starts_with(std::string(known) + "beta") || version == known;
}

std::string wrong_version(const TypeMeta& type, const KindInfo& info) {
  return std::format("apiVersion: {} is none of {}'s; expected {}", go_quote(type.version), info.kind,
                     info.api_version);
}

namespace {

/// A text takes as much memory again while it is read, and its objects too.
std::size_t max_cluster_bytes() { return share_of_memory(4, std::size_t{64} << 20, kMaxSourceBytes); }

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

/// The walk over one text.
class Walk {
 public:
  Walk(std::string_view name, const ObjectVisitor& visit, FileWarnings* warnings)
      : name_(name), visit_(visit), warnings_(warnings) {}

  std::expected<void, FileError> over_list(JsonList list);
  std::expected<void, FileError> over_documents(std::string text);

 private:
  bool add_value(const Reader& value, const TypeMeta& assumed);
  void look_through(const Reader& value, const TypeMeta& type);
  std::unexpected<FileError> error(std::string_view what) const {
    return std::unexpected(FileError{std::format("{}: {}", name_, what)});
  }

  std::string_view name_;
  const ObjectVisitor& visit_;
  FileWarnings* const warnings_;
  std::string error_;
};

/// Warns of the fields of an object that somebody has written by hand. Devices have other fields in older
/// versions.
void Walk::look_through(const Reader& value, const TypeMeta& type) {
  if (type.group == "resource.k8s.io" && type.version != "v1") return;
  constexpr std::size_t kMostOfObject = 10;
  const auto metadata = value.value().FindMember("metadata");
  if (metadata == value.value().MemberEnd() || !metadata->value.IsObject()) return;
  if (metadata->value.HasMember("uid")) return;
  const auto lines = field_warnings(value, type.kind, type.group, kMostOfObject);
  if (lines.empty()) return;
  const std::string_view ns = string_at(metadata->value, "namespace");
  std::string object = type.kind + ' ';
  if (!ns.empty()) object += std::string(ns) + '/';
  object += string_at(metadata->value, "name");
  for (const std::string& line : lines) warnings_->add(std::format("{}: {}: {}", name_, object, line));
}

bool Walk::add_value(const Reader& value, const TypeMeta& assumed) {
  TypeMeta type = assumed;
  if (!read_kind(value, type)) return false;
  if (type.kind.empty()) return value.complain("has no kind");
  if (!type.kind.ends_with("List") || !value.has("items")) {
    if (warnings_ != nullptr) look_through(value, type);
    return visit_(name_, value, type);
  }
  const TypeMeta items = item_type(std::move(type));
  return value.for_each_in("items", [&](const Reader& item) { return add_value(item, items); });
}

std::expected<void, FileError> Walk::over_list(JsonList list) {
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
    if (!visit_(name_, reader, type)) return error(error_);
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

std::expected<void, FileError> Walk::over_documents(std::string text) {
  DocumentReader documents(std::move(text), Merges::kTwice);
  bool any = false;
  for (std::size_t number = 1;; ++number) {
    rapidjson::Document document;
    const auto more = documents.next(document);
    if (!more) return error(more.error().text());
    if (!*more && !any) return error("holds no objects");
    if (!*more) return {};
    if (document.IsNull()) continue;  // A "---" too many.
    any = true;
    for (const std::string& path : keep_last_keys(document, FileWarnings::kMostLines))
      if (warnings_ != nullptr)
        warnings_->add(std::format("{}: {}duplicate field \"{}\": the last one counts", name_,
                                   number == 1 ? "" : std::format("document {}: ", number), path));
    if (add_value(Reader(document, nullptr, error_), TypeMeta())) continue;
    return error(number == 1 ? error_ : std::format("document {}: {}", number, error_));
  }
}

}  // namespace

std::expected<void, FileError> visit_text(std::string_view name, std::string text, const ObjectVisitor& visit,
                                          FileWarnings* warnings) try {
  const HeldToProcess held;
  Walk walk(name, visit, warnings);
  if (std::string why = take_out_logs(text); !why.empty())
    return std::unexpected(FileError{std::format("{}: {}", name, why)});
  if (auto list = JsonList::find(text)) return walk.over_list(std::move(*list));
  const std::string other = other_text(text);
  auto read = walk.over_documents(std::move(text));
  if (!read && !other.empty()) return std::unexpected(FileError{std::format("{}: {}", name, other)});
  return read;
} catch (const MemoryExceeded& exceeded) {
  return std::unexpected(FileError{std::format("{}: {}", name, exceeded.text())});
}

std::expected<void, FileError> visit_files(std::span<const std::string> files, const ObjectVisitor& visit,
                                           FileWarnings* warnings) {
  for (const auto& name : files) {
    const auto inside = files_of(name);
    if (!inside) return std::unexpected(FileError{std::format("{}: {}", name, inside.error())});
    for (const std::string& file : *inside) {
      auto text = read_source(file, max_cluster_bytes());
      if (!text) return std::unexpected(FileError{std::format("{}: {}", file, text.error())});
      if (auto visited = visit_text(file, std::move(*text), visit, warnings); !visited) return visited;
    }
  }
  return {};
}

}  // namespace winnow
