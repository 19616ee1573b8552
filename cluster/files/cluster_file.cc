#include "cluster/files/cluster_file.h"

#include <utility>

#include "cluster/files/gatherer.h"
#include "cluster/files/object_reader.h"

namespace winnow {

std::expected<ClusterObjects, FileError> read_cluster(std::span<const std::string> files) {
  Gatherer gatherer;
  auto read = visit_files(files, [&](std::string_view, const Reader& object, const TypeMeta& type) {
    return gatherer.add(object, type);
  });
  if (!read) return std::unexpected(std::move(read.error()));
  return gatherer.finish();
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

}  // namespace winnow
