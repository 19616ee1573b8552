#include "cluster/files/cluster_file.h"

#include <utility>

#include "cluster/files/cluster_objects.h"
#include "cluster/files/object_reader.h"
#include "cluster/function_ref.h"
#include "cluster/state/state.h"
#include "cluster/text/json.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

/// The object with its type, which an item of a typed list may lack.
std::string text_of(const Reader& object, const TypeMeta& type) {
  std::string text = "{\"kind\":";
  append_quoted(text, type.kind);
  if (type.has_group) {
    text += ",\"apiVersion\":";
    append_quoted(text, type.group.empty() ? type.version : type.group + "/" + type.version);
  }
  for (const auto& member : object.value().GetObject()) {
    const std::string_view key = string_of(member.name);
    if (key == "kind" || key == "apiVersion") continue;
    text += ',';
    append_quoted(text, key);
    text += ':';
    append_value(text, member.value);
  }
  return text + '}';
}

}  // namespace

std::expected<ClusterObjects, FileError> read_cluster(std::span<const std::string> files,
                                                      FunctionRef<void(std::string_view json)> on_object) {
  Gatherer gatherer;
  FileWarnings warnings;
  auto read = visit_files(
      files,
      [&](std::string_view, const Reader& object, const TypeMeta& type) {
        if (!gatherer.add(object, type)) return false;
        // A file may have Secrets too, and nobody may be told of these.
        if (on_object && Gatherer::reads(type)) on_object(text_of(object, type));
        return true;
      },
      &warnings);
  if (!read) return std::unexpected(std::move(read.error()));
  ClusterObjects objects = gatherer.finish();
  objects.warnings = std::move(warnings);
  return objects;
}

std::expected<ClusterObjects, FileError> read_cluster_text(std::string_view name, std::string text) {
  Gatherer gatherer;
  auto read =
      visit_text(name, std::move(text), [&](std::string_view, const Reader& object, const TypeMeta& type) {
        return gatherer.add(object, type);
      });
  if (!read) return std::unexpected(std::move(read.error()));
  return gatherer.finish();
}

namespace {

template <class Object>
void load_all(State& state, const std::vector<Object>& objects) {
  // Copied at most, not moved: the objects' memory can go back as a whole then.
  for (const Object& object : objects) ObjectWriter<Object>::set(state, object);
}

}  // namespace

void load(State& state, const ClusterObjects& objects) {
  // Pods come last: their nodes and claims are there then, and each pod is counted once.
  for_each_kind([&]<class Object>(const Kind<Object>&) {
    if constexpr (kind_of<Object> != kind_of<Pod>) load_all(state, objects.of<Object>());
  });
  load_all(state, objects.of<Pod>());
}

}  // namespace winnow
